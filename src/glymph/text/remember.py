"""Keeps answers about short texts, for those who ask about the same ones again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
LONGEST = 1_000  # characters; a few thousand longer texts would fill the memory


def remember(
    most: int,
) -> Callable[[Callable[Concatenate[str, P], T]], Callable[Concatenate[str, P], T]]:
    """Returns a decorator that keeps the last answers of a function of a text, of short ones."""

    def decorate(work: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
        kept = lru_cache(maxsize=most)(work)

        def answer(text: str, /, *args: P.args, **options: P.kwargs) -> T:
            ask = kept if len(text) <= LONGEST else work
            return ask(text, *args, **options)  # type: ignore[arg-type]  # they can be hashed

        update_wrapper(answer, work)
        return answer

    return decorate
