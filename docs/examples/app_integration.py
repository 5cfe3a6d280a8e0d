from cowscore.integrations.asgi import CowMiddleware
from cowscore.integrations.sqlalchemy import install

install(engine)
app.add_middleware(CowMiddleware)
