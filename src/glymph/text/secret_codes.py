"""Short codes that let somebody in, as people say them: of a door, an alarm, a card, a telephone.

A few figures are no secret by their look. They are one in a sentence that says what they open:
some words are said of little else (a padlock, a PIN), with others something must say that the
figures are entered (the gate *takes* 4471). What is merely called a code may be anything's.

Only what is taken from talk without being asked goes without them: whoever adds "The gate code is
4471" wants that remembered.
"""

from __future__ import annotations

import re

from glymph.text.identifiers.aloud import VALUES
from glymph.text.patterns import compile_late
from glymph.text.secrets import SECRET

NEAR, BEHIND = 80, 28  # characters before the figures and behind them that may say what they open
HEARD = 160  # characters of what the other side said last
BARE = 12  # characters before the figures of an answer that says little else: "it's now 4471"
_DIGIT = rf"(?i:\b(?:{'|'.join(word for word in VALUES if word.isalpha() and len(word) > 1)})\b)"
_ONE = rf"(?:(?i:double|triple)[ -])?{_DIGIT}"
_FIGURES = (
    r"(?<![\w.,/€$£+\-])(?<!\d[ :])(?P<v>[*#]?\d{3,8}(?:[#*]\d{0,4})?|\d(?:[ \-*]\d{1,4}){3,5}"
    r"|\d{3}[ \-]\d{3}|\d[*]\d{3,5}|\d\d(?:[ \-]\d{1,2}){2,3}|\d{1,4}[A-D]\d{1,4}"
    rf"|[A-D]\d{{3,5}}[A-Z]?|(?:{_ONE}[ \-]){{2,7}}{_ONE})"
    r"(?![\w%€$£]|[.,:/\- ]\d| ?(?:€|euros?|dollars?|pounds?|quid|ohm|volts?|baud|[km]?m\b|ms\b"
    r"|k?gr?(?:ams)?\b|hours?|times|by \d|of\b|people|words|lines|calls|bytes|uhr|stunden|leute"
    r"|personas|mal\b|tokens|connections|requests|failures|items|rows|users|a month|per\b"
    r"|by default))"
)
_WHERE = (
    r"(?:front |back )?(?:door|gate|alarm|entry|entrance|access|lock|safe|garage|building|security"
    r"|unlock|shed|locker)(?:'s)?|tür|tor|zugangs?|eingangs?|garagen?|alarm|deur|toegangs|poort"
)
# A code that is named, right before the figures.
_NAMED = (
    rf"(?<![^\W_-])(?:(?:{_WHERE})[ -]?(?:code|kombination)|passcode|key ?pad|combo|combination"
    r"|digicode|c[óo]d(?:igo|ice) (?:de |del |de la |da |do |della |dell'|di |d')?\w{4,14}"
    r"|code (?:de (?:la |l')|du |d')\w{4,14}(?: du \w+)?|(?:the|der|den|el|le|il|o|its|their|my"
    r"|our|und|and|\A|[.,;:!?]) ?code)(?:'s| of [^.!?\n]{1,30}| for [^.!?\n]{1,30})?"
    r"(?: (?:is|was|ist|lautet|es|est|è|é|now|jetzt|maintenant|ahora|c'est"
    r"|changed to))*[ :=]{1,3}\Z"
)
# What is opened by a few figures and said of little else.
_CERTAIN = (
    r"lock ?box|key ?(?:box|safe)|padlock|(?:bike|suitcase) lock|alarm panel|parental control"
    r"|geheimzahl|geheimnummer|schlüssel(?:kasten|safe|tresor|box)|fahrradschloss|zahlenschloss"
    r"|vorhängeschloss|tresor|alarmanlage|caja fuerte|candado|cajita|antivol|cadenas|coffre-fort"
    r"|boîte à clés?|cassaforte|lucchetto|kluis|sleutel(?:kast|kluis)|fietsslot|cofre|cadeado"
    r"|unlocks? with|entsperr|desbloque\w*|déverrouill\w*|sblocca\w*|ontgrendel\w*"
)
# A card's or a telephone's PIN: of a circuit board one says which, "pin 4".
_PIN = (
    r"(?:card|bank|sim|phone|identity|amex|visa|karten?|handy|konto|bancomat|carta|tarjeta|cartão"
    r"|carte)\b[^.!?\n]{0,30}?\bpin(?: ?code|'s)?\b|(?:my|the|mijn|mein|meine|die|el|mi|il|le|mon"
    r"|mio|o|meu)(?: \w+)? pin(?: ?code|'s)?\b(?! \w+ (?:because|to|at|so)\b)"
    r"|\bpin(?: ?code)? (?:is|ist|es|est|è|é|del|de la|della|du|van|von|for|number|code)\b"
    r"|\bpin's\b"
)
# What is opened by other things, too, and words that say that figures are entered.
_OPENED = (
    r"door|gate\b|gate's|garage|alarm|entry|basement|shed|voicemail|locker|car park|banking"
    r"|debit card|ec-karte|carte bleue|spind\b|hoftor|locked|safe\b|ipad|türe?\b|haustür|tor\b"
    r"|tors\b"
    r"|mailbox|handy|portal\b|portão|portail|porte\b|immeuble|cancello|portone|allarme|alarme"
    r"|prédio|cochera|garaje|puerta|móvil|telefon|téléphone|voordeur|poort\b|bank app|\bpad\b"
    r"|teclado|clave|senha|clavier|intercom|combo|combination|passcode|key ?pad|code\b"
)
_ENTERED = (
    r"(?:with|takes?|punch(?: in)?|press|dial|type(?: in)?|enter|try|hit|use|set to|reset to"
    r"|wants?|mit|raute|und dann|schnell|con|col|avec|tape[sz]?|marcar|marcas?|digit[ae]|pones|fai"
    r"|auf|op|code(?:'s)?|c[óo]digo|codice|combo(?:'s)?|com|fais|goes|needs|was|then|hat jetzt"
    r"|dann|va con|c'est|it's|that's|is|ist|es|est|è|é|jetzt|now|das ist bei \w+|keypad)[ :]{1,2}"
)
_TYPED = (
    r"\s?(?:and (?:hit|press|push)|then p|enter\b|on the (?:key ?)?pad|eintipp|drück|no teclado"
    r"|star at|to get in|puis|dann die|hash\b)"
)
# Numbers of other things, in the words right before them.
_OTHERS = (
    r"(?:(?:error|exit|status|zip|post(?:al)?|area|country|dial(?:ling)?|product|item|bar|colou?r"
    r"|charge|discount|promo|booking|reference|model|tax|room|source|fehler|artikel|farb|buchungs"
    r"|erreur|postal|de error|de réduction|sconto|desconto|de descuento)[ -]?code?s?:?(?: \w{1,4})?"
    r"|(?:phone|handy|mobile|telefon)[ -]?(?:number|nummer)[^,;]{0,20}|extension \w{1,4}"
    r"|durchwahl \w{1,4}|mobile is|\bport(?:'s)?(?: \w{1,4})?|timeout(?: \w{1,4})?|ttl(?: \w{1,4})?"
    r"|rent(?: \w{1,4})?|miete(?: \w{1,4})?|version(?: \w{1,4})?|works with|phone is) ?\Z"
)
_WHEN = compile_late(r"(?<![^\W_])(?:in|of|since|until|seit|von|en|de|desde|depuis) \Z")
_YEAR_OR_TIME = compile_late(r"19[5-9]\d|20[0-4]\d|(?:0[4-9]|1\d|2[0-3])[0-5][05]")
_ENDS = compile_late(r"[.!?\n]\s")
_IS_NAMED = compile_late(_NAMED, re.IGNORECASE)
_SAYS_CERTAINLY = compile_late(rf"(?<![^\W_])(?:{_CERTAIN}|{_PIN})", re.IGNORECASE)
_SAYS = compile_late(rf"(?<![^\W_])(?:{_OPENED})", re.IGNORECASE)
_IS_ENTERED = compile_late(
    rf"(?<![^\W_]){_ENTERED}(?:in |the |die |dann |el |la |il |o |bell then |den )?\Z",
    re.IGNORECASE,
)
_IS_TYPED = compile_late(_TYPED, re.IGNORECASE)
_IS_ANOTHER = compile_late(rf"(?<![^\W_]){_OTHERS}", re.IGNORECASE)
_FOUND = compile_late(_FIGURES)


