"""Names that a text says are one thing, and the closure over them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from glymph.text.identifiers.network import handles, mails
from glymph.text.negation import IN_A_STRETCH
from glymph.text.scripts import flat, fold
from glymph.text.sentences import STATEMENT_END
from glymph.text.spans import Span, find_in_turn

_MOST_WORDS = 4  # of a name
_CONNECTED = re.compile(
    r",? ?[(\[]?(?<!\w)(?:(?:is |was |are )?(?:also |better |otherwise |formerly )?(?:known"
    r"|referred to) as|(?:is )?a\.?k\.?a\.?|alias|(?:who )?goes by(?: the (?:name"
    r"|nickname)(?: of)?)?|(?:is )?(?:also )?nicknamed|is (?:short|a nickname) for|(?:is"
    r"|was) (?:also |formerly )called|is the same (?:person|user|account|customer|thing)? ?as"
    r"|(?:is )?née|(?:whose|his|her|their) (?:real|full|legal|maiden) name is|(?:ist )?(?:auch "
    r"|besser )?bekannt als|(?:auch |wird )?genannt|ist (?:dieselbe|derselbe"
    r"|dasselbe)(?: Person)? wie|geborene?|(?:est )?(?:aussi |également |mieux )?connue? (?:sous "
    r"le nom de|comme)|(?:est )?surnommée?|de son vrai nom|(?:es |está )?(?:también |más "
    r"|mejor )?conocid[oa] como|(?:es )?apodad[oa]|(?:è )?(?:anche |meglio )?(?:not[oa]"
    r"|conosciut[oa]) come|(?:è )?dett[oa]|soprannominat[oa]|(?:é )?(?:também "
    r"|mais )?conhecid[oa] como|vulgo|apelidad[oa] de|(?:также )?известн(?:ый|ая) как|он же"
    r"|она же)(?!\w)[:,]? ?",
    re.IGNORECASE,
)
_WORD = r"[^\W\d_](?:[\w'-]{0,40}\w)?"
_NAME = rf"({_WORD}(?: (?:(?:van|von|de|da|di|del|der|la|le|bin|al) ){{0,2}}{_WORD}){{0,3}})"
_MIDDLE = re.compile(rf"(?<!\w)({_WORD}) (?:[(\[]|\")({_WORD})(?:[)\]]|\") ({_WORD})(?!\w)")
_CALLED = re.compile(
    rf"(?<![\w']){_NAME}'s? (?:alias|nickname|stage name|pen name|real name|full name|other name"
    rf"|maiden name|Spitzname|Künstlername) (?:is|was|ist|war|:) \"?{_NAME}"
)
_HELD = re.compile(
    r"(?:account|handle|username|user name|login|nickname|profile"
    rf"|Konto) [\"']?([\w.@-]{{3,40}})[\"']? (?:belongs to|gehört) {_NAME}",
    re.IGNORECASE,
)
_UNIQUE = (
    "wife|husband|spouse|mother|mom|mum|father|dad|boss|fiancée?|girlfriend|boyfriend|"
    "Frau|Mann|Ehefrau|Ehemann|Mutter|Vater|Chefin|Chef|Verlobte|Verlobter|"
    "femme|mari|mère|père|épouse|époux|patron|esposa|esposo|mujer|marido|madre|padre|jefe|jefa|"
    "moglie|marito|mulher|mãe|pai|жена|муж|мама|мать|отец|папа"
)
_UNIQUE_WORDS = _UNIQUE.replace("fiancée?", "fianc").split("|")
_CONNECTING = (
    "known as", "referred to", "aka", "a.k.a", "alias", "goes by", "nickname", "short for",
    "called", "the same", "née", "name is", "bekannt", "genannt", "dieselbe", "derselbe",
    "dasselbe", "geboren", "connu", "surnomm", "vrai nom", "conocid", "apodad", "noto come",
    "nota come", "conosciut", "dett", "soprannom", "conhecid", "vulgo", "apelidad", "известн",
    "он же", "она же",
)  # fmt: skip
_MY = "my|My|meine?|Meine?|ma|mon|Ma|Mon|mi|Mi|mia|mio|minha|meu|Minha|Meu|моя|мой|Моя|Мой"
_RELATED = re.compile(
    rf"(?<![\w-])((?:{_MY}|[^\W\d_]{{2,30}}'s) (?:{_UNIQUE}))(?:,| is(?: called| named)?| heißt"
    rf"| ist| s'appelle| est| se llama| es| si chiama| è| se chama| é| зовут)? {_NAME}"
)
_IS_RELATED = re.compile(
    rf"(?<![\w-]){_NAME} (?:is|ist|est|es|è|é|was) ((?:{_MY}|[^\W\d_]{{2,30}}'s) "
    rf"(?:{_UNIQUE}))(?!\w|-|'s)"
)
_LABEL = (
    r"(?:(?:work |private |personal |new |current |berufliche |private )?(?:e-?mail|mail"
    r"|mail-?adresse|e-?mail-?adresse|handle|username|user name|nickname|twitter|github|account"
    r"|login|courriel|adresse|correo|correo electrónico|usuario|benutzername|почта"
    r"|ник)(?: address| handle| account| name)?)"
)
_OWNED = re.compile(
    rf"(?:(?<![\w'])(?P<owner>[^\W\d_][\w-]{{0,40}}(?: [^\W\d_][\w-]{{0,40}}){{0,3}})'s |"
    r"(?<![\w'])(?P<mine>my|his|her|their|meine?|seine?|ihre?|mon|son|sa|su|mi|seu|sua|suo) "
    r"|(?<!\w)(?P<pre>))"
    rf"{_LABEL}(?: (?:von|de|of|di|von|d') ?(?P<of>[^\W\d_][\w-]{{0,40}}(?: "
    rf"[^\W\d_][\w-]{{0,40}}){{0,2}}?))?"
    r"(?: (?:is|was|ist|lautet|est|es|è|é)(?: now)?|:|=| -)? ?[<(\"']?$",
    re.IGNORECASE,
)
_BESIDE = re.compile(rf"(?<![\w']){_NAME} ?[(<\[]$")
_BESIDE_WORD = re.compile(rf"(?<![\w']){_NAME} (?:is|ist|est|es) ?$")
_BEARER = re.compile(rf" (?:is|ist|est|es|belongs to|gehört) {_NAME}(?=[.,;!]|$)")
_SELF = frozenset("my mein meine mon mi meu".split())
_NO_NAMES = frozenset(
    "i he she it we they you the a an this that these those my his her our their your who what "
    "when where why how and or but if so then is was are were ist der die das ein eine er sie es "
    "wir le la les un une il elle el los las una contact mail email write ask tell call meet yes "
    "no not also please hello hi dear new der den dem mr mrs ms dr herr frau please".split()
)


class Closure:
    """Names known to be one thing, closed over every pair: a is b and b is c, so a is c."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._over: dict[str, str] = {}
        self._writings: dict[str, set[str]] = {}
        for one, other in pairs:
            self.join(one, other)

    def join(self, one: str, other: str) -> None:
        """Make both one thing."""
        a, b = self._root(_name_key(one)), self._root(_name_key(other))
        for root, written in ((a, one), (b, other)):
            self._writings.setdefault(root, set()).add(written)
        if a != b:
            if len(self._writings[a]) < len(self._writings[b]):
                a, b = b, a
            self._over[b] = a
            self._writings[a] |= self._writings.pop(b)

    def of(self, key: str) -> frozenset[str]:
        """Every name of the thing that this names, as they were written, itself among them."""
        return frozenset(self._writings.get(self._root(_name_key(key)), ())) | {key}

    def one(self, one: str, other: str) -> bool:
        """Returns whether both name one thing."""
        return self._root(_name_key(one)) == self._root(_name_key(other))

    def _root(self, key: str) -> str:
        while (above := self._over.get(key)) is not None:
            self._over[key] = self._over.get(above, above)
            key = above
        return key


