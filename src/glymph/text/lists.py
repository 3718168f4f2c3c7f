"""Takes one of several names or things out of a list, and fits the verb to those left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from glymph.text import grammar
from glymph.text.clauses import NAME, capitalise_like
from glymph.text.patterns import compile_late
from glymph.text.words import word_set

LONGEST = 1000  # characters of a clause with a list; these patterns take the square of its length

_OWNING = "|".join(sorted(grammar.PRONOUNS - word_set("i he she it we they you")))
_ITEM = rf"(?:(?:{_OWNING}) [^\W\d_]+ )?(?:{NAME}(?: {NAME}){{0,2}}|I\b)"
_ANDS = "|".join(sorted(map(re.escape, grammar.AND)))
_BEFORE = "|".join(sorted(map(re.escape, grammar.PREPOSITIONS)))
_JOINT = compile_late(
    rf"(?:(?P<both>(?:both|sowohl|either|beide)\s+))?(?P<items>{_ITEM}(?:, {_ITEM})*),? "
    rf"(?P<word>{_ANDS}) (?P<last>{_ITEM})(?P<rest>\s+\S+)?"
)


_BOTH = word_set("both all beide alle ambos ambas entrambi tous toutes каждый оба")


def without_name(text: str, is_meant: Callable[[str], bool]) -> str | None:
    """Returns the text without one of several names in a list; None without such a list.

    The verb is fitted to the names that are left.
    """
    for found in _joints(text) if len(text) <= LONGEST else ():
        items = [*re.split(r", ", found["items"]), found["last"]]
        kept = [item for item in items if not is_meant(item)]
        if len(kept) == len(items) or not kept:
            continue
        start = found.start("both") if found["both"] else found.start("items")
        subject = not text[:start].strip() or text[:start].rstrip()[-1:] in ",;:.!?"
        verb, rest = "", found["rest"] or ""
        after = text[found.end() :]
        if rest.strip().lower() in _BOTH and (following := re.match(r"\s+\S+", after)):
            rest, after = (
                (following[0], after[following.end() :]) if len(kept) == 1 else (rest, after)
            )
        possessive = kept[0].endswith(("'s", "’s"))
        if len(kept) == 1 and subject and rest and kept[0].lower() != "i" and not possessive:
            verb = grammar.of_one(rest.strip(), found["word"].lower())
            rest = rest[: len(rest) - len(rest.strip())] + verb
        listed = kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} {found['word']} {kept[-1]}"
        if found["both"] and len(kept) > 1:
            listed = found["both"] + listed
        return capitalise_like(text[:start] + listed + rest + after, text)
    return None


_WORDS = compile_late(
    rf"(?P<items>[^\W\d_][\w'’-]*(?:, [^\W\d_][\w'’-]*)*),? (?P<word>{_ANDS}) "
    rf"(?P<last>[^\W\d_][\w'’-]*)(?=$|[,;.]| (?!(?:{_BEFORE})\s))"
)
_DETERMINED = (
    r"(?:an?|the|his|her|their|my|our|one|two|three|four|ein|eine|einen|zwei|drei|une?|deux|una?"
    r"|dos|due|\d+) [^,;]+?"
)
_PHRASES = compile_late(
    rf"(?<!\w)(?P<items>{_DETERMINED}(?:, {_DETERMINED})*),? (?P<word>and|und|et|y"
    rf"|e) (?P<last>{_DETERMINED})$"
)
_GAPPED = compile_late(
    rf"^(?P<lead>.+?) (?P<one>\S+ (?P<how>{_BEFORE}) \S+) "
    r"(?:and|und|et|y|e|и) (?P<two>\S+ (?P=how) \S+)$"
)


def without_phrase(text: str, is_meant: Callable[[str], bool]) -> str | None:
    """Returns the text without one of several things told at length, or of two told with one verb.

    None if there is no such thing to leave out.
    """
    if len(text) > LONGEST:
        return None
    gapped = _GAPPED.match(text)
    if gapped and is_meant(gapped["one"]) != is_meant(gapped["two"]):
        return f"{gapped['lead']} {gapped['two'] if is_meant(gapped['one']) else gapped['one']}"
    found = _PHRASES.search(text)
    items = [*re.split(rf", (?={_DETERMINED})", found["items"]), found["last"]] if found else []
    kept = [item for item in items if not is_meant(item)]
    if found is None or len(kept) == len(items) or not kept:
        return None
    listed = kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} {found['word']} {kept[-1]}"
    return text[: found.start()] + listed


def without_item(text: str, is_meant: Callable[[str], bool]) -> str | None:
    """The text without one of several plain things in a list; None if there is no such list."""
    for found in _WORDS.finditer(text) if len(text) <= LONGEST else ():
        items = [*found["items"].split(", "), found["last"]]
        kept = [item for item in items if not is_meant(item)]
        plain = not any(item.lower() in grammar.FUNCTION | grammar.VERBS for item in items)
        if len(kept) == len(items) or not kept or not plain:
            continue
        listed = kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} {found['word']} {kept[-1]}"
        return text[: found.start()] + listed + text[found.end() :]
    return None


def _joints(text: str) -> Iterator[re.Match[str]]:
    first = re.match(r"(?:Both|Either|Sowohl|Beide)(?=\s)", text)
    shown = text[: first.end()].lower() + text[first.end() :] if first else text
    yield from _JOINT.finditer(shown)
