"""The last digits of a number where a text says that they are only these: "ending in 4711"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from glymph.text.identifiers.shortened import CUT
from glymph.text.spans import Identifier, Span

_TAIL = re.compile(
    r"(?:(?<!\w)(?:end(?:ing|s|ed)?(?: (?:in|with|on))?|last (?:[3-6]|three|four|five|six)"
    r"(?: digits| numbers)?(?: (?:are|is|were))?|endet auf|endend auf|endziffern"
    r"|letzten? (?:[3-6]|drei|vier|fünf|sechs)(?: ziffern| stellen)?(?: (?:sind|lauten))?"
    r"|(?:se terminant|qui (?:se termine|finit)|finissant) (?:par|en)"
    r"|(?:terminad[ao]|que termina|terminando|acaba) (?:en|em|con)"
    r"|che (?:finisce|termina) (?:con|per|in)|заканчива\w{2,10} на)[\s:\"'-]{1,3}"
    r"|(?<![\w*•#])[*xX•#]{2,}(?:[ -][*xX•#]{2,8}){0,3}[ -]?)"
    r"(?P<digits>[0-9]{3,6})(?!\w|[.,-][0-9])",
    re.IGNORECASE,
)
_KINDS = {
    "card": "card karte kreditkarte carte tarjeta carta cartão visa mastercard amex карта карты",
    "iban": "account iban konto compte cuenta conto conta счёт счет",
    "phone": "phone mobile cell telephone telefon handy téléphone teléfono telefono телефон",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_NUMBERS = {
    "card": {"card", "code"},
    "iban": {"iban", "code"},
    "phone": {"phone"},
    "": {"card", "iban", "phone", "code"},
}
_WIDTH = 60  # characters before the digits that may say of what they are
FEWEST = 8  # digits of a number whose end is told


def tails(text: str) -> Iterator[Span]:
    """Finds the last digits of numbers; a key has the kind of the number, if the text tells it."""
    for match in _TAIL.finditer(text):
        before = text[max(0, match.start() - _WIDTH) : match.start()].lower()
        kinds = [_KIND_OF[word] for word in re.findall(r"\w+", before) if word in _KIND_OF]
        kind = kinds[-1] if kinds else ""
        yield Span("tail", f"{kind}{CUT}{match['digits']}", match.start(), match.end())


def find_tails(key: str, text: str, found: Iterable[Identifier]) -> Iterator[tuple[int, int, str]]:
    """Finds where a number ends in the wanted digits, each with the whole number if it is told."""
    kind, _, digits = key.partition(CUT)
    for span in tails(text):
        other, _, last = span.key.partition(CUT)
        if last == digits and (not kind or not other or kind == other):
            yield span.start, span.end, ""
    for each in found:
        whole = re.sub("[^0-9]", "", each.key)
        if each.type in _NUMBERS[kind] and len(whole) >= FEWEST and whole.endswith(digits):
            yield each.start, each.end, whole
