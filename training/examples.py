"""Turn written cases into examples: two texts, a task, and the right answer.

Frames are drawn from anew in every pass, so that wordings meet in ever other pairs; `draw_…` takes
a random source for that. `list_…` gives the fixed examples that accuracy is measured on.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from glymph.reader.wording import (
    RELATIONS,
    TARGETS,
    WORTHS,
    Pair,
    Said,
    Span,
    word_keeping,
    word_relation,
    word_relevance,
    word_target,
    word_worth,
)
from training.cases import (
    NONE,
    PART,
    REPLACES,
    SAME,
    Case,
    is_named,
    link_statements,
    list_texts,
)

NEAREST = 4  # texts of other cases that a pair is compared with
NOT_SAME = -2  # the texts differ; how, the case does not say
LEFT, ALL, IN_PART = (TARGETS.index(word) for word in ("none", "all", "part"))
PREFIXES = (
    *("Note: ", "TODO: ", "User: ", "FYI: ", "- ", "* ", "[log] ", "memo: ", "Update: ", "> "),
    *("1. ", "Assistant: ", "fact: ", "[note] ", "• ", "me: ", "Reminder: "),
)
Near = Callable[[str], list[str]]


class Example(NamedTuple):
    """Two texts, the task, and the answer; those of one group are judged together."""

    task: str
    pair: Pair
    label: int
    cuts: tuple[str, ...] | None = None
    group: int = -1
    lang: str = "en"
    odds: float | None = None  # how relevant a teacher holds the text to be
    shares: tuple[float, ...] = ()  # of people who gave each answer, where several were asked
    # of a scene of several texts: where each begins, and where stands what is meant
    starts: tuple[int, ...] | None = None
    places: tuple[Span, ...] = ()


def roughen(text: str, rng: random.Random) -> str:
    """Write a text as hurried people do, now and then."""
    chance = rng.random()
    if chance < 0.07:
        return rng.choice(PREFIXES) + text
    if chance < 0.10:
        return text.lower()
    if chance < 0.13:
        return text.rstrip(".。!")
    if chance < 0.14:
        return f'"{text}"'
    return text


class Drawer:
    """Draws the examples of one pass."""

    def __init__(self, rng: random.Random, frames: list[Case], near: Near) -> None:
        self.rng, self.near = rng, near
        self.frames = frames
        self.named = [frame for frame in frames if is_named(frame)]
        self.english = [frame for frame in self.named if frame["lang"] == "en"]
        self.by_text = {text: frame for frame in frames for text in list_texts(frame)}
        self.groups = 0
        self.ways: dict[str, Callable[[Case], Iterator[Example]]] = {
            "frames": self.draw_frame,
            "facts": self.draw_fact,
            "conversations": self.draw_conversation,
            "chats": self.relate_conversation,
            "dialogues": self.ask_dialogue,
            "requests": list_request,
            "questions": self.ask_question,
            "taught": self.ask_taught,
            "worth": self.grade,
            "duplicates": self.compare_duplicates,
            "pairs": self.compare_pair,
        }

    def draw(self, cases: dict[str, list[Case]]) -> Iterator[Example]:
        """Draw one pass over these cases."""
        for kind, draw in self.ways.items():
            for case in cases.get(kind, ()):
                language = case.get("lang", "en")
                for example in draw(case):
                    yield example._replace(lang=language)

    def draw_frame(self, frame: Case) -> Iterator[Example]:
        """Relate the texts of a frame, name what requests mean of them, and ask for it."""
        for _ in range(3):
            yield from self.relate_frame(frame)
        yield from self.target_frame(frame)
        yield from self.ask_frame(frame)

    def draw_fact(self, fact: Case) -> Iterator[Example]:
        """Relate the texts of a fact."""
        for _ in range(2):
            yield from self.relate_frame(fact)

    def draw_conversation(self, conversation: Case) -> Iterator[Example]:
        """Relate the statements of a conversation, and read them one by one.

        Those with a form are told as people tell them, over months; they are met twice.
        """
        for _ in range(2 if "form" in conversation else 1):
            yield from self.relate_conversation(conversation)
        yield from self.read_conversation(conversation)

    def grade(self, case: Case) -> Iterator[Example]:
        """Ask what a text is worth, twice."""
        for _ in range(2):
            text = roughen(case["text"], self.rng)
            yield Example("worth", word_worth(text), WORTHS.index(case["worth"]))

    def compare_pair(self, case: Case) -> Iterator[Example]:
        """Compare two texts of which the relation is known, twice, and one with a stranger."""
        for _ in range(2):
            yield self._relate(case["newer"], case["older"], RELATIONS.index(case["relation"]))
        yield from self._compare_stranger(case["newer"], NONE)

    def _relate(self, newer: str, older: str, label: int) -> Example:
        pair = word_relation(roughen(newer, self.rng), roughen(older, self.rng))
        return Example("relation", pair, label)

    def _compare_stranger(self, text: str, label: int) -> Iterator[Example]:
        """Compare a text with one that is near in meaning, and of another case."""
        near = self.near(text)[:NEAREST]
        if near:
            yield self._relate(text, self.rng.choice(near), label)

    def _open_group(self) -> int:
        self.groups += 1
        return self.groups

    def _strangers(self, frame: Case, text: str, count: int) -> list[str]:
        """Pick texts of other subjects: near ones where both are named, any otherwise.

        Beside English ones stand only English ones: that is what a teacher can judge.
        """
        found: list[str] = []
        english = frame["lang"] == "en"
        if is_named(frame):
            subject = set(frame["subject"].casefold().split())
            for other in self.near(text):
                owner = self.by_text.get(other)
                if owner is None:  # of a pair that says what a frame says, too
                    continue
                apart = not subject & set(owner["subject"].casefold().split())
                fits = owner["lang"] == "en" or not english
                if apart and fits and owner is not frame and is_named(owner):
                    found.append(other)
        if len(found) > count:
            return self.rng.sample(found, count)
        pool = self.english if english else self.named
        while len(found) < count and len(pool) > 1:
            other_frame = self.rng.choice(pool)
            if other_frame is not frame:
                found.append(self.rng.choice(list_texts(other_frame)))
        return found

    def _rename(self, frame: Case, text: str) -> str | None:
        """Put another subject into a text, if it names its own."""
        other = self.rng.choice(self.named)["subject"]
        subject = frame["subject"]
        if subject not in text or other.casefold() in subject.casefold():
            return None
        if subject.casefold() in other.casefold() or len(other.split()) != len(subject.split()):
            return None
        return text.replace(subject, other)

    def relate_frame(self, frame: Case) -> Iterator[Example]:
        """Set one statement of a frame against others, of it and of other frames."""
        rng = self.rng
        values = ["old", "new"]
        if rng.random() < 0.25:  # the value comes back
            values.reverse()
        before, after = (frame[value] for value in values)
        statement = rng.choice(after)
        if values[1] == "new" and frame.get("long_new") and rng.random() < 0.15:
            statement = frame["long_new"]
        candidates = [(rng.choice(before), REPLACES)]
        if rng.random() < 0.5:
            candidates.append((rng.choice(before), REPLACES))
        same = [text for text in after if text != statement]
        if same and statement != frame.get("long_new"):
            candidates.append((rng.choice(same), SAME))
        if rng.random() < 0.1:  # what was said once is said again, word for word
            candidates.append((statement, SAME))
        if values[1] == "new" and frame["compound"]:
            candidates.append((rng.choice(frame["compound"])["text"], PART))
            if frame.get("long_old") and rng.random() < 0.35:
                candidates.append((frame["long_old"], PART))
        others = [other["text"] for other in frame["other"]]
        candidates += [(text, NONE) for text in rng.sample(others, min(3, len(others)))]
        candidates += [(text, NONE) for text in self._strangers(frame, statement, 2)]
        candidates += self._vary(frame, statement, before, same)
        if rng.random() < 0.2:  # a statement beside the fact replaces nothing of it
            statement = rng.choice(others)
            candidates = [
                (text, NONE)
                for text in (
                    rng.choice(before),
                    rng.choice(after),
                    *self._strangers(frame, statement, 2),
                )
            ]
        prefix = rng.choice(PREFIXES) if rng.random() < 0.06 else ""
        group = self._open_group()
        first = prefix + roughen(statement, rng)
        for text, label in candidates:
            second = prefix + roughen(text, rng)
            yield Example("relation", word_relation(first, second), label, group=group)

    def _vary(
        self, frame: Case, statement: str, before: list[str], same: list[str]
    ) -> list[tuple[str, int]]:
        """Make near misses: another subject, another number."""
        found = []
        if is_named(frame) and self.rng.random() < 0.4:
            text = self.rng.choice([*before, *same])
            if frame["subject"] in statement and (renamed := self._rename(frame, text)):
                found.append((renamed, NONE))
        if same and self.rng.random() < 0.4:
            text = self.rng.choice(same)
            shared = set(re.findall(r"\d+", statement)) & set(re.findall(r"\d+", text))
            if shared:
                number = self.rng.choice(sorted(shared))
                other = str(max(0, int(number) + self.rng.choice((-7, -2, -1, 1, 3, 10, 25))))
                if other != number and len(number) < 9:
                    found.append((re.sub(rf"(?<!\d){number}(?!\d)", other, text), REPLACES))
        return found

    def target_frame(self, frame: Case) -> Iterator[Example]:
        """Ask how much of each text a request means."""
        rng = self.rng
        others = [other["text"] for other in frame["other"]]
        for _ in range(3):
            name = rng.choice(frame["names"])
            verb = "supersede" if rng.random() < 0.45 else rng.choice(("release", "purge"))
            new = rng.choice(frame["new"]) if verb == "supersede" else None
            rows = [(rng.choice(frame["old"]), ALL), (rng.choice(others), LEFT)]
            rows.append((rng.choice(others), LEFT))
            if verb != "supersede" and rng.random() < 0.5:
                rows.append((rng.choice(frame["new"]), ALL))
            if rng.random() < 0.4:
                rows += [(text, LEFT) for text in self._strangers(frame, rows[0][0], 1)]
            for text, label in rows:
                yield _target(verb, name, new, roughen(text, rng), label)
            cut = rng.choice(frame["compound"])
            yield _target(verb, name, new, cut["text"], IN_PART, (cut["cut"],))
        if not frame["about"]:
            return
        about = rng.choice(frame["about"])
        verb = rng.choice(("release", "purge"))
        rows = [(rng.choice(frame["old"] + frame["new"]), ALL)]
        for mine, label in ((True, ALL), (False, LEFT)):
            texts = [other["text"] for other in frame["other"] if other["about"] is mine]
            rows += [(text, label) for text in rng.sample(texts, min(2, len(texts)))]
        rows += [(text, LEFT) for text in self._strangers(frame, rows[0][0], 1)]
        for text, label in rows:
            yield _target(verb, about, None, roughen(text, rng), label)

    def ask_frame(self, frame: Case) -> Iterator[Example]:
        """Ask for the fact of a frame, in words that do not say its value."""
        rng = self.rng
        texts = [(rng.choice(frame["old"] + frame["new"]), 1)]
        longs = [frame[key] for key in ("long_old", "long_new") if frame.get(key)]
        texts += [(rng.choice(longs), 1)] if longs and rng.random() < 0.5 else []
        others = [other["text"] for other in frame["other"]]
        texts += [(text, 0) for text in rng.sample(others, min(2, len(others)))]
        texts += [(text, 0) for text in self._strangers(frame, texts[0][0], 2)]
        yield from self._ask(rng.choice(frame["names"]), texts)

    def ask_question(self, case: Case) -> Iterator[Example]:
        """Ask a written question of the texts that answer it and those that do not."""
        texts = [(text, 1) for text in case["positive"]] + [(t, 0) for t in case["negative"]]
        yield from self._ask(case["question"], texts)

    def ask_dialogue(self, talk: Case) -> Iterator[Example]:
        """Ask the questions of a dialogue of the turns that answer, and of others nearest first."""
        for question in talk["questions"]:
            right = [talk["turns"][place] for place in question["answers"]]
            wrong = self._sort_near(question["q"], [t for t in talk["turns"] if t not in right])
            picked = self.rng.sample(wrong[:10], 5) + self.rng.sample(wrong[10:], 2)
            yield from self._ask(question["q"], [(t, 1) for t in right] + [(t, 0) for t in picked])

    def _sort_near(self, text: str, others: list[str]) -> list[str]:
        """Sort texts of the same talk by how near they are to one."""
        order = {other: rank for rank, other in enumerate(self.near(text))}
        return sorted(others, key=lambda other: order.get(other, len(order)))

    def ask_taught(self, case: Case) -> Iterator[Example]:
        """Ask a question of texts that a teacher has scored: the best, and some of the others."""
        order = sorted(case["found"], key=lambda one: -one[1])
        picked = order[:3] + self.rng.sample(order[3:], min(6, max(0, len(order) - 3)))
        for text, score in picked:
            odds = score / 2  # what the teacher is sure of is not all true
            pair = word_relevance(case["q"], roughen(text, self.rng))
            yield Example("relevance", pair, int(odds > 0), odds=odds)

    def _ask(self, question: str, texts: list[tuple[str, int]]) -> Iterator[Example]:
        group = self._open_group()
        for text, label in texts:
            pair = word_relevance(question, roughen(text, self.rng))
            yield Example("relevance", pair, label, group=group)

    def relate_conversation(self, conversation: Case) -> Iterator[Example]:
        """Set the statements of a conversation against the earlier ones nearest to them."""
        links = link_statements(conversation)
        texts = [statement["text"] for statement in conversation["statements"]]
        for place in range(1, len(texts)):
            linked = {old: kind for (new, old), kind in links.known.items() if new == place}
            free = [
                old for old in range(place) if old not in linked and (place, old) not in links.open
            ]
            order = {text: rank for rank, text in enumerate(self.near(texts[place]))}
            free.sort(key=lambda old: order.get(texts[old], 10**6))
            near, far = free[:12], free[12:]
            picked = self.rng.sample(near, min(8, len(near)))
            picked += self.rng.sample(far, min(2, len(far)))
            group = self._open_group()
            first = roughen(texts[place], self.rng)
            for old, kind in [*linked.items(), *((old, NONE) for old in picked)]:
                second = roughen(texts[old], self.rng)
                yield Example("relation", word_relation(first, second), kind, group=group)

    def read_conversation(self, conversation: Case) -> Iterator[Example]:
        """Ask the questions of a conversation, its requests, and what its statements are worth."""
        rng = self.rng
        texts = {s["label"]: s["text"] for s in conversation["statements"]}
        for question in conversation.get("questions", ()):
            right = [*question["answers"], *question.get("stale", ())]
            others = [text for label, text in texts.items() if label not in right]
            wrong = self._sort_near(question["q"], others)
            picked = rng.sample(wrong[:8], 4) + rng.sample(wrong[8:], 2)
            rows = [(texts[label], 1) for label in right] + [(text, 0) for text in picked]
            yield from self._ask(question["q"], rows)
        for request in conversation.get("forget", ()):
            named = {"all": request.get("gone", ()), "none": request.get("stay", ())}
            rows = [(lb, TARGETS.index(word)) for word, labels in named.items() for lb in labels]
            rows += [(label, IN_PART) for label in request.get("part", ())]
            rest = [label for label in texts if label not in dict(rows)]
            rows += [(label, LEFT) for label in rng.sample(rest, min(3, len(rest)))]
            for label, target in rows:
                yield _target(
                    request.get("verb", "release"), request["request"], None, texts[label], target
                )
        for statement in conversation["statements"]:
            # Most statements are lasting; the others are to be met as often.
            share = 0.25 if statement.get("worth") == "lasting" else 1.0
            if "worth" in statement and rng.random() < share:
                text = roughen(statement["text"], rng)
                yield Example("worth", word_worth(text), WORTHS.index(statement["worth"]))

    def compare_duplicates(self, case: Case) -> Iterator[Example]:
        """Compare two texts of which it is known whether they say the same, and strangers."""
        label = SAME if case["same"] else NOT_SAME
        for first, second in ((case["a"], case["b"]), (case["b"], case["a"])) * 2:
            yield self._relate(first, second, label)
        for text in (case["a"], case["b"]):
            yield from self._compare_stranger(text, NOT_SAME)


def _target(
    verb: str,
    request: str,
    new: str | None,
    text: str,
    label: int,
    cuts: tuple[str, ...] | None = None,
    lang: str = "en",
) -> Example:
    """Make an example of a request; where the whole is meant, the whole is the span."""
    if label != IN_PART:
        cuts = (text,) if label == ALL else ()
    return Example("target", word_target(verb, request, new, text), label, cuts, lang=lang)


def list_request(case: Case) -> Iterator[Example]:
    """Give the examples of a written request case."""
    for row in case["rows"]:
        cuts = row["cut"]
        label = ALL if cuts == "all" else IN_PART if cuts else LEFT
        yield _target(
            case["verb"],
            case["request"],
            case.get("new"),
            row["text"],
            label,
            tuple(cuts) if label == IN_PART else None,
            case.get("lang", "en"),
        )


def list_relations(frames: list[Case]) -> list[Example]:
    """Give the fixed pairs of frames on which the accuracy of relations is measured."""
    found = []
    for number, frame in enumerate(frames):
        rng = random.Random(f"{frame['subject']}|{frame['domain']}|{frame['old'][0]}")
        others = [other["text"] for other in frame["other"]]
        new, old = rng.sample(frame["new"], 2), rng.sample(frame["old"], 2)
        pairs = [
            (new[0], old[0], REPLACES),
            (new[1], old[1], REPLACES),
            (new[0], new[1], SAME),
            (old[0], old[1], SAME),
            (new[0], frame["compound"][0]["text"], PART),
            *((rng.choice(new), text, NONE) for text in rng.sample(others, 3)),
            (rng.choice(others), old[0], NONE),
        ]
        if frame.get("long_old"):
            pairs.append((frame["long_new"], frame["long_old"], PART))
        stranger = frames[(number + 1 + rng.randrange(len(frames) - 1)) % len(frames)]
        pairs.append((new[0], rng.choice(stranger["old"]), NONE))
        lang = frame["lang"]
        found += [
            Example("relation", word_relation(first, second), label, lang=lang)
            for first, second, label in pairs
        ]
    return found


def list_targets(frames: list[Case], requests: list[Case]) -> list[Example]:
    """Give the fixed requests on which the accuracy of targets and spans is measured."""
    found = [example for case in requests for example in list_request(case)]
    for frame in frames:
        rng = random.Random(f"{frame['subject']}|{frame['domain']}|{frame['new'][0]}")
        lang, others = frame["lang"], [other["text"] for other in frame["other"]]
        cut = rng.choice(frame["compound"])
        rows = [
            (rng.choice(frame["old"]), ALL, None),
            *((text, LEFT, None) for text in rng.sample(others, 2)),
            (cut["text"], IN_PART, (cut["cut"],)),
        ]
        verb = rng.choice(("supersede", "release", "purge"))
        new = rng.choice(frame["new"]) if verb == "supersede" else None
        name = rng.choice(frame["names"])
        found += [_target(verb, name, new, text, label, cuts, lang) for text, label, cuts in rows]
        mine = [other["text"] for other in frame["other"] if other["about"] is True]
        strange = [other["text"] for other in frame["other"] if other["about"] is False]
        if frame["about"] and mine and strange:
            about = rng.choice(frame["about"])
            found.append(_target("release", about, None, rng.choice(mine), ALL, lang=lang))
            found.append(_target("release", about, None, rng.choice(strange), LEFT, lang=lang))
    return found


def list_worths(cases: dict[str, list[Case]]) -> list[Example]:
    """Give the fixed texts on which the accuracy of worth is measured."""
    graded = [(case["text"], case["worth"], case["lang"]) for case in cases["worth"]]
    for conversation in cases["conversations"]:
        graded += [
            (s["text"], s["worth"], conversation["lang"])
            for s in conversation["statements"]
            if "worth" in s
        ]
    return [
        Example("worth", word_worth(text), WORTHS.index(worth), lang=lang)
        for text, worth, lang in graded
    ]


def list_keepings(talks: list[Case]) -> list[Example]:
    """Give the sentences of marked talks, and the commands, each with what stands before it."""
    found: list[Example] = []
    for talk in talks:
        last: dict[str, str] = {}
        for turn in talk["turns"]:
            role = turn["role"]
            if role == "tool":
                found += _list_commands(turn, last.get("user", ""), talk["lang"])
                continue
            heard = last.get("assistant" if role == "user" else "user", "")
            before: list[str] = []
            for text, told in turn["s"]:
                said = Said(role, text, " ".join(before), heard)
                found.append(_make_keeping(said, told, talk["lang"]))
                before.append(text)
            last[role] = " ".join(before)
    return found


def _list_commands(turn: Case, heard: str, lang: str) -> list[Example]:
    """Give the commands that a tool's turn begins its lines with."""
    return [
        _make_keeping(Said("tool", text, "", heard), told, lang)
        for text, told in turn["s"]
        if text.startswith("$ ")
    ]


def _make_keeping(said: Said, told: int | list[float], lang: str) -> Example:
    """Give a sentence with what one person made of it, or with the shares of several."""
    if isinstance(told, int):
        return Example("keep", word_keeping(said), told, lang=lang)
    label = told.index(max(told))
    return Example("keep", word_keeping(said), label, lang=lang, shares=tuple(told))
