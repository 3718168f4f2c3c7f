"""Which sentences about known episodes a lesson may state as facts.

Sentences were written by people who had not seen the checker: true ones, false ones, advice turned
round, and vague ones. A strong model, whose answers are recorded, has put each into statements
without seeing the episodes; what is counted here decides. Beside it stands what the check finds in
plain English alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.forgetting_cases import lines
from glymph.learn.episodes import Episode, make_episode
from glymph.learn.evidence.by_statements import judge_sentence
from glymph.learn.evidence.statements import check_statement
from glymph.learn.translate_prompt import question
from glymph.llm import open_model
from glymph.moments import micros

QUESTION = "Are true sentences about episodes accepted as facts, and false ones never?"

FOLDER = Path(__file__).parent / "cases" / "lessons"
ANSWERS = FOLDER / "answers"
NONCE = "0" * 12
WRONG = ("false", "inverted")


def run(options: Options) -> Figures:
    """Shares of true and of false sentences that are accepted as facts."""
    figures: dict[str, Figure] = {}
    for part, suffix in (("dev", ""), ("once", "_once"), ("second", "_second")):
        groups = lines(FOLDER / f"{part}.jsonl")
        groups = groups[: options.count(len(groups), least=1)]
        for way, judged, goals in (
            ("", judge_by_statements(groups), (90, 2)),
            ("_in_words", judge_in_words(groups), (None, None)),
        ):
            total = Counter(label for label, _ in judged)
            kept = Counter(label for label, kind in judged if kind == "counted")
            read = Counter(label for label, kind in judged if kind == "reading")
            wrong = sum(total[label] for label in WRONG)
            figures |= {
                f"true_accepted{way}{suffix}": Figure(
                    100 * kept["true"] / max(1, total["true"]),
                    f"% of {total['true']} true sentences accepted as facts",
                    at_least=goals[0],
                ),
                f"false_accepted{way}{suffix}": Figure(
                    100 * sum(kept[label] for label in WRONG) / max(1, wrong),
                    f"% of {wrong} false or inverted ones accepted as facts",
                    at_most=goals[1],
                ),
                f"vague_accepted{way}{suffix}": Figure(
                    100 * kept["vague"] / max(1, total["vague"]), "% of vague ones, as facts"
                ),
                f"false_read{way}{suffix}": Figure(
                    100 * sum(read[label] for label in WRONG) / max(1, wrong),
                    "% of false or inverted ones kept as readings, marked so",
                ),
            }
    return figures


def judge_by_statements(groups: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Judge every sentence by the statements that a strong model put it into."""
    model = open_model(f"recorded:{ANSWERS}")
    assert model is not None
    judged: list[tuple[str, str]] = []
    for group in groups:
        episodes = list_episodes(group)
        texts = [one["text"] for one in group["sentences"]]
        asked = question(texts, episodes, nonce=NONCE)
        statements = asked.parse(model.complete(asked.messages, asked.schema).text)
        for one, said in zip(group["sentences"], statements, strict=True):
            judged.append((one["label"], judge_sentence(one["text"], said, episodes).kind))
    return judged


def judge_in_words(groups: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Judge every sentence by its words alone."""
    judged: list[tuple[str, str]] = []
    for group in groups:
        episodes = list_episodes(group)
        for one in group["sentences"]:
            found = check_statement(one["text"], episodes)
            kind = "cut" if found.fault else "counted" if found.claims else "reading"
            judged.append((one["label"], kind))
    return judged


def list_episodes(group: Mapping[str, Any]) -> list[Episode]:
    """Give the episodes of a group as a store would."""
    found = []
    for one in group["episodes"]:
        at = datetime.fromisoformat(one["date"]).replace(tzinfo=UTC)
        known = dict(one["attributes"])
        if one.get("success") is not None:
            known.setdefault("success", one["success"])
        found.append(
            make_episode(
                one["id"], one["kind"], micros(at), one["title"], one.get("text", ""),
                attributes=known,
            )
        )  # fmt: skip
    return found