def mask_codes(text: str, heard: str = "") -> tuple[str, int]:
    """Returns a text with the codes that open something replaced by `[secret]`, and how many.

    `heard` is what the other side said before it: who is asked for a code of the key safe may
    answer with no more than the figures.
    """
    count = 0
    asked = _SAYS_CERTAINLY.search(heard[-HEARD:]) is not None

    def replace(found: re.Match[str]) -> str:
        nonlocal count
        if not (_opens(found) or (asked and _is_answer(found))):
            return found[0]
        count += 1
        return SECRET

    return _FOUND.sub(replace, text), count


def _opens(found: re.Match[str]) -> bool:
    """Returns whether the sentence around some figures says that they open something."""
    start, end = found.span("v")
    near = found.string[max(0, start - NEAR) : start]
    before = _ENDS.split(near)[-1]
    behind = _ENDS.split(found.string[end : end + BEHIND])[0]
    timely = _YEAR_OR_TIME.fullmatch(found["v"]) is not None
    if _IS_ANOTHER.search(before) or (timely and _WHEN.search(before)):
        return False
    if _SAYS_CERTAINLY.search(near) or _IS_NAMED.search(before):
        return True
    typed = _IS_ENTERED.search(before) or _IS_TYPED.match(behind)
    if len(found["v"]) < 4 or not typed or timely:
        return False
    return bool(_SAYS.search(before) or _SAYS.search(behind) or _SAYS_CERTAINLY.search(behind))


def _is_answer(found: re.Match[str]) -> bool:
    """Returns whether figures answer somebody who spoke of what a few figures open."""
    start = found.start("v")
    before = _ENDS.split(found.string[max(0, start - NEAR) : start])[-1]
    timely = _YEAR_OR_TIME.fullmatch(found["v"]) is not None
    if len(found["v"]) < 4 or timely or _IS_ANOTHER.search(before):
        return False
    return len(before.strip()) <= BARE or _IS_ENTERED.search(before) is not None
