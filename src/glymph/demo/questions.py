"""Questions about the half-year whose answers are known: the agent's own, and some in quite other
words.
"""

from __future__ import annotations

from collections.abc import Iterator

from glymph.demo.life import stories

Answers = tuple[
    str, ...
]  # the refs that answer a question: the statement, and the same in other words

# No word of a question that tells anything stands in its answer. By ref of the answer.
OTHER_WORDS = {
    "mira-dog": "Does she own a pet?",
    "garden": "What vegetables does our boss cultivate?",
    "mira-brother": "Which relative of hers is speculating too?",
    "home-tallinn": "Where is her apartment now?",
    "quiet-hours": "When should we let her sleep?",
    "alert-text": "How do we reach her when something is burning?",
    "report-short": "How brief must her morning briefing be?",
    "weekend-no": "May we do business on days off?",
    "sleep-rule": "Is being exhausted late in the evening expensive?",
    "no-averaging": "Can I buy more while I am under water?",
    "pause-after-three": "When do we take a break following a bad streak?",
    "goal-drawdown": "What is the largest decline from the peak we accept?",
    "thin-breaks": "Why distrust a move that hardly anybody participates in?",
    "backup-venue": "Why are some funds parked elsewhere?",
    "tax-tallinn": "How much does the state take in her new country?",
    "clock-drift": "How inaccurate is the computer's time?",
    "ev-rain": "What did the bad weather do to the electricity?",
    "farewell-tobias": "What did the colleague bring when he quit?",
    "coffee-bet": "What was the wager about?",
}


def own_questions() -> Iterator[tuple[str, Answers]]:
    """What the agent asks in its life, as far as the answer still holds at the end."""
    told = stories()
    untrue = {story.changes for story in told}
    for story in told:
        if story.question is not None and story.ref not in untrue:
            yield story.question, _answers(story.ref)


def questions_in_other_words() -> Iterator[tuple[str, Answers]]:
    for ref, question in OTHER_WORDS.items():
        yield question, _answers(ref)


def _answers(ref: str) -> Answers:
    return (ref, f"{ref}-again")
