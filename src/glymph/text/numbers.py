"""Reads numbers: in digits and in words, alone and with a unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from glymph.text.patterns import compile_late
from glymph.text.spans import Key, Span

# A number as English texts write it, with commas between the thousands.
FIGURE = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
SIGNED_FIGURE = rf"[+-]?(?:{FIGURE})"
# A number that stands for itself, whatever separates its parts: 4711, 3.5, 12/2024.
BARE_FIGURE = compile_late(r"(?<![\w.,])\d+(?:[./]\d+)*(?!\w)")
ENGLISH_NUMBERS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
} | {
    word: 10 * tens
    for tens, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
_SPELLED = compile_late(
    rf"\b(?P<first>{'|'.join(ENGLISH_NUMBERS)})"
    r"(?:[- ](?P<more>one|two|three|four|five|six|seven|eight|nine))?\b",
    re.IGNORECASE,
)
_ONE = compile_late(
    r"(?<=\bonly )one\b|(?<=\bjust )one\b"
    rf"|\bone(?= (?:out )?of (?:the |my |these )?(?:\d|(?:{'|'.join(ENGLISH_NUMBERS)})\b))",
    re.IGNORECASE,
)
# What follows the first digit of a number: groups of three, or digits, and decimals.
TAIL = (
    r"(?:[0-9]{0,2}(?P<mark>[ ',.])[0-9]{3}(?:(?P=mark)[0-9]{3}){0,5}(?:[.,][0-9]{1,12})?(?![0-9])|"
    r"[0-9]{0,14}(?:[.,][0-9]{1,12})?)"
)
_NOT_MINUS = compile_late(r"[\w)\].,-]")
CURRENCIES = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "us$": "USD", "usd": "USD",
    "dollar": "USD", "dollars": "USD", "dólares": "USD", "£": "GBP", "gbp": "GBP", "pound": "GBP",
    "pounds": "GBP", "¥": "JPY", "jpy": "JPY", "yen": "JPY", "₹": "INR", "inr": "INR",
    "rupees": "INR", "₽": "RUB", "rub": "RUB", "руб": "RUB", "рублей": "RUB", "chf": "CHF",
    "franken": "CHF", "cny": "CNY", "元": "CNY", "krw": "KRW", "₩": "KRW", "cad": "CAD",
    "aud": "AUD", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "zł": "PLN", "czk": "CZK",
    "brl": "BRL", "r$": "BRL", "mxn": "MXN", "btc": "BTC", "eth": "ETH", "usdt": "USDT",
}  # fmt: skip
_SCALED = {  # what converts exactly: into which unit, times what
    "m": "mm .001 cm .01 m 1 km 1000 meter 1 meters 1 metre 1 metres 1 mètres 1 metros 1 metri 1 "
    "kilometer 1000 kilometers 1000 kilometres 1000 kilometre 1000 kilomètres 1000 kilómetros 1000 "
    "chilometri 1000 км 1000 м 1",
    "in": "inch 1 inches 1 ft 12 feet 12 foot 12 yd 36 yard 36 yards 36 mi 63360 mile 63360 miles "
    "63360",
    "g": "mg .001 g 1 kg 1000 gram 1 grams 1 gramm 1 kilo 1000 kilos 1000 kilogram 1000 kilograms "
    "1000 кг 1000 t 1000000 ton 1000000 tonne 1000000 tonnes 1000000",
    "oz": "oz 1 ounce 1 ounces 1 lb 16 lbs 16",
    "s": "ms .001 millisecond .001 milliseconds .001 s 1 sec 1 secs 1 second 1 seconds 1 sekunde 1 "
    "sekunden 1 secondes 1 segundos 1 secondi 1 min 60 mins 60 minute 60 minutes 60 minuten 60 "
    "minuto 60 minutos 60 minuti 60 минут 60 h 3600 hr 3600 hrs 3600 hour 3600 hours 3600 stunde "
    "3600 stunden 3600 heure 3600 heures 3600 hora 3600 horas 3600 ora 3600 ore 3600 час 3600 часа "
    "3600 часов 3600",
    "day": "day 1 days 1 tag 1 tage 1 tagen 1 jour 1 jours 1 día 1 días 1 dia 1 dias 1 giorno 1 "
    "giorni 1 день 1 дня 1 дней 1 week 7 weeks 7 woche 7 wochen 7 semaine 7 semaines 7 semana 7 "
    "semanas 7 settimana 7 settimane 7",
    "month": "month 1 months 1 monat 1 monate 1 monaten 1 mois 1 mes 1 meses 1 mese 1 mesi 1 mês 1 "
    "месяцев 1 year 12 years 12 yr 12 yrs 12 jahr 12 jahre 12 jahren 12 an 12 ans 12 année 12 "
    "années 12 año 12 años 12 anno 12 anni 12 ano 12 anos 12 лет 12 года 12",
    "%": "% 1 percent 1 prozent 1 pourcent 1 процентов 1",
    "l": "ml .001 l 1 liter 1 liters 1 litre 1 litres 1 litros 1 litri 1",
    "km/h": "km/h 1 kmh 1 kph 1",
    "mph": "mph 1",
    "C": "°c 1 celsius 1",
    "F": "°f 1 fahrenheit 1",
    "kcal": "kcal 1",
    "W": "w 1 kw 1000 mw 1000000",
    "Wh": "wh 1 kwh 1000",
    "Hz": "hz 1 khz 1000 mhz 1000000 ghz 1000000000",
    "m2": "m² 1 sqm 1 qm 1",
    "m3": "m³ 1",
    "KB": "kb 1",
    "MB": "mb 1",
    "GB": "gb 1",
    "TB": "tb 1",
    "KiB": "kib 1",
    "MiB": "mib 1",
    "GiB": "gib 1",
    "px": "px 1 pixel 1 pixels 1",
}
UNITS: dict[str, tuple[str, Decimal]] = {
    name: (unit, Decimal(factor))
    for unit, names in _SCALED.items()
    for name, factor in zip(names.split()[::2], names.split()[1::2], strict=True)
}
_TIMES = {
    name: Decimal(factor)
    for names, factor in [
        ("k thousand tausend mille mil тысяч тыс", 10**3),
        ("m mn mm million millions mio millionen millones milioni milhões млн", 10**6),
        ("b bn billion billions mrd milliarden milliard milliards miliardi млрд", 10**9),
    ]
    for name in names.split()
}
_GLUED = frozenset("k K M mn bn B".split())
_SIGN = r"US\$|R\$|[€$£¥₹₽₩]"
_BEFORE = compile_late(
    r"(?P<unit>[A-Z$€£¥₹₽₩](?<!\w.)(?:\$|(?<=[A-Z])[A-Z]{2,3})?) ?(?P<minus>-)?"
    rf"(?P<number>[0-9]{TAIL})(?: ?(?P<times>[^\W\d_]{{1,9}})(?![\w]))?(?!\w)"
)
_AFTER = compile_late(
    rf"(?P<number>[0-9](?<![\w.,].)(?<![^\W\d_][-_/].){TAIL})(?: |-(?=[a-z]))?(?P<unit>%|°[CFcf]"
    rf"|°(?!\w)|{_SIGN}|[^\W\d_]{{1,12}}(?:/h(?!\w))?[²³]?)(?: (?P<second>{_SIGN}"
    rf"|[^\W\d_]{{1,10}}))?"
)
_FREE = compile_late(
    rf"(?P<number>[0-9](?:{TAIL}(?![0-9])|[0-9]*))(?P<times>[kKM](?!\w)|bn(?!\w))?"
)
_WORDS = compile_late(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_SMALL = {word: Decimal(number) for word, number in ENGLISH_NUMBERS.items()} | {
    word: Decimal(value)
    for value, words in [
        ("0", "null nul cero ноль"),
        ("0.5", "half halb demi medio mezzo"),
        ("1", "first single erste ersten premier première primero primera primo один одна"),
        ("2", "second twice both double zwei zweite zweiten zweimal deux deuxième dos segundo "
         "segunda secondo duas dois два две дважды"),
        ("3", "third thrice triple drei dritte dritten trois troisième tres tercero tre terzo "
         "três terceiro три"),
        ("4", "fourth vier vierte quatre cuatro cuarto quattro quarto quatro четыре"),
        ("5", "fifth fünf fünfte cinq cinco quinto cinque пять"),
        ("6", "sixth sechs sechste seis шесть"),
        ("7", "seventh sieben siebte sept siete sette sete семь"),
        ("8", "eighth acht achte huit ocho oito восемь"),
        ("9", "ninth neun neunte neuf nueve nove девять"),
        ("10", "tenth zehn zehnte dix diez dieci dez десять"),
        ("11", "eleventh onze undici одиннадцать"),
        ("12", "twelfth dozen zwölf zwölfte douze doce dodici doze двенадцать"),
        ("13", "dreizehn treize trece tredici treze"),
        ("14", "vierzehn quatorze catorce quattordici catorze"),
        ("15", "fünfzehn quinze quince quindici"),
        ("16", "sechzehn seize dieciséis sedici dezesseis"),
        ("17", "siebzehn diecisiete diciassette dezessete"),
        ("18", "achtzehn dieciocho diciotto dezoito"),
        ("19", "neunzehn diecinueve diciannove dezenove"),
        ("20", "zwanzig vingt veinte venti vinte двадцать"),
        ("30", "dreißig trente treinta trenta trinta тридцать"),
        ("40", "vierzig quarante cuarenta quaranta quarenta сорок"),
        ("50", "fünfzig cinquante cincuenta cinquanta пятьдесят"),
        ("60", "sechzig soixante sesenta sessanta sessenta"),
        ("70", "siebzig setenta settanta"),
        ("80", "achtzig ochenta ottanta oitenta"),
        ("90", "neunzig noventa novanta"),
        ("100", "hundred hundert cien cento сто"),
        ("1000", "thousand tausend тысяча"),
        ("1000000", "million millones millionen"),
    ]
    for word in words.split()
}  # fmt: skip
_LARGE = (Decimal(100), Decimal(1000), Decimal(1000000))


def read_figure(written: str) -> Decimal:
    """Returns the number that a figure of an English text stands for."""
    return Decimal(written.replace(",", ""))


def passes_luhn(digits: str) -> bool:
    """Returns whether the check digit of a payment card holds."""
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def with_digits(text: str) -> str:
    """Returns the text with English number words below a hundred written as digits.

    "One" mostly is no number and stays.
    """

    def write(found: re.Match[str]) -> str:
        if found[0].lower() == "one":
            return found[0]
        more = ENGLISH_NUMBERS.get((found["more"] or "").lower(), 0)
        return str(ENGLISH_NUMBERS[found["first"].lower()] + more)

    return _SPELLED.sub(write, _ONE.sub("1", text))


def find_quantities(text: str) -> Iterator[Span]:
    """Finds amounts with a unit, number and unit made one where that is exact.

    So 1.5k EUR, €1500 and 1,500 euros are `1500 EUR`.
    """
    for match in _BEFORE.finditer(text):
        unit = CURRENCIES.get(match["unit"].lower())
        if unit is None:
            continue
        written, end = match["times"], match.end("number")
        times = _TIMES.get((written or "").lower())
        if times is not None:
            end = match.end("times")
        sign = "-" if match["minus"] else _sign(text, match.start())
        start = match.start() - (len(sign) if not match["minus"] else 0)
        yield _make_span(sign, match["number"], times or Decimal(1), unit, start, end, money=True)
    for match in _AFTER.finditer(text):
        yield from _amount(match)


def possible_values(number: str, *, money: bool = False) -> tuple[Decimal, ...]:
    """Returns what a written number may mean, the likeliest first.

    For example, 1.500 is one and a half or, in Berlin, 1500.
    """
    marks = [char for char in number if not char.isdigit()]
    if not marks:
        return (Decimal(number),)
    last, kinds = marks[-1], set(marks)
    digits = re.sub("[^0-9]", "", number)
    if last in " '" or (len(marks) > 1 and len(kinds) == 1):
        return (Decimal(digits),)
    head, _, tail = number.rpartition(last)
    decimal = Decimal(re.sub("[^0-9]", "", head) + "." + tail)
    if len(kinds) > 1 or len(tail) != 3 or head.startswith("0"):
        return (decimal,)
    whole = Decimal(digits)
    if money:
        return (whole,)
    return (whole, decimal) if last == "," else (decimal, whole)


def write_plain(value: Decimal) -> str:
    """A value without exponent and without zeros that say nothing."""
    written = f"{value:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def find_figures(text: str) -> Iterator[tuple[Decimal, int, int]]:
    """The numbers written in digits, with their places; an ordinal counts as its number."""
    for match in _FREE.finditer(text):
        value = possible_values(match["number"])[0] * _TIMES.get(
            (match["times"] or "").lower(), Decimal(1)
        )
        sign = _sign(text, match.start())
        yield -value if sign else value, match.start() - len(sign), match.end()


def find_number_words(text: str) -> Iterator[Decimal]:
    """The numbers written in words, up to some hundreds: three, twenty-five, drei, two hundred."""
    open_value: Decimal | None = None
    for match in _WORDS.finditer(text.lower()):
        whole = _SMALL.get(match[0])
        parts = [whole] if whole is not None else [_SMALL.get(part) for part in match[0].split("-")]
        for value in parts:
            if value is None:
                if open_value is not None:
                    yield open_value
                open_value = None
            elif open_value is None:
                open_value = value
            elif value in _LARGE and open_value < value:
                open_value *= value
            elif value < 10 and open_value >= 20 and open_value % 10 == 0:
                open_value += value
            else:
                yield open_value
                open_value = value
    if open_value is not None:
        yield open_value


def _amount(match: re.Match[str]) -> Iterator[Span]:
    written, second = match["unit"], match["second"]
    word, next_word = written.lower(), (second or "").lower()
    sign, number = _sign(match.string, match.start()), match["number"]
    start = match.start() - len(sign)
    if word in _TIMES and next_word in CURRENCIES:
        yield _make_span(
            sign, number, _TIMES[word], CURRENCIES[next_word], start, match.end(), money=True
        )
        return
    glued = match.end("number") == match.start("unit")
    if _followed_by_word(match):
        return
    end = match.end("unit")
    if word in CURRENCIES:
        yield _make_span(sign, number, Decimal(1), CURRENCIES[word], start, end, money=True)
    elif word in UNITS and not (
        word == "s" and glued and len(number) in (2, 4) and number.endswith("0")
    ):
        if written == "M" and glued:
            yield _make_span(sign, number, Decimal(10**6), "", start, end)
            return
        unit, factor = UNITS[word]
        yield _make_span(sign, number, factor, unit, start, end)
    elif glued and written in _GLUED:
        yield _make_span(sign, number, _TIMES[word], "", start, end)
    elif word in ("por", "pour", "per") and next_word in ("ciento", "cent", "cento"):
        yield _make_span(sign, number, Decimal(1), "%", start, match.end())


def _sign(text: str, start: int) -> str:
    """The minus in front of a number; a dash between words or digits is none."""
    if start < 1 or text[start - 1] != "-" or (start > 1 and _NOT_MINUS.match(text, start - 2)):
        return ""
    return "-"


def _followed_by_word(match: re.Match[str]) -> bool:
    """Returns whether the unit is only the beginning of a longer word or code."""
    end, text = match.end("unit"), match.string
    return (
        end < len(text)
        and match["unit"][-1].isalnum()
        and (text[end].isalnum() or text[end] == "_")
    )


def _make_span(
    sign: str, number: str, times: Decimal, unit: str, start: int, end: int, *, money: bool = False
) -> Span:
    keys = [
        f"{sign}{write_plain(value * times)} {unit}".rstrip()
        for value in possible_values(number, money=money)
    ]
    others: tuple[Key, ...] = tuple(("quantity", key) for key in keys[1:])
    return Span("quantity", keys[0], start, end, others)