def closure(pairs: Iterable[tuple[str, str]]) -> Closure:
    """The closure over the pairs."""
    return Closure(pairs)


def aliases(text: str) -> list[tuple[str, str]]:
    """Returns the pairs of names, mails and handles that the text states to be one.

    Nothing is stated in a question, or when it is denied.
    """
    plain, _ = flat(text)
    named = sorted(find_in_turn(plain, (mails, handles)))
    pairs = [
        *_find_connected(plain, named),
        *_middle(plain),
        *_find_called(plain),
        *_find_related(plain),
        *_find_owned(plain, named),
    ]
    return list(dict.fromkeys(pair for pair in pairs if fold(pair[0]) != fold(pair[1])))


def _find_connected(text: str, named: list[Span]) -> Iterator[tuple[str, str]]:
    starts = {found.start: found for found in named}
    ends = {found.end: found for found in named}
    lowered = text.lower()
    if not any(word in lowered for word in _CONNECTING):
        return
    for match in _CONNECTED.finditer(text):
        if not _is_stated(text, match.start(), match.end()):
            continue
        left, right = match.start(), match.end()
        before = text[max(0, left - 120) : left].rstrip()
        one = text[ends[left].start : left] if left in ends else _name_before(before)
        after = text[right : right + 120].lstrip(" \"'")
        moved = right + len(text[right : right + 120]) - len(after)
        other = (
            text[moved : starts[moved].end] if moved in starts else _name_after(after, loose=True)
        )
        if one and other:
            yield one, other


def _middle(text: str) -> Iterator[tuple[str, str]]:
    if "(" not in text and "[" not in text and '"' not in text:
        return
    for match in _MIDDLE.finditer(text):
        first, nick, last = match.groups()
        if _is_name(first) and _is_name(last) and nick[0].isupper() and _is_name(nick):
            yield f"{first} {last}", nick
            yield f"{first} {last}", f"{nick} {last}"


