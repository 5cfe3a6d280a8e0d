"""Views that use the database in the ways that differ in how Django runs transactions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Count, F
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.urls import path

from cowscore.integrations.django.cookie import enter_session, leave_session
from cowscore.integrations.django.decorator import in_session
from shop.models import Item, Shelf


def add(request: HttpRequest, name: str) -> JsonResponse:
    """Two statements, in autocommit unless the project says ATOMIC_REQUESTS."""
    Item.objects.create(shelf_id=1, name=name)
    Item.objects.filter(name="pen").update(amount=F("amount") + 1)
    return names(request)


def names(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"names": list(Item.objects.order_by("id").values_list("name", flat=True))})


async def add_async(request: HttpRequest, name: str) -> JsonResponse:
    await Item.objects.acreate(shelf_id=1, name=name)
    return JsonResponse({"names": [item.name async for item in Item.objects.order_by("id")]})


def savepoints(request: HttpRequest) -> JsonResponse:
    """A rollback to a savepoint, and of a whole transaction, with writes before and after."""
    with transaction.atomic():
        try:
            with transaction.atomic():
                Item.objects.create(shelf_id=1, name="undone")
                raise ValueError
        except ValueError:
            Item.objects.create(shelf_id=1, name="after savepoint")
    try:
        with transaction.atomic():
            Item.objects.create(shelf_id=1, name="undone too")
            raise ValueError
    except ValueError:
        Item.objects.create(shelf_id=1, name="after rollback")
    return names(request)


def hooks(request: HttpRequest) -> HttpResponse:
    with transaction.atomic():
        Item.objects.create(shelf_id=1, name="in it")
        transaction.on_commit(lambda: Item.objects.create(shelf_id=1, name="on commit"))
    return HttpResponse()


def queries(request: HttpRequest) -> JsonResponse:
    shelf = Shelf.objects.annotate(number=Count("items")).get()
    with transaction.atomic():
        locked = list(Item.objects.select_for_update().order_by("id"))
    Item.objects.bulk_create([Item(shelf=shelf, name="pen"), Item(shelf=shelf, name="ink")], ignore_conflicts=True)
    Item.objects.update_or_create(name="cup", defaults={"amount": 5, "shelf": shelf})
    chunks = [item.name for item in Item.objects.order_by("id").iterator(chunk_size=1)]
    return JsonResponse({"number": shelf.number, "locked": len(locked), "names": chunks})


def upsert(request: HttpRequest) -> HttpResponse:
    item = Item(shelf_id=1, name="pen", amount=9)
    Item.objects.bulk_create([item], update_conflicts=True, unique_fields=["name"], update_fields=["amount"])
    return HttpResponse()


def fail(request: HttpRequest) -> HttpResponse:
    Item.objects.create(shelf_id=1, name="before the error")
    raise ValueError("the view fails")


def stream(request: HttpRequest) -> StreamingHttpResponse:
    def pieces() -> Iterator[str]:
        for name in ("one", "two"):
            yield str(Item.objects.create(shelf_id=1, name=name).name)

    return StreamingHttpResponse(pieces())


async def stream_async(request: HttpRequest) -> StreamingHttpResponse:
    async def pieces() -> AsyncIterator[str]:
        for name in ("one", "two"):
            yield str((await Item.objects.acreate(shelf_id=1, name=name)).name)

    return StreamingHttpResponse(pieces())


def second(request: HttpRequest) -> HttpResponse:
    Item.objects.using("second").create(shelf_id=1, name="second")
    return HttpResponse()


def abandon(request: HttpRequest) -> HttpResponse:
    """Leaves a transaction open, as code that handles autocommit itself may."""
    transaction.set_autocommit(False)
    connection.cursor().execute("select 1")
    return HttpResponse()


def enter(request: HttpRequest, session: UUID) -> HttpResponse:
    response = HttpResponse()
    enter_session(response, session)
    return response


def leave(request: HttpRequest) -> HttpResponse:
    response = HttpResponse()
    leave_session(response)
    return response


def _session_of_path(request: HttpRequest, session: UUID, **kwargs: Any) -> UUID:
    return session


@in_session(_session_of_path)
def decorated(request: HttpRequest, session: UUID) -> JsonResponse:
    transaction.on_commit(lambda: Item.objects.create(shelf_id=1, name="on commit"))
    return add(request, "decorated")


urlpatterns = [
    path("add/<str:name>", add),
    path("names", names),
    path("add-async/<str:name>", add_async),
    path("enter/<uuid:session>", enter),
    path("decorated/<uuid:session>", decorated),
    *(path(view.__name__, view) for view in (savepoints, hooks, queries, upsert, fail, stream, second, abandon, leave)),
    path("stream_async", stream_async),
]
