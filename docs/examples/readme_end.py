connection.close()
cow.close()
engine.dispose()
