"""Takes texts apart into clauses and puts them together again without some of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from glymph.text import grammar
from glymph.text.patterns import compile_late
from glymph.text.sentences import NOTES, split_with_breaks
from glymph.text.words import any_of, word_set

_JOINING = "|".join(
    sorted(map(re.escape, grammar.AND | grammar.STRONG | grammar.RELATIVE), key=len, reverse=True)
)
# Blanks are looked at from where they begin only: a long run of them would else be read from every
# one of its places.
_BLANKS = r"(?:,|(?<!\s))\s+"
_GLUE = compile_late(
    rf"(?<!\s)\s*[;，；、]\s*|(?<!\s)\s+[–—]\s+"
    rf"|{_BLANKS}(?:tandis que|mientras que|as well as|and also|and that)\s+"
    rf"|{_BLANKS}(?P<word>{_JOINING})\s+|,\s+",
    re.IGNORECASE,
)
_ENTITY = compile_late(r"&(?:#\w{1,8}|[A-Za-z]{2,10})\Z")  # a sign of a page, ended by ";"
_AFTER_COMMA = word_set("ma a car where wo où donde dove onde где")
_TOKEN = compile_late(r"[^\s,;:()\"“”„«»!?]+")
_AROUND = compile_late(
    rf"^(?P<np>[^,;]{{1,80}}), (?P<link>{'|'.join(sorted(grammar.RELATIVE))}|der|die|das) "
    r"(?P<inner>[^;]+?), (?P<main>[^,;].*)$",
    re.IGNORECASE,
)
_IS = {
    "a": "is",
    "an": "is",
    "the": "is",
    "ein": "ist",
    "eine": "ist",
    "un": "est",
    "une": "est",
    "una": "es",
}
_BESIDE = compile_late(
    rf"^(?P<np>[^,;]{{1,80}}), (?P<link>{'|'.join(_IS)}) (?P<inner>[^,;]+), (?P<main>[^,;]+)$",
    re.IGNORECASE,
)
_ENDS = ".!?…。！？;,"
# Characters of a sentence that is taken apart. A longer one is a list or a log, and how its parts
# hang together is more than can be told in reasonable time.
LONGEST = 1_500
NAME = r"[^\W\d_a-zß-öø-ÿа-яёα-ω][\w'’.-]*"

# Simpler cuts, for texts of which only some clauses can be read at all. The first is made between
# claims about one thing and the next, the second where a lesson sets episodes against others, the
# third where an order may begin.
CLAIMS = compile_late(
    r"(?<=worried) that\s|(?<=glad) that\s|(?<=proud) that\s|(?<=noticed) that\s"
    r"|(?<=realised) that\s"
    r"|(?:,\s*)?\b(?=(?:but|because|although|though|whereas|which|who|since|considering|given that"
    r"|now that|so that|the fact that|remind me that|so (?:i|can|could|how|what|should)"
    r"|and (?:i|we|he|she|they|it|my|can|how|what))\b)"
    rf"|\s+and\s+(?=(?:\w+ed|{any_of(grammar.PAST_FORMS)})\b)"
    r"|,\s+(?=(?:i|we|my|our|it|he|she|they|can|could|how|what|should|so|and|is)\b)",
    re.IGNORECASE,
)
CONTRASTS = compile_late(
    r";\s|,?\s+\b(?:while|whereas|versus|vs\.?|compared (?:to|with)|otherwise|but)\b|,\s+(?=and\b)",
    re.IGNORECASE,
)


def split_at(sentence: str, cut: re.Pattern[str]) -> list[str]:
    """Returns the parts of a sentence between such cuts; blank ones are left out."""
    return [part for part in cut.split(sentence) if part.strip()]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its own words, what joins it to the one before, and whose subject it shares."""

    text: str
    sentence: int
    glue: str = ""
    subject: str = (
        ""  # taken from an earlier clause, which it shares; empty when it has one of its own
    )
    inner: bool = False  # stands inside the clause before it, between commas
    alone: str = ""  # how it reads where it stands alone, if its words do not do for that

    @property
    def whole(self) -> str:
        """The clause with its subject."""
        if self.alone:
            return self.alone
        return f"{self.subject} {self.text}" if self.subject else self.text


