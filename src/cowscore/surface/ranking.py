"""Which texts answer a query: a lexical ranking, and the shape that any other ranking must have.

`bm25` knows words only. A query in words that no text uses finds nothing, which is how a vocabulary gap between prompts
and an application becomes visible. To search by meaning instead, give a `Surface` a ranker over an embedding model:
`lambda texts: (vectors := embed(texts), lambda query: vectors @ embed([query])[0])[1]`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

Ranker = Callable[[Sequence[str]], Callable[[str], Sequence[float]]]
"""Texts -> (query -> one score per text, higher is better; a text with a score of 0 or less is no answer)."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_STOP_WORDS = """
    a all an and any are as at be by each every find for from get give how i in into is it its me my not of on or show
    that the their this to what which with
"""
_STOP = frozenset(_STOP_WORDS.split())
_K1, _B = 1.2, 0.75
"""The usual constants of BM25: saturation of repeated words, weight of a text's length."""


def words(text: str) -> list[str]:
    """Words of `text` in lower case without plural endings, split at case changes, underscores, slashes and hyphens.

    Stop words are left out: `"/work-items/{pk}"` gives `["work", "item", "pk"]`.
    """
    found = (_singular(word.lower()) for word in _WORD.findall(text))
    return [word for word in found if word not in _STOP]


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def bm25(texts: Sequence[str]) -> Callable[[str], Sequence[float]]:
    """A ranker by the words that query and text share (Okapi BM25 with a never negative idf)."""
    counts = [Counter(words(text)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    containing = Counter(word for count in counts for word in count)

    def score(query: str) -> Sequence[float]:
        totals = [0.0] * len(texts)
        for word in set(words(query)):
            idf = math.log(1 + (len(texts) - containing[word] + 0.5) / (containing[word] + 0.5))
            for index, count in enumerate(counts):
                if times := count[word]:
                    norm = _K1 * (1 - _B + _B * lengths[index] / mean)
                    totals[index] += idf * times * (_K1 + 1) / (times + norm)
        return totals

    return score
