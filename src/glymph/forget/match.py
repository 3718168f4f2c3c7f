"""The search for the clauses that a request means.

Identifiers count whole and by type, then names, then words; similarity decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from glymph.forget import wording
from glymph.forget.names import bare, find_capitalised_inside, places
from glymph.forget.request import Request, is_topic
from glymph.text.clauses import Clause, Clauses, read_clauses
from glymph.text.grammar import FUNCTION, PRONOUNS, VERBS
from glymph.text.identifiers import Closure, Identifier, aliases, find_matching, identifiers
from glymph.text.identifiers.aloud import find_rows
from glymph.text.identifiers.spellings import find_spellings, is_another_number
from glymph.text.negation import IN_A_CLAUSE
from glymph.text.numbers import BARE_FIGURE
from glymph.text.scripts import flat, fold
from glymph.text.spans import Span, place_span
from glymph.text.words import NAME_WORD, UNSPACED_OR_HANGUL, stem

Name = tuple[str, ...]

_QUAD = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\w)")
_RANDOM = re.compile(r"(?=\w*\d)(?=\w*[a-z])\w{6,}", re.IGNORECASE)
ENOUGH = 0.34  # of the words of a request, where names or figures are met as well
ENOUGH_ALONE = 0.55  # where there are only words
LONG_TOKEN = 8  # characters of a hyphenated word that names one thing
LEAST_NUMBER = 4  # characters of a number that a longer code may go on from
BY_TOPIC = 0.7  # what a word counts that is met by its topic


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory as the planner sees it."""

    id: str
    text: str
    version: int = 0
    entities: tuple[str, ...] = ()
    pinned: bool = False
    protected: bool = False
    current: bool = True  # not replaced by a newer one
    heir: str | None = None  # the current memory at the end of what replaced it


@dataclass(eq=False)
class Unit:
    """A clause of a statement with what it is about.

    Pronouns and shared subjects are resolved as far as can be.
    """

    statement: Statement
    parts: Clauses
    at: int
    about: str

    @property
    def clause(self) -> Clause:
        return self.parts.clauses[self.at]

    @cached_property
    def identifiers(self) -> tuple[Identifier, ...]:
        return identifiers(self.clause.text)

    @cached_property
    def quads(self) -> frozenset[str]:
        found = _QUAD.findall(flat(self.clause.text)[0])
        return frozenset(".".join(str(int(part)) for part in quad.split(".")) for quad in found)

    @cached_property
    def attributes(self) -> frozenset[str]:
        return frozenset(topic for word in self.words for topic in wording.attributes(word))

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(bare(word) for word in NAME_WORD.findall(self.about))

    @cached_property
    def figures(self) -> frozenset[str]:
        plain = flat(self.clause.text)[0]
        return frozenset(BARE_FIGURE.findall(plain)) | {row[0] for row in find_rows(plain)}

    def find(self, wanted: Identifier) -> list[tuple[Identifier, str]]:
        """Returns where the wanted identifier stands, each with what it means if that is open."""
        text = self.clause.text
        plain, kept = flat(text)
        found = self.identifiers if kept is None else identifiers(plain)
        return [
            (
                place_span(
                    Span(wanted.type, wanted.key, each.start, each.end, wanted.others), text, kept
                ),
                each.meant,
            )
            for each in find_spellings(wanted, plain, found)
        ]

    def learn(self, found: Sequence[Identifier]) -> None:
        """Keeps identifiers that only a request could tell in place of what was seen of them."""
        others = [
            each
            for each in self.identifiers
            if not any(each.start < one.end and one.start < each.end for one in found)
        ]
        self.identifiers = tuple(sorted([*others, *found], key=lambda each: each.start))

    @cached_property
    def topics(self) -> frozenset[str]:
        return frozenset(topic for word in self.words for topic in wording.topics(word))

    @cached_property
    def negated(self) -> bool:
        return IN_A_CLAUSE.search(self.clause.text) is not None


def units(statements: Iterable[Statement]) -> list[Unit]:
    """Every clause of every statement."""
    return [unit for statement in statements for unit in _units(statement)]