@dataclass(frozen=True, slots=True)
class Clauses:
    """A text, taken apart."""

    text: str
    clauses: tuple[Clause, ...]
    ends: tuple[str, ...]  # what ends each sentence: its mark and the space behind it
    sentences: tuple[str, ...]

    def without(self, dropped: Collection[int]) -> str:
        """The text without these clauses; empty when nothing is left."""
        if not dropped:
            return self.text
        written: list[str] = []
        for number, sentence in enumerate(self.sentences):
            own = [at for at, clause in enumerate(self.clauses) if clause.sentence == number]
            kept = [at for at in own if at not in dropped]
            if len(kept) == len(own):
                written.append(sentence + self.ends[number])
            elif kept:
                written.append(capitalise_like(self._join(own, kept), sentence) + self.ends[number])
        return "".join(written).strip()

    def replace_clause(self, at: int, text: str) -> str:
        """The text with other words for one clause."""
        clauses = tuple(replace(c, text=text) if n == at else c for n, c in enumerate(self.clauses))
        sentence = clauses[at].sentence
        own = [n for n, clause in enumerate(clauses) if clause.sentence == sentence]
        anew = Clauses(self.text, clauses, self.ends, self.sentences)
        said = capitalise_like(anew._join(own, own), self.sentences[sentence])
        parts = [said if n == sentence else s for n, s in enumerate(self.sentences)]
        return "".join(part + end for part, end in zip(parts, self.ends, strict=True)).strip()

    def _join(self, own: list[int], kept: list[int]) -> str:
        first, *rest = [self.clauses[at] for at in kept]
        whole = self.clauses[own[0]]
        said = first.whole
        for number, clause in enumerate(rest):
            if clause.inner:
                said = _insert(said, clause)
                continue
            glue = clause.glue
            if len(kept) < len(own) and number == len(rest) - 1 and glue.strip() == ",":
                glue = next(
                    (
                        c.glue
                        for c in map(self.clauses.__getitem__, own[::-1])
                        if c.glue.strip(" ,")
                    ),
                    glue,
                )
            elif (
                len(rest) == 1
                and glue.startswith(", ")
                and glue.strip(" ,") in grammar.AND
                and clause.subject
            ):
                glue = glue[1:]
            subjects = (first.subject, _subject(first.text), _subject(whole.text))
            shared = not clause.subject or clause.subject in subjects
            said += glue + (
                clause.text if shared and (not clause.alone or clause.subject) else clause.whole
            )
        return said


def read_clauses(text: str) -> Clauses:
    """The text's clauses. What cannot be read as several is one."""
    sentences, ends = _sentences(text)
    clauses: list[Clause] = []
    for number, sentence in enumerate(sentences):
        clauses += _clauses(sentence, number)
    return Clauses(text, tuple(clauses), tuple(ends), tuple(sentences))


def _sentences(text: str) -> tuple[list[str], list[str]]:
    parts = [*split_with_breaks(text, NOTES), ""]
    bodies, ends = [], []
    for piece in map("".join, zip(parts[::2], parts[1::2], strict=True)):
        if not piece.strip():
            continue
        at = len(piece)
        while at and (piece[at - 1].isspace() or piece[at - 1] in _ENDS):
            at -= 1
        bodies.append(piece[:at])
        ends.append(piece[at:])
    return bodies, ends


def _clauses(sentence: str, number: int) -> list[Clause]:
    if len(sentence) > LONGEST:
        return [_clause(sentence, number, "", [])]
    around = _AROUND.match(sentence)
    if (
        around
        and _has_verb(around["inner"], began=True)
        and _begins(around["main"], around["np"] + " is")
    ):
        subject = around["np"].strip()
        main = _clauses(f"{subject} {around['main']}", number)
        inner = Clause(
            around["inner"], number, glue=f", {around['link']} ", subject=subject, inner=True,
            alone=_verb_second(subject, around["inner"], around["link"]),
        )  # fmt: skip
        return [main[0], inner, *main[1:]]
    beside = _BESIDE.match(sentence)
    if beside and _begins(beside["main"], beside["np"] + " is"):
        main = _clauses(f"{beside['np']} {beside['main']}", number)
        alone = f"{beside['np']} {_IS[beside['link'].lower()]} {beside['link']} {beside['inner']}"
        inner = Clause(
            f"{beside['link']} {beside['inner']}",
            number,
            glue=", ",
            subject=beside["np"],
            inner=True,
            alone=alone,
        )
        return [main[0], inner, *main[1:]]
    found: list[Clause] = []
    start, glue = 0, ""
    for match in _GLUE.finditer(sentence):
        if match.start() < start:
            continue
        left, right = sentence[start : match.start()], sentence[match.end() :]
        if (
            not left.strip()
            or not right.strip()
            or not _cuts(match, left, right, inherited=bool(found))
        ):
            continue
        found.append(_clause(left, number, glue, found))
        start, glue = match.end(), match[0]
    found.append(_clause(sentence[start:], number, glue, found))
    return found


