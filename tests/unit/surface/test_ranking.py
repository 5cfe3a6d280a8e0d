"""The lexical ranking knows words, and only words."""

from __future__ import annotations

from cowscore.surface.ranking import bm25, words

TEXTS = [
    "list_work_items List work items /projects/{id}/work-items",
    "createLabel Create a label",
    "list_states States",
]


def test_words_are_split_at_case_and_punctuation_and_lose_their_plural() -> None:
    assert words("listWorkItems /work-items/{pk} HTTPStatus 42 the queries") == [
        *("list", "work", "item", "work", "item", "pk", "http", "status", "42", "query")
    ]


def test_the_text_with_the_words_of_the_query_wins() -> None:
    scores = bm25(TEXTS)("every work item")
    assert scores[0] > 0
    assert list(scores[1:]) == [0, 0]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    scores = bm25(TEXTS)("list state")
    assert scores[2] > scores[0] > 0


def test_words_that_no_text_uses_find_nothing() -> None:
    assert not any(bm25(TEXTS)("issue"))
    assert not any(bm25(TEXTS)(""))
    assert list(bm25([])("issue")) == []