def _units(statement: Statement) -> list[Unit]:
    parts = read_clauses(statement.text)
    found: list[Unit] = []
    antecedent = ""
    for at, clause in enumerate(parts.clauses):
        first = NAME_WORD.search(clause.text)
        lead = bare(first[0]).lower() if first else ""
        leans = lead in PRONOUNS and not clause.subject and first is not None and first[0] != "I"
        about = f"{antecedent}: {clause.whole}" if leans and antecedent else clause.whole
        if not leans and not clause.inner:
            antecedent = _names_in(clause.whole) or antecedent
        if statement.entities and len(statement.entities) == 1:
            about = f"{statement.entities[0]}: {about}"
        found.append(Unit(statement, parts, at, about))
    return found


def _names_in(text: str) -> str:
    found = re.match(r"(?:[^\W\d_][\w'’-]* ?){1,4}", text)
    head = found[0] if found else ""
    return " ".join(word for word in head.split() if word[:1].isupper())


def by_identifier(request: Request, among: Sequence[Unit]) -> list[Unit]:
    """The clauses that hold an identifier of the request, whole, in any spelling."""
    everything = [found for unit in among for found in unit.identifiers]
    hits: dict[int, Unit] = {}
    learned: dict[int, list[Identifier]] = {}
    for wanted in request.strong:
        meant = {
            (found.type, found.key)
            for found in find_matching(wanted, everything)
            if not is_another_number(wanted, found)
        }
        spelled = _find_spelled(wanted, among)
        for unit in among:
            held = any((found.type, found.key) in meant for found in unit.identifiers)
            if held or id(unit) in spelled or (wanted.type == "ip" and wanted.key in unit.quads):
                hits[id(unit)] = unit
            if not held and id(unit) in spelled:
                learned.setdefault(id(unit), []).extend(spelled[id(unit)])
        if not meant and not hits:
            hits |= {id(unit): unit for unit in _find_extended(wanted, among)}
    for number, found in learned.items():
        hits[number].learn(_without_overlaps(found))
    return list(hits.values())


def _find_spelled(wanted: Identifier, among: Sequence[Unit]) -> dict[int, list[Identifier]]:
    """Returns for each clause where the wanted identifier stands in some spelling.

    Where it may mean several things, those count that are surely meant.
    """
    found = [(unit, each, meant) for unit in among for each, meant in unit.find(wanted)]
    several = len({meant for _, _, meant in found if meant}) > 1
    spelled: dict[int, list[Identifier]] = {}
    for unit, each, meant in found:
        if not (several and meant):
            spelled.setdefault(id(unit), []).append(each)
    return spelled


def _without_overlaps(found: Sequence[Identifier]) -> list[Identifier]:
    kept: list[Identifier] = []
    for each in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def _find_extended(wanted: Identifier, among: Sequence[Unit]) -> list[Unit]:
    """Returns the clauses with the one longer code that begins with the wanted code.

    The wanted code must look random, and the longer one goes on after a separator.
    """
    if wanted.type not in ("code", "hash") or not _RANDOM.search(wanted.text):
        return []
    head = fold(wanted.text)
    found = [
        (fold(each.text), unit)
        for unit in among
        for each in unit.identifiers
        if each.type == wanted.type and re.match(rf"{re.escape(head)}[-_.:/]", fold(each.text))
    ]
    return [unit for _, unit in found] if len({text for text, _ in found}) == 1 else []


def find_longer(request: Request, among: Sequence[Unit]) -> list[Unit]:
    """Returns the clauses with a longer code that begins with a number of the request: 4471-B."""
    heads = tuple(
        f"{key}-"
        for wanted in request.strong
        if wanted.type == "code"
        for _, key in wanted.readings
        if len(key) >= LEAST_NUMBER
    )
    return [
        unit
        for unit in among
        if any(found.type == "code" and found.key.startswith(heads) for found in unit.identifiers)
    ]


