"""Short codes that let somebody in, as people say them: of a door, an alarm, a card, a telephone.

A few figures are no secret by their look. They are one behind a word for what they open, in the
same sentence and with no other figure between; what is only called a code may be anything's.
"""

from __future__ import annotations

import re

from glymph.text.patterns import compile_late
from glymph.text.secret_shapes import Rule

_OPENED = (
    r"(?:front |back |garage |office )?door|gate|garage|alarm|entry|entrance|access|lock|padlock"
    r"|safe|key ?(?:box|safe)|lock ?box|building|keypad|security|unlock|voicemail|lift|locker"
)
_NAMED = (
    rf"\b(?:(?:{_OPENED})(?:'s)?[ -](?:pin )?(?:code|combination|combo|number|pin)"
    r"|(?:tür|alarm|zugangs?|tor|safe|tresor|eingangs?|garagen?|schlüssel(?:kasten|safe|tresor)|entsperr"
    r"|schloss|sperr)-?(?:code|kombination|zahl)"
    r"|código (?:de(?: la| los)?|del|da|do) (?:puerta|portal|alarma|entrada|acceso|garaje|caja"
    r"|candado|porta|portão|alarme|cofre|acesso|prédio)"
    r"|(?:digicode|code (?:de (?:la |l')|du |d'|des )(?:porte|portail|entrée|accès|alarme|coffre"
    r"|immeuble|garage|boîte à clés?|cadenas))"
    r"|codice (?:della |del(?:l')? ?|d'|di )(?:porta|portone|cancello|allarme|cassaforte|accesso"
    r"|ingresso|lucchetto|garage)"
    r"|(?:deur|alarm|toegangs|poort|kluis|sleutelkluis|voordeur)-?code"
    r"|(?:my|the|your|our|his|her|identity|card|bank|sim|phone|app|mein\w{0,2}|dein\w{0,2}|die|der"
    r"|karten|handy|el|la|mi|su|tu|le|mon|ma|il|mio|de|o|meu|mijn)[ -]?pin"
    r"(?:[ -]?(?:code|number|nummer))?)\b"
)
_FIGURES = (
    r"(?P<v>\d{4,8}|\d{3}[ -]\d{3}|\d\d(?:[ -]\d\d){1,2}|\d(?:[ -]\d){3,5})"
    r"(?![\w%€$£]|[.,:/-]\d| ?(?:€|euro|ohm|volt|baud|mm\b|ms\b|kg\b|hours|times|of\b))"
)
_IS = r"(?:is|was|'s|ist|lautet|es|est|è|é|=|:|now|jetzt|ahora)"


def _is_no_year(found: re.Match[str]) -> bool:
    """Returns whether figures are no year, nor the time of a day: an alarm may ring at 0630."""
    return _YEAR_OR_TIME.fullmatch(found["v"]) is None


_YEAR_OR_TIME = compile_late(r"19[5-9]\d|20[0-4]\d|0[5-9][0-5]0")

CODE_RULES: tuple[Rule, ...] = (
    Rule(
        rf"{_NAMED}[^.!?\n\d]{{0,60}}?(?<![\w.,]){_FIGURES}",
        needs=("code", "pin", "combi", "number", "zahl", "código", "codice"),
    ),
    Rule(
        r"(?:\A|[.!?,;:\n] {0,2}|\b(?:the|der|el|le|il|o|my|our|de|and|und|y|et) )code:? ?"
        rf"(?:{_IS} )(?:now |jetzt )?{_FIGURES}",
        needs=("code",),
    ),
    Rule(
        rf"\balarm[^.!?\n\d]{{0,50}}?\b(?:it's|is|ist|es|est)[ :]{{1,2}}{_FIGURES}",
        _is_no_year,
        ("alarm",),
    ),
    Rule(
        rf"\bclave\b[^.!?\n\d]{{0,30}}?(?:\bes|:|=) {{0,2}}{_FIGURES}",
        _is_no_year,
        ("clave",),
    ),
)
