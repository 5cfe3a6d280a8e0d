import os

from fastapi import FastAPI

from cowscore import Cow

app = FastAPI()
dsn = os.environ["COWSCORE_DSN"]