def _cuts(match: re.Match[str], left: str, right: str, *, inherited: bool) -> bool:
    """Returns whether what joins two stretches joins two clauses."""
    word = (match["word"] or "").lower()
    mark = match[0].strip()
    if mark in (";", "–", "—", "；"):
        return match[0] != ";" or _ENTITY.search(left) is None
    if word in grammar.RELATIVE:
        return (
            match[0].startswith(",")
            and _has_verb(right, began=True)
            and _has_verb(left, began=inherited)
        )
    if word and word not in grammar.AND and word not in grammar.STRONG:
        return False
    if not _has_verb(left, began=inherited):
        return False
    if word in grammar.STRONG:
        return _has_verb(right) and not (word in _AFTER_COMMA and not match[0].startswith(","))
    inner = re.match(r"(\w+) ", right)
    if not word and inner and inner[1].lower() in grammar.AND | grammar.STRONG | grammar.RELATIVE:
        return False
    return _begins(right, left)


def _begins(right: str, left: str) -> bool:
    """Returns whether a stretch begins like a clause.

    It does with a verb that shares the subject, or with a subject and a verb.
    """
    tokens = _TOKEN.findall(right)[:9]
    if not tokens:
        return False
    first = tokens[0].lower().rstrip(".")
    adverbial = first in grammar.ADVERBS and _has_verb(right, began=True)
    if first in grammar.VERBS or first in grammar.STARTERS or adverbial:
        return first not in grammar.PRONOUNS | grammar.PREPOSITIONS or _has_verb(right)
    if _is_gapped(tokens, left):
        return True
    if first.split("'")[0] in grammar.PRONOUNS and (tokens[0].islower() or tokens[0] == "I"):
        return any(
            token.lower() in grammar.VERBS or _ends_like_verb(token) for token in tokens[1:6]
        )
    if tokens[0][0].isupper() or first in grammar.ARTICLES:
        return _has_verb(_until_glue(right))
    if any(token.lower() in grammar.BEING - {"a", "es", "son", "era"} for token in tokens[1:4]):
        return True
    return len(tokens) > 1 and _parallel(first, left, tokens[1])


def _is_gapped(tokens: list[str], left: str) -> bool:
    """Returns whether a stretch leaves out the verb it shares.

    An example is "(Tom lives in Rome and) Mia in Paris".
    """
    at = _gap(tokens)
    return at > 0 and re.search(rf"\s{re.escape(tokens[at])}\s\S+$", left) is not None


def _gap(tokens: list[str]) -> int:
    """The place of the preposition that follows the name a stretch begins with; 0 for none."""
    owned = len(tokens) > 2 and tokens[0] in grammar.PRONOUNS and tokens[2][0].isupper()
    at = 3 if owned else 1
    named = len(tokens) > at + 1 and tokens[at - 1][0].isupper()
    return at if named and tokens[at].lower() in grammar.PREPOSITIONS else 0


def _verb_second(subject: str, inner: str, link: str) -> str:
    """Returns a German relative clause as a statement.

    Its verb, which ends the clause, comes behind the subject.
    """
    rest, _, verb = inner.rpartition(" ")
    if link.lower() not in ("der", "die", "das", "welcher", "welche") or not rest:
        return ""
    return f"{subject} {verb} {rest}"


def _until_glue(right: str) -> str:
    cut = re.search(r",|;", right)
    return right[: cut.start()] if cut else right


