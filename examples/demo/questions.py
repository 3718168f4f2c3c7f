"""Questions about the half-year whose answers are known.

The agent's own, and some in quite other words.
"""

from __future__ import annotations

from collections.abc import Iterator

from examples.demo.data import read_data
from examples.demo.story import read_stories

Answers = tuple[
    str, ...
]  # the refs that answer a question: the statement, and the same in other words

OTHER_WORDS: dict[str, str] = read_data("questions")  # by ref of the answer


def own_questions() -> Iterator[tuple[str, Answers]]:
    """Yields what the agent asks in its life, as far as the answer holds at the end."""
    stories = read_stories()
    untrue = {story.changes for story in stories}
    for story in stories:
        if story.question is not None and story.ref not in untrue:
            yield story.question, _answers(story.ref)


def questions_in_other_words() -> Iterator[tuple[str, Answers]]:
    for ref, question in OTHER_WORDS.items():
        yield question, _answers(ref)


def _answers(ref: str) -> Answers:
    return (ref, f"{ref}-again")
