import os

import psycopg
from sqlalchemy import create_engine

engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(os.environ["COWSCORE_DSN"]))
