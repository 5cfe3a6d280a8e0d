from cowscore.errors import UnknownSession

with Cow.connect(os.environ["COWSCORE_DSN"]) as cow:
    try:
        cow.session("00000000-0000-4000-8000-000000000001")
    except UnknownSession as error:
        print(error.sqlstate, error)
