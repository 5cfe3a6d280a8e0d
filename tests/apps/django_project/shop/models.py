from __future__ import annotations

from django.db import models


class Shelf(models.Model):
    name = models.TextField(unique=True)


class Item(models.Model):
    shelf = models.ForeignKey(Shelf, models.CASCADE, related_name="items")
    name = models.TextField(unique=True)
    amount = models.IntegerField(default=0)