def _find_called(text: str) -> Iterator[tuple[str, str]]:
    for match in _HELD.finditer(text) if "belongs to" in text or "gehört" in text else ():
        if (owner := _name_after(match[2])) and _is_stated(text, match.start(), match.end()):
            yield owner, match[1]
    for match in _CALLED.finditer(text) if "name" in text or "alias" in text else ():
        one, other = _name_before(match[1]), _name_after(match[2])
        if one and other and _is_stated(text, match.start(), match.end()):
            yield one, other


def _find_related(text: str) -> Iterator[tuple[str, str]]:
    if not any(word in text for word in _UNIQUE_WORDS):
        return
    for match in _RELATED.finditer(text):
        name = _name_after(match[2])
        if name and _is_stated(text, match.start(), match.end()):
            yield _relation(match[1]), name
    for match in _IS_RELATED.finditer(text):
        name = _name_before(match[1])
        if name and _is_stated(text, match.start(), match.end()):
            yield _relation(match[2]), name


def _find_owned(text: str, named: list[Span]) -> Iterator[tuple[str, str]]:
    for found in named:
        before = text[max(0, found.start - 120) : found.start]
        written = text[found.start : found.end]
        if not _is_stated(text, found.start, found.end):
            continue
        match = _OWNED.search(before)
        bearer = (
            _BEARER.match(text, found.end)
            if found.type == "handle" and not before.strip()
            else None
        )
        if bearer:
            owner = _name_after(bearer[1])
        elif match is None:
            beside = _BESIDE.search(before) or (
                _BESIDE_WORD.search(before) if found.type == "handle" else None
            )
            owner = _name_before(beside[1]) if beside else None
        elif match["owner"] or match["of"]:
            owner = _name_before(match["owner"] or match["of"])
        elif match["mine"]:
            owner = "me" if match["mine"].lower() in _SELF else _only_name(text[: found.start])
        else:
            owner = _possessor(before[: match.start()])
        if owner:
            yield owner, written


def _possessor(before: str) -> str | None:
    """The owner before a label where no apostrophe says so: `Bobs Mail ist …`."""
    name = _name_before(before.rstrip())
    return (
        name[:-1]
        if name and len(name) > 3 and name.endswith("s") and before.endswith(" ")
        else None
    )


def _only_name(before: str) -> str | None:
    """The name that a pronoun stands for, if only one was named."""
    found: set[str] = set()
    run: list[str] = []
    for word in [*before[-400:].split(), ""]:
        bare = word.strip("\"'()[],.;:!?").removesuffix("'s")
        if _is_name(bare):
            run.append(bare)
        if run and (not _is_name(bare) or word[-1] in ",.;:!?)"):
            found.add(" ".join(run))
            run = []
    return found.pop() if len(found) == 1 else None


def _relation(written: str) -> str:
    first, _, rest = written.partition(" ")
    return f"{first.lower() if not first.endswith(chr(39) + 's') else first} {rest}"


def _name_before(text: str) -> str | None:
    words: list[str] = []
    for match in re.finditer(r"[^\s]+", text[::-1]):
        word = match[0][::-1]
        bare = word.strip("\"'([")
        if not _is_name(bare) or word[-1] in ",.;:!?)":
            break
        words.insert(0, bare)
        if len(words) == _MOST_WORDS or word[0] in "\"'([":
            break
    return " ".join(words) or None


def _name_after(text: str, *, loose: bool = False) -> str | None:
    words: list[str] = []
    for word in text.split(" ")[: _MOST_WORDS + 1]:
        bare = word.strip("\"'()[],.;:!?").removesuffix("'s")
        if not _is_name(bare) or len(words) == _MOST_WORDS:
            if (
                not words
                and loose
                and re.fullmatch(r"[^\W\d_]\w{2,30}", bare)
                and bare.lower() not in _NO_NAMES
            ):
                return bare
            break
        words.append(bare)
        if word[-1] in ',.;:!?)]"' or word.endswith("'s"):
            break
    return " ".join(words) or None


def _is_name(word: str) -> bool:
    """Returns whether a word is written like a name.

    It is with a capital first, or in a script without capitals.
    """
    if not word or not word[0].isalpha() or word.lower() in _NO_NAMES:
        return False
    return not word[0].islower()


def _is_stated(text: str, start: int, end: int) -> bool:
    """Returns whether the sentence around neither asks nor denies."""
    following = STATEMENT_END.search(text, end, end + 300)
    if following and following[0][0] == "?":
        return False
    before = text[max(0, start - 24) : end]
    sentence = re.split(r"[.!?;\n,]\s", before)[-1]
    return IN_A_STRETCH.search(sentence) is None


def _name_key(name: str) -> str:
    return fold(name)
