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
_DIGIT = rf"\b(?:{'|'.join(word for word in VALUES if word.isalpha() and len(word) > 1)})\b"
_FIGURES = (
    r"(?<![\w.,:/€$£+\-])(?<!\d )(?P<v>[*#]?\d{3,8}[#*]?|\d(?:[ \-*]\d{1,4}){3,5}|\d{3}[ \-]\d{3}"
    r"|\d[*]\d{3,5}|\d\d(?:[ \-]\d{1,2}){2}|\d{1,4}[A-D]\d{1,4}|[A-D]\d{3,5}[A-Z]?"
    rf"|(?:{_DIGIT}[ \-]){{3,7}}{_DIGIT})"
    r"(?![\w%€$£]|[.,:/\- ]\d| ?(?:€|euros?|dollars?|pounds?|quid|ohm|volts?|baud|[km]?m\b|ms\b"
    r"|k?gr?(?:ams)?\b|hours?|times|by \d|of\b|people|words|lines|calls|bytes|uhr|stunden|leute"
    r"|personas|mal\b))"
)
# What is opened by a few figures and said of little else.
_CERTAIN = (
    r"passcode|pass code|key ?pad|lock ?box|key ?(?:box|safe)|padlock|(?:bike|suitcase) lock"
    r"|combo\b|combination|alarm panel|parental control|intercom|geheimzahl|geheimnummer"
    r"|schlüssel(?:kasten|safe|tresor|box)|fahrradschloss|zahlenschloss|vorhängeschloss|tresor"
    r"|alarmanlage|caja fuerte|candado|cajita|antivol|digicode|cadenas|coffre-fort|boîte à clés?"
    r"|cassaforte|lucchetto|kluis|sleutel(?:kast|kluis)|fietsslot|cofre|cadeado|unlocks? with"
    r"|entsperr|desbloque\w*|déverrouill\w*|sblocca\w*|ontgrendel\w*|(?:(?:door|gate|alarm|entry"
    r"|access|lock|safe|garage|building|security|unlock|shed|locker)(?:'s)?|tür|tor|zugangs?"
    r"|eingangs?|garagen?|alarm|deur|toegangs|poort)[ -]?(?:code|kombination)|c[óo]d(?:igo"
    r"|ice) (?:de |del |de la |da |do |della |dell'|di |d')(?:puerta|portal|alarma|entrada|acceso"
    r"|garaje|porta|portão|portone|alarme|acesso|prédio|cancello|allarme|accesso)"
    r"|code (?:de (?:la |l')|du |d')(?:porte|portail|entrée|accès|alarme|immeuble|garage)"
)
# A card's or a telephone's PIN: of a circuit board one says which, "pin 4".
_PIN = (
    r"(?:card|bank|sim|phone|app|identity|amex|visa|karten?|handy|konto|bancomat|carta|tarjeta"
    r"|cartão|carte|my|mijn|mein|meine|mi|mon|mio|meu|mijn|ist die"
    r"|is the)\b[^.!?\n]{0,30}?\bpin(?: ?code|'s)?\b|\bpin(?: ?code)?(?:\b (?:is|ist|es|est|è|é"
    r"|del|de la|della|du|de|van|von|for|number|code)\b|'s\b)"
)
# What is opened by other things, too, and words that say that figures are entered.
_OPENED = (
    r"door|gate\b|gate's|garage|alarm|entry|building|basement|shed|voicemail|locker|car park"
    r"|banking|debit card|ec-karte|carte bleue|spind\b|hoftor|lock\b|locked|safe\b|phone|ipad"
    r"|laptop|office|code\b|türe?\b|haustür|tor\b|tors\b|mailbox|handy|portal\b|portão|portail"
    r"|porte\b|immeuble|cancello|portone|allarme|alarme|prédio|cochera|garaje|puerta|móvil|telefon"
    r"|téléphone|voordeur|poort\b|bank app|\bpad\b|teclado|clave|senha|clavier"
)
_ENTERED = (
    r"(?:with|takes?|punch(?: in)?|press|dial|type(?: in)?|enter|try|hit|use|set to|reset to"
    r"|wants?|mit|raute|und dann|schnell|con|col|avec|tape[sz]?|marcar|marcas?|digit[ae]|pones|fai"
    r"|auf|op|code(?:'s)?|c[óo]digo|codice|combo|com|fais|fai|goes|needs|was|then|hat jetzt|dann"
    r"|va con|c'est|it's|that's|is|ist|es|est|è|é|jetzt|now|das ist bei \w+|keypad)[ :]{1,2}"
)
_TYPED = (
    r"\s?(?:and (?:hit|press|push)|then p|enter\b|on the (?:key ?)?pad|eintipp|drück|no teclado"
    r"|star at|to get in|puis|dann die|hash\b)"
)
_OTHERS = (
    r"(?:error|exit|status|zip|post(?:al)?|area|country|dial(?:ling)?|product|item|bar|colou?r"
    r"|charge|discount|promo|booking|reference|model|tax|room|source|fehler|artikel|farb|buchungs"
    r"|erreur|postal|de error|de réduction|promo|sconto|desconto"
    r"|de descuento)[ -]?code?s?:?(?: \w{1,4})? ?"
)
_CALLED = r"(?:phone|handy|mobile|telefon)[ -]?(?:number|nummer)|extension|durchwahl|mobile is"
_YEAR_OR_TIME = compile_late(r"19[5-9]\d|20[0-4]\d|(?:0[4-9]|1\d|2[0-3])[0-5][05]")
_ENDS = compile_late(r"[.!?\n]\s")
_SAYS_CERTAINLY = compile_late(rf"(?<![^\W_])(?:{_CERTAIN}|{_PIN})", re.IGNORECASE)
_SAYS = compile_late(rf"(?<![^\W_])(?:{_OPENED})", re.IGNORECASE)
_IS_ENTERED = compile_late(
    rf"(?<![^\W_]){_ENTERED}(?:in |the |die |dann |el |la |il |o |bell then |den )?\Z",
    re.IGNORECASE,
)
_IS_TYPED = compile_late(_TYPED, re.IGNORECASE)
_IS_ANOTHER = compile_late(rf"(?<![^\W_])(?:{_OTHERS}\Z|{_CALLED})", re.IGNORECASE)
_FOUND = compile_late(_FIGURES)


def mask_codes(text: str) -> tuple[str, int]:
    """Returns a text with the codes that open something replaced by `[secret]`, and how many."""
    count = 0

    def replace(found: re.Match[str]) -> str:
        nonlocal count
        if not _opens(found):
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
    value = found["v"]
    if _IS_ANOTHER.search(before):
        return False
    typed = _IS_ENTERED.search(before) or _IS_TYPED.match(behind)
    if _SAYS_CERTAINLY.search(near):
        return True
    if len(value) < 4 or not typed or _YEAR_OR_TIME.fullmatch(value):
        return False
    return bool(_SAYS.search(before) or _SAYS.search(behind) or _SAYS_CERTAINLY.search(behind))
