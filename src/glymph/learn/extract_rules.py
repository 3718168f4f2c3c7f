"""Finds what of a user's words is worth keeping, by rule, where there is neither model nor reader.

Only sentences that plainly say something lasting are taken: what to remember, standing rules,
preferences, decisions, facts about the user or the project. Questions, requests, code, logs and
what holds for this moment only are not. In doubt nothing is kept. The rules are English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from glymph.learn.turn_lines import read_said_lines
from glymph.text.dates import ENGLISH_MONTHS
from glymph.text.sentences import TYPED, split_sentences
from glymph.text.words import RUN

SHORTEST, LONGEST = 12, 300  # characters of a sentence
PROSE = 0.78  # of its characters are letters or blanks
LEAST_TELLING = 2  # words that are no pronouns, behind what marks the sentence

Kind = str  # one of those the prompt of extraction knows


@dataclass(frozen=True, slots=True)
class Noteworthy:
    """A sentence to keep, and its kind."""

    text: str
    kind: Kind


_LOG = re.compile(
    r"\A\W*\d{4}-\d\d-\d\d[T ]|\A\[?\d\d:\d\d:\d\d|\A\W*(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL"
    r"|TRACE|Traceback|FAILED|PASSED)\b|\A\s*File \"|\A\s*at [\w.$]+\(|\w*(?:Error|Exception): "
    r"|exit code|npm ERR|\bstack trace\b"
)
_CODE = re.compile(
    r"[{};]|=>|==|!=|&&|\|\||\w\(\)|::|->|</|\\n|\A\s*(?:def|class|import|from \w+ import|return"
    r"|const|let|var|SELECT|if \()\b|\A\s*(?:git|npm|pip|docker|cd|ls|sudo|curl|make|kubectl) "
)
_SPEECH = re.compile(
    r"\A(?:[\"“‘].*[\"”’]\.?\Z)|\b(?:said|says|wrote|told me|asked me|according to)\b",
    re.IGNORECASE,
)

# What only holds now, or is only thought of
_PASSING = re.compile(
    r"\b(?:for now|this time|just this once|right now|at the moment|for the moment|temporarily"
    r"|today only|in this (?:file|pr|test|function|case|commit|branch|example|step|session|chat"
    r"|conversation)|for this (?:one|task|pr|test|file|commit|session)|here\b(?! at)|just now"
    r"|earlier today|still (?:not|getting|seeing|failing)|not sure|no idea)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\A(?:if|suppose|imagine|assume|assuming|say|maybe|perhaps|possibly|i (?:think|guess|wonder"
    r"|assume|suppose|believe|feel like|hope|wish|doubt|was|'d)|what if|unless|it (?:seems|looks"
    r"|might|may|could)|hypothetically|would|could|should|can|do|does|did|is|are|was|were|will"
    r"|what|why|how|where|who|which|have you|has)\b|\b(?:might|maybe|perhaps|probably|would be"
    r"|could be|i think|what about|how about|wondering|not yet decided|haven't decided|undecided"
    r"|considering|thinking (?:of|about))\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:this|that|it|these|those|them|one|ones|so|the same|the (?:first|second|last|other"
    r"|former|latter|new|old)(?: \w+)?|(?:option|approach|plan|version|variant|solution"
    r"|suggestion|idea|number) ?[\w#]{0,3}|your \w+|(?:this|that|these|those) \w+)[.!\s]*\Z",
    re.IGNORECASE,
)
_STATE = (
    r"(?:not |now |still |already |totally |completely |really |very |so |too |also |being "
    r"|currently |all |just |pretty )*(?:broken|fail(?:ing|ed)|slow|wrong|work(?:ing|s)|stuck"
    r"|down|up|ready|done|finished|fine|ok|okay|green|red|missing|empty|crash(?:ing|ed)|hanging"
    r"|running|complete|gone|here|there|attached|below|above|as follows|correct|right|good|great"
    r"|bad|off|due to|that|to|why|what|how|because|about|pushed|merged|open|closed|messed|weird"
    r"|unclear|getting|giving|throwing|returning|showing|saying|looking|trying|going|simple|this"
    r"|if|whether|the same)\b"
)
_PAST = (
    r"(?:said|asked|told|meant|wanted|thought|saw|got|had|did|was|were|heard|knew|tried"
    r"|understood|noticed|intended|forget|forgot|get|see|know|mind|learned|agreed|received"
    r"|remember|have|understand|made|wrote|changed|touched)\b"
)
_LEAD = re.compile(
    r"\A(?:(?:ok(?:ay)?|and|also|oh|btw|by the way|so|but|yes|no|yeah|right|well|please|plus|hey"
    r"|hi|actually|one more thing|fyi|for your information|just so you know|in general|generally"
    r"|note|reminder|important|again)(?:\s*[,:;–—-]\s*|\s+))+",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"\A(?:(?:can|could|would) you )?(?:please )?(?:remember|keep in mind|bear in mind|note"
    r"|make a note|take note|don'?t forget|do not forget|memori[sz]e|for future reference"
    r"|for the record|for later)(?P<how> that|\s*:|\s*,(?: that)?| (?=to\b|my\b|our\b|the\b|we\b"
    r"|i\b|all\b))\s*(?P<what>.+)\Z",
    re.IGNORECASE | re.DOTALL,
)
_NOT_REMEMBERED = re.compile(
    r"\b(?:when (?:we|you|i)|what (?:i|you|we) (?:said|did)|last time|how we|the time)\b", re.I
)

_I = r"(?:i|we)"
_OFTEN = (
    r"(?:(?:really|strongly|generally|usually|always|much|also|still|definitely|personally"
    r"|absolutely) )*"
)
_NAMED = r"(?-i:(?=.*(?:\b[A-Z]|\d)))"  # something with a name or a number follows
_DO = (
    r"(?:please|always|never|don'?t|do not|only|use|put|write|run|make|keep|ask|let|add|name|you|we"
    r"|i want|all)\b"
)
_PASSING_THINGS = (
    r"(?:question|guess|point|problem|issue|concern|idea|thought|code|bug|apologies|bad|request"
    r"|suggestion|mistake|understanding|hope|next|first|last|only|current|screen|change|changes"
    r"|tests?|prs?|branch|commit|terminal|attempt|error|errors|output|input|function|script"
    r"|dataframe|data|list|array|files?|class|variable|loop|query|result|results|laptop|machine"
    r"|ide|meeting|message|method|value|line|log|logs|exception|response|command|instance|call"
    r"|component|page|button|form|table|column|row|model|prompt|argument|parameter|module"
    r"|import)\b"
)
_ENDS = (
    rf"by|before|until|in) (?:the end|end of|q[1-4]|\d|next|{'|'.join(ENGLISH_MONTHS)}|"
    r"spring|summer|autumn|fall|winter|christmas|mon|tue|wed|thu|fri|sat|sun"
)
_BEING = (
    r"is|are|runs? on|runs? in|lives? in|uses?|was born|works? (?:at|for|as|in)|listens? on"
    r"|deploys?|depends? on|targets?|supports?|requires?|speaks?|starts? (?:at|on)|ends? (?:at"
    r"|on)"
)
_HELD = (
    r"runs? (?:on|in|at|every)|(?:is|are) (?:hosted|deployed|written|stored|owned|maintained"
    r"|managed|built|served|located|documented|kept) (?:on|in|at|by|with|from|under)|lives? (?:in"
    r"|at|on|under)|listens? on|belongs? to"
)
_RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("lesson", r"\A(?:(?:the )?lessons?(?: learned| learnt)?(?: here)?(?: is(?: that)?|:)"
        r"|(?:we|i)(?:'ve| have)? learned (?:that|the hard way)|turns out(?: that)?,?"
        r"|it turned out that) (?P<rest>.+)"),
        ("goal", r"\A(?:our|my) (?:\w+ ){0,3}(?:goal|aim|objective|target|milestone|mission)"
        r"(?: for [\w ]{1,40})? is (?P<rest>.+)"),
        ("goal", rf"\A(?:our|my|the) (?:\w+ ){{0,3}}(?:deadline|launch date|release date)(?: for "
        rf"[\w ]{{1,40}})? is {_NAMED}(?P<rest>.+)"),
        ("goal", rf"\A{_I} (?:aim|plan|intend|need|want|have) to (?:ship|launch|release|migrate"
        rf"|finish|reach|deliver|go live|retire)\b(?P<rest>.+\b(?:{_ENDS}).*)"),
        ("preference", r"\A(?:from now on|going forward|as a rule|from here on(?: out)?"
        rf"|for all (?:future|new) \w+),? (?!{_I} (?:was|were|did)\b)(?P<rest>.+)"),
        ("preference", rf"\Ain (?:the )?future,? (?={_DO})(?P<rest>.+)"),
        ("preference", r"\A(?P<rest>.+?),? (?:from now on|going forward)[.!]*\Z"),
        ("preference", r"\A(?:you (?:should|must|have to|need to) |(?:do not|don'?t) )?(?:always"
                       r"|never|ever)\b "
        rf"(?!mind\b|again\b|the\b|a\b|in my\b|seen\b|{_PAST})(?P<rest>[a-z]+ .+)"),
        ("preference", rf"\A{_I} (?:should |must |have to |do |will )?(?:always|never"
                       rf"|only ever) (?!{_PAST})"
        r"(?P<rest>[a-z]+ .+)"),
        ("preference", rf"\A{_I} {_OFTEN}(?:prefer|favou?r|dislike|can'?t stand|hate|love"
                       r"|like)\b(?! how\b| "
        rf"that\b| it\b"
        r"| this\b| what\b| your\b| where\b| when\b| to (?:see|know|ask|have you)\b| you\b| "
        r"the (?:idea"
        r"|look|way|sound|new|change|result)\b) (?P<rest>.+)"),
        ("preference", r"\A(?:my|our) (?:\w+ )?(?:preferred|favou?rite|preference)\b(?: "
        r"\w+){0,3} (?:is|are) (?P<rest>.+)"),
        ("decision", r"\A(?:we|the team|the (?:board|client|customer))(?:'ve| have| has)?(?: now"
        r"| finally| already| all| just| jointly)* (?:decided|agreed|settled on|chose|opted"
        r"|standardi[sz]ed on|committed to)\b(?! (?:to (?:meet|talk|look|try|wait|see)"
        r"|with you))(?P<rest>.+)"),
        ("decision", rf"\Ai(?:'ve| have)?(?: now| finally)? (?:decided|chose|settled on"
        rf"|opted)\b{_NAMED}(?P<rest>.+)"),
        ("decision", r"\A(?:we|i)(?:'re| are|'m| am| will be) (?:going with|sticking with"
        r"|switching to|moving to|migrating to|dropping|standardi[sz]ing on"
        rf"|keeping) {_NAMED}(?P<rest>.+)"),
        ("decision", rf"\A{_I}(?:'ve| have)? (?:went with|gone with|switched (?:from|to)"
        r"|migrated (?:from|to)|moved (?:from \w+ )?to|dropped support for|replaced \w+ (?:with"
        rf"|by)) {_NAMED}(?P<rest>.+)"),
        ("decision", r"\A(?:let'?s|let us) (?:go with|stick with|stick to|settle on"
        r"|standardi[sz]e on|commit to) (?P<rest>.+)"),
        ("decision", r"\A(?:the |our |final )*decision(?: is(?: to| that)?|:) (?P<rest>.+)"),
        ("fact", rf"\A(?:my|our) (?!(?:[\w'’-]+ ){{0,3}}?{_PASSING_THINGS})(?:[\w'’-]+ "
        rf"){{0,4}}?[\w'’-]+ (?:{_BEING}) (?!{_STATE})(?P<rest>.+)"),
        ("fact", rf"\A(?:the|all|every) (?!(?:[\w'’/-]+ ){{0,3}}?{_PASSING_THINGS})(?:[\w'’/-]+ "
        rf"){{1,4}}(?:{_HELD}) "
        rf"{_NAMED}(?P<rest>.+)"),
        ("fact", r"\Awe (?!(?:use|run|keep|work|write|test) to\b)(?:only |mainly |mostly |all "
        r"|currently )?(?:use|run|deploy|host|store|support|target|ship|build|keep|write|test"
        r"|develop|work) (?!it\b|this\b|that\b|them\b|these\b|those\b"
        r"|the same\b)(?=.*(?:(?-i:\b[A-Z]|\d)|,? not\b|instead of|rather than))(?P<rest>.+)"),
        ("fact", r"\Ai(?:'m| am) (?:a|an|the|based in|allergic to|left-handed|vegetarian|vegan"
        r"|responsible for|in charge of|colou?r-?blind|married|located in|new to)\b (?!bit\b"
        r"|little\b|fan of (?:this|that)|one (?:who|that)|same\b)(?P<rest>.+)"),
        ("fact", rf"\Ai(?:'m| am) (?:from|on|originally from) {_NAMED}(?P<rest>.+)"),
        ("fact", r"\Ai (?:work|live|study|teach|grew up|was born) (?:at|in|for|as) (?!it\b|this\b"
        r"|that\b)(?P<rest>.+)"),
        ("fact", rf"\Ai (?:maintain|own|lead|manage|speak|come from) {_NAMED}(?P<rest>.+)"),
    )
)  # fmt: skip

_PRONOUNS = frozenset(
    "a an the this that it these those them one so to in on of for with and or is are be i we you "
    "he she they my our your do does not no too very just really at by as from all any some".split()
)


def find_noteworthy(text: str) -> tuple[Noteworthy, ...]:
    """The sentences of a user's turn that are worth keeping, each as it was said."""
    found: dict[str, Noteworthy] = {}
    for line in read_said_lines(text):
        for sentence in split_sentences(line.text, TYPED):
            kept = _keep(" ".join(sentence.split()))
            if kept is not None:
                found.setdefault(kept.text.casefold(), kept)
    return tuple(found.values())