@dataclass(frozen=True, slots=True)
class Sought:
    """A request as the texts at hand let it be understood.

    It has each name with all it is known by, and plain words.
    """

    names: tuple[tuple[Name, ...], ...]  # alternatives of each name that is asked for
    words: tuple[str, ...]
    unknown: tuple[str, ...]  # names that nothing here carries


def known_as(among: Sequence[Unit]) -> Closure:
    """Returns what the texts say is one thing."""
    texts = dict.fromkeys(unit.statement.text for unit in among)
    return Closure(pair for text in texts for pair in aliases(text))


def sought(request: Request, among: Sequence[Unit], closure: Closure) -> Sought:
    """Returns the names and words of a request as the texts have them.

    Names are names if a text has them as such; else they are words, if a text or a topic knows
    them.
    """
    names: list[tuple[Name, ...]] = []
    words = list(request.words)
    unknown: list[str] = []
    for run in request.names:
        for name in _present(run, among, words, unknown):
            others = {tuple(NAME_WORD.findall(alias)) for alias in closure.of(" ".join(name))} - {
                ()
            }
            names.append(tuple(dict.fromkeys([name, *sorted(others)])))
    left = []
    for word in words:
        if (
            len(word) > 1
            and not wording.attributes(word)
            and any(_inside(unit.about, word) for unit in among)
        ):
            names.append(((word,),))
        else:
            left.append(word)
    openings = find_openings(request)
    strange = tuple(word for word in unknown if word not in openings)
    return Sought(tuple(dict.fromkeys(names)), tuple(dict.fromkeys(left)), strange)


def find_openings(request: Request) -> frozenset[str]:
    """Returns the words that have a capital only because they begin a sentence: "Wipe all of it."

    A request that is no sentence begins with what it is about.
    """
    if is_topic(request.text):
        return frozenset()
    inside = find_capitalised_inside(request.text)
    return frozenset(
        word for run in request.names for word in run if word[0].isupper() and word not in inside
    )


def _inside(text: str, word: str) -> bool:
    """Returns whether a word is written like a name inside a sentence.

    A word that is the whole subject of a sentence counts, too.
    """
    spans = places(text, (word,))
    if word[0].islower() or word[0].isupper():
        spans = tuple(
            span
            for span in spans
            if text[: span[0]].rstrip()[-1:] not in ("", ".", "!", "?", ":", ";")
        )
        return bool(spans) and fold(word) not in wording.NOISE
    return bool(spans)


def _present(run: Name, among: Sequence[Unit], words: list[str], unknown: list[str]) -> list[Name]:
    """The run as a name, or as several, or as words; what is none of these is unknown."""
    if any(places(unit.about, run) for unit in among):
        return [run]
    found: list[Name] = []
    owned = False  # by a name in the genitive, so that what follows is a thing: Karins Trainingstag
    for token in run:
        for form in (token, token[:-1] if len(token) > 3 and token.endswith("s") else token):
            if any(places(unit.about, (form,)) for unit in among):
                found.append((form,))
                owned = form != token
                break
        else:
            if (
                owned
                or wording.attributes(token)
                or any(
                    lexical(token, word) for unit in among for word in unit.words if word.islower()
                )
            ):
                words.append(token)
            else:
                unknown.append(token)
    joined = tuple(token for (token,) in found)
    if len(joined) > 1 and any(places(unit.about, joined) for unit in among):
        return [joined]
    return found


def names_met(unit: Unit, wanted: Sought) -> bool:
    """Returns whether a clause is about every name asked for, under any of its names."""
    return all(any(_names(unit, name) for name in known) for known in wanted.names)


def still_named(text: str, wanted: Sought) -> bool:
    """Returns whether a text is about every name asked for."""
    return any(names_met(unit, wanted) for unit in units([Statement("", text)]))


def _names(unit: Unit, name: Name) -> bool:
    if len(name) == 1 and "@" in name[0]:
        return name[0].lower() in flat(unit.about)[0].lower()
    return bool(places(unit.about, name, strict=not name[0].islower()))


def figures_met(unit: Unit, request: Request) -> bool:
    return all(figure in unit.figures for figure in request.figures)