def _parallel(first: str, left: str, following: str) -> bool:
    """Returns whether a word looks like the verb before it and not like the noun before it."""
    verb = next(_verbs(left, began=True), "")
    last = _TOKEN.findall(left)[-1].lower()
    if not verb or first in grammar.FUNCTION or len(first) < 3:
        return False
    if first.endswith("s") and verb.endswith("s") and not first.endswith("ss"):
        return not (last.endswith("s") and last != verb)
    if first.endswith("ed") and (
        verb.endswith("ed") or verb in ("was", "were", "had", "grew", "went", "got")
    ):
        return True
    joined = following[0].isupper() or following.lower() in grammar.FUNCTION
    return joined and verb[-1] == first[-1] and verb[-1] in "teaт" and last[-1:] != first[-1]


def _ends_like_verb(token: str) -> bool:
    return token.islower() and token.endswith(("s", "ed", "t")) and token not in grammar.FUNCTION


def _has_verb(stretch: str, *, began: bool = False) -> bool:
    return next(_verbs(stretch, began=began), "") != ""


def _verbs(stretch: str, *, began: bool = False) -> Iterator[str]:
    """Yields the words that are verbs, by a list or by where they stand.

    Only a verb can stand behind the name that begins the stretch.
    """
    tokens = _TOKEN.findall(stretch)
    for at, token in enumerate(tokens):
        low = token.lower()
        named = at > 0 and tokens[at - 1][:1].isupper() and tokens[0][:1].isupper()
        named = named and tokens[at - 1].lower() not in grammar.FUNCTION
        behind = named and token.islower() and low not in grammar.FUNCTION and at < 4
        listed = low in grammar.VERBS and (token.islower() or at == 0)
        listed = listed and (
            low not in grammar.PREPOSITIONS | grammar.PRONOUNS
            if at
            else began or low not in grammar.PRONOUNS
        )
        listed = listed or (low in grammar.BEING and named)
        first = began and at == 0 and token.islower() and low not in grammar.FUNCTION
        if listed or behind or first:
            yield low


def _clause(text: str, number: int, glue: str, before: list[Clause]) -> Clause:
    if not before:
        return Clause(text, number, glue)
    tokens = _TOKEN.findall(text)
    if not tokens:  # marks only, such as a bracket
        return Clause(text, number, glue)
    first = tokens[0].lower()
    relative = glue.strip(" ,").lower() in grammar.RELATIVE
    earlier = before[0].subject or _subject(before[0].text)
    if relative:
        last = re.search(rf"({NAME}(?: {NAME})*)$", before[-1].text)
        return Clause(text, number, glue, last[1] if last else earlier)
    own = (
        (first.split("'")[0] in grammar.PRONOUNS)
        or first in grammar.ARTICLES
        or tokens[0][:1].isupper()
    )
    verbal = first in grammar.VERBS and first not in grammar.PRONOUNS
    if first in grammar.STARTERS and earlier:
        return Clause(
            text, number, glue, earlier, alone=f"{earlier} is {text}" if text.isascii() else ""
        )
    gap = _gap(tokens)
    if gap and _is_gapped(tokens, before[-1].text):
        verb = next(_verbs(before[0].text), "")
        said = text.split(" ")
        alone = " ".join([*said[:gap], verb, *said[gap:]]) if verb else ""
        return Clause(text, number, glue, alone=alone)
    nominal = not own and not verbal and any(t.lower() in grammar.BEING for t in tokens[1:4])
    return Clause(text, number, glue, "" if (own and not verbal) or nominal else earlier)


def _subject(text: str) -> str:
    """Returns what stands before the verb of a clause."""
    verb = next(_verbs(text), "")
    match = (
        re.search(rf"(?<![\w'-]){re.escape(verb)}(?![\w'-])", text, re.IGNORECASE) if verb else None
    )
    return text[: match.start()].strip() if match else ""


def capitalise_like(said: str, like: str) -> str:
    return said[:1].upper() + said[1:] if like[:1].isupper() else said


def _insert(said: str, clause: Clause) -> str:
    return said.replace(clause.subject, f"{clause.subject}{clause.glue}{clause.text},", 1)