def _keep(sentence: str) -> Noteworthy | None:
    """The sentence without its lead and with its kind; None if it is not plainly worth keeping."""
    said = _LEAD.sub("", sentence).strip()
    if not SHORTEST <= len(said) <= LONGEST or "?" in said or not _is_prose(said):
        return None
    asked = _REMEMBER.match(sentence) or _REMEMBER.match(said)
    if asked is not None:
        return _remember(asked)
    if _PASSING.search(said) or _SUPPOSED.search(said) or _SPEECH.search(said):
        return None
    kind = find_kind(said)
    return None if kind is None else Noteworthy(_capital(said), kind)


def find_kind(said: str) -> Kind | None:
    """The kind of a statement that some rule knows and that tells enough by itself."""
    for kind, pattern in _RULES:
        found = pattern.match(said)
        if found is not None:
            return kind if _tells(found["rest"]) else None
    return None


def _remember(asked: re.Match[str]) -> Noteworthy | None:
    """Returns what was asked to be remembered."""
    what = asked["what"].strip()
    if _NOT_REMEMBERED.match(what) or not _tells(what) or len(what) < SHORTEST:
        return None
    if asked["how"].strip() == "" and re.match(r"to\b", what, re.IGNORECASE):
        if _PASSING.search(what):
            return None
        return Noteworthy(_capital("Remember " + what), "preference")
    return Noteworthy(_capital(what), find_kind(what) or "note")


def _tells(rest: str) -> bool:
    """Returns whether what follows the mark says something without what was said before it."""
    words = [word for word in RUN.findall(rest.casefold()) if word not in _PRONOUNS]
    if not words or (_VAGUE.search(rest) and len(words) <= LEAST_TELLING):
        return False
    return not re.match(r"(?:this|that|it|these|those|them)\b[.!,]*(?:\s|\Z)", rest, re.IGNORECASE)


def _is_prose(said: str) -> bool:
    plain = re.sub(r"`[^`]*`|https?://\S+", "word", said)
    letters = sum(c.isalpha() or c.isspace() for c in plain)
    return letters >= PROSE * len(plain) and not _CODE.search(plain) and not _LOG.search(said)


def _capital(said: str) -> str:
    first = said.split(" ", 1)[0]
    return said[:1].upper() + said[1:] if first.isalpha() and first.islower() else said