def dates_met(request: Request, among: Sequence[Unit]) -> list[Unit]:
    """The clauses that hold every date, time and amount of the request."""
    found = list(among)
    if not request.weak:
        return found
    everything = [each for unit in among for each in unit.identifiers]
    for wanted in request.weak:
        meant = {
            (each.type, each.key) for each in find_matching(wanted, everything)
        } or _without_year(wanted, everything)
        found = [
            unit
            for unit in found
            if any((each.type, each.key) in meant for each in unit.identifiers)
        ]
    return found


def _without_year(wanted: Identifier, everything: Sequence[Identifier]) -> set[tuple[str, str]]:
    """A day whose year only one of the two tells, if just one day is meant by it."""
    day = wanted.key[-6:]
    found = {
        ("date", each.key) for each in everything if each.type == "date" and each.key[-6:] == day
    }
    told = wanted.type == "date" and ("--" in wanted.key or all("--" in key for _, key in found))
    return found if told and len(found) == 1 else set()


def score(unit: Unit, wanted: Sought) -> float:
    """Returns how far a clause says the words of a request: 1 if all of them."""
    if not wanted.words:
        return 1.0
    extra = max(0, len(wanted.names) - 1)
    total = met = float(extra)
    for word in wanted.words:
        named = wording.attributes(word)
        weight = 0.6 if named else 1.0
        total += weight
        if any(lexical(word, said) for said in unit.words) or (
            UNSPACED_OR_HANGUL.search(word) and word in unit.about
        ):
            met += weight
        elif named & unit.topics or wording.topics(word) & unit.attributes:
            met += weight * BY_TOPIC
    return met / total


@lru_cache(maxsize=65536)
def lexical(word: str, said: str) -> bool:
    """Returns whether two words are forms of one."""
    one, other = fold(word), fold(said)
    if one == other or (
        one.isascii()
        and other.isascii()
        and (stem(one) == stem(other) or _root(one) == _root(other))
    ):
        return True
    if "-" in one and len(one) > LONG_TOKEN:
        return other.startswith(f"{one}-")  # a key without digits, told without its ending
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    longest = max(len(one), len(other))
    return shared >= 4 and shared >= longest - 3 and shared >= 0.66 * longest


def _root(word: str) -> str:
    """A word without the endings that change its last letter: "flies" and "flying"."""
    return re.sub("(?:ies|ied|ying|y)$", "y", word) if len(word) > 3 else word


def contrasts(unit: Unit, wanted: Sought) -> bool:
    """Returns whether a clause has the thing with another quality than the one asked for.

    An example is an old bike for a new one.
    """
    for quality, thing in pairwise(wanted.words):
        if wording.attributes(quality) or any(lexical(quality, said) for said in unit.words):
            continue
        for before, said in pairwise(unit.words):
            plain = (
                before.islower()
                and before not in FUNCTION | VERBS
                and not wording.attributes(before)
            )
            if plain and lexical(thing, said):
                return True
    return False


def heads_met(unit: Unit, wanted: Sought) -> bool:
    """Returns whether the last plain word of a request is met or names an attribute.

    That word says what the thing is.
    """
    plain = [word for word in wanted.words if not wording.attributes(word)]
    if not plain or len(wanted.words) == 1:
        return True
    met = [any(lexical(word, said) for said in unit.words) for word in plain]
    return met[-1] or not any(met) or sum(met) * 2 > len(met)


def polar(request: Request, found: Sequence[Unit]) -> list[Unit]:
    """Returns those that deny what the request denies, or state what it states."""
    if request.negated:
        return [unit for unit in found if unit.negated]
    if request.stated:
        return [unit for unit in found if not unit.negated]
    return list(found)


def rank(found: Sequence[Unit], likeness: Mapping[str, float]) -> list[Unit]:
    """The same, likest first: similarity only ranks."""
    return sorted(
        found, key=lambda unit: (-likeness.get(unit.statement.id, 0.0), unit.statement.id, unit.at)
    )
