"""English as data: the words that tell what a statement does.

A statement may ask, suppose, plan, report, or tell a change or an end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from glymph.text.words import word_set


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b")


# Clauses are matched folded, with short forms written out ("i am", "do not").
ASKING = re.compile(
    r"^(?:can|could|do|does|did|is|are|am|was|were|should|would|will|have|has|may|shall|what|how"
    r"|when|where|who|why|whose|any|please)\b(?! (?:comes|happened))"
)
REPORTING = _any(
    "(?:he|she|they|[a-z]+) (?:said|says|claims|claimed|told|tells|thinks|believes|mentioned"
    "|argues|reported)",
    "according to", "rumou?rs?", "i (?:heard|read) that", "supposedly", "allegedly",
)  # fmt: skip
SUPPOSING = _any(
    "if", "unless", "suppose", "imagine", "might", "(?<!in )(?<!of )(?<!since )may", "could",
    "would", "maybe", "perhaps", "probably", "possibly", "wish", "whether", "in case",
    "thinking (?:about|of)", "considering", "wondering", "should", "kidding", "joking",
    "yeah right", "sure and", "dreamt", "dreamed",
)  # fmt: skip
PLANNING = _any(
    "will", "shall", "going to(?! (?:a|an|the|my|our)\\b)", "gonna",
    "plan(?:s|ned|ning)? (?:to|on)", "wants? to", "hop(?:e|es|ing) to", "intends? to", "like to",
    "needs? to", "have to", "trying to", "try to", "applied (?:for|to)", "looking (?:for|to)",
    "about to", "dream of", "next (?:week|month|year)", "some ?day", "aims? to", "must",
)  # fmt: skip
FORMER = _any(
    "used to", "ago", "back then", "from (?:19|20)\\d\\d (?:to|until|till|through) (?:19|20)\\d\\d",
    "between (?:19|20)\\d\\d and (?:19|20)\\d\\d", "formerly", "previously", "in (?:19|20)\\d\\d",
    "until (?:19|20)\\d\\d", "once", "last (?:year|summer|winter|spring|autumn|fall)", "yesterday",
    "as a (?:child|kid|student)", "for a long time", "in (?:college|school|university)",
    "(?:was|were) (?!\\w+ed\\b|born|taken|given|sold|put|set)\\w+", "when", "at the time",
    "in those days",
)  # fmt: skip
CHANGE = _any(
    "now", "these days", "nowadays", "currently", "anymore", "any more", "no longer", "again",
    "instead", "from now on", "as of", "recently", "actually", "correction", "i meant", "sorry",
    "after all",
    "(?<!to )(?:moved|moving|relocated|switched|switching|changed|changing|migrated|upgraded"
    "|downgraded|updated|rescheduled|postponed|shifted|pushed|delayed|brought forward|extended"
    "|shortened|renamed|replaced|promoted|increased|decreased|raised|lowered|reduced|improved"
    "|dropped|grew|grown|risen|rose|fell|adjusted|revised|reached|turned|converted|expanded)",
    "(?:went|gone|goes) (?:up|down)", "took over", "taken over", "(?:just|has|have) joined",
    "joined", "(?:got|gotten|get) (?:married|divorced|engaged)", "(?:has|have) become", "became",
    "started", "starting", "(?:the|my|our|a|its) new", "new", "bought", "sold", "adopted", "quit",
    "stopped",
)  # fmt: skip
# What leads to a new value: "increased my budget to", "the new deadline of", "is now at", "has
# reached".
FRESH = re.compile(
    r"(?:(?<!to )(?<!would )(?<!could )\b(?:moved|moving|switched|changed|migrated|upgraded"
    r"|downgraded|updated|rescheduled|postponed|shifted|pushed|delayed|forward|extended|shortened"
    r"|renamed|promoted|increased|decreased|raised|lowered|reduced|improved|dropped|grew|grown"
    r"|risen|rose|fell|adjusted|revised|expanded|gone up|gone down|went up|went down) (?:\w+ "
    r"){0,8}?(?:to|into|until) (?:about |around |over |a total of )?|\b(?:reached|turned"
    r"|(?<!it )(?<!it is )now|now has|now have|now at|(?<!it )is now|are now|(?:now )i (?:now "
    r")?have)(?: a total of| about| at| on)? )$"
)
NEW = re.compile(
    r"\b(?:the|my|our|its|this|his|her|their) new (?:(?!\w+(?:ing|ed)\b)\w+ ){0,4}?(?:of |is "
    r"|at )?$"
)
THOUGHT = _any(
    "if", "unless", "suppose", "imagine", "might", "could", "would", "maybe", "perhaps", "wish",
    "whether", "should", "plan(?:s|ning)? (?:to|on)", "wants?", "hop(?:e|ing)", "like",
    "thinking (?:of|about)", "consider(?:ing)?", "will", "going", "not", "never", "he", "she",
    "they",
)  # fmt: skip
ENDING = _any(
    "no longer", "not (?:[a-z]+ ){1,6}?(?:anymore|any more)", "anymore", "stopped", "quit",
    "gave up", "given up", "giving up", "left", "resigned", "cancel(?:l?ed)", "called off", "sold",
    "lost interest", "broke up", "broken up", "got rid of", "getting rid of", "ended",
    "moved? away", "abandon(?:ed|ing)?", "(?:shift|turn|drift)(?:ed|ing)? away",
    "(?:step|stepped|stepping) (?:away|back|down)", "los[st]e? (?:\\w+ )?(?:interest|appeal)",
    "(?:decreas(?:ed?|ing)|diminish(?:ed|ing)|waning|declin(?:ed|ing)|less|fading|reduc(?:ed|ing)"
    "|lack of) (?:the )?(?:interest|appeal|presence|focus)",
    "interest (?:\\w+ ){0,3}?(?:waned|faded|declined|diminished)",
    "(?:preference|taste|enthusiasm|love|fondness|need|appetite) (?:\\w+ ){0,4}?(?:waned|faded"
    "|declined|diminished)",
    "not (?:[a-z]+ )?as (?:appealing|enjoyable|interesting|fun)", "dropped out", "retired from",
    "discontinued", "deleted", "removed", "removal (?:of|from)",
    "(?:decided|deciding|decision) to (?:\\w+ )?(?:stop|drop|remove|quit|avoid|eliminate)",
    "(?:put|set) aside", "phased? out", "cut out", "fell out of favou?r", "outgr(?:ew|own)",
    "(?:tired of|bored (?:of|with|by)|fed up with)", "moved on from", "parted with",
    "overshadow(?:ed|ing)", "scrapped", "withdrew", "withdrawn", "unsubscribed",
    "dropped (?:my|our|the)", "less time for", "gave (?:away|way to)",
)  # fmt: skip
AT_A_TIME = re.compile(
    r"\bat (?:\d|noon|midnight|night|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve)"
)
# A change of heart: what was liked or disliked is seen anew.
_RETHOUGHT = (
    "reconsider(?:ed|ing)?|re ?evaluat(?:ed?|ing)|re ?assess(?:ed|ing)?|rethink|rethought|re ?think"
)
TURNING = _any(
    "(?:led|leading|leads|prompt(?:ed|ing)|made|making|caus(?:ed|ing)|encourag(?:ed|ing)|decided"
    "|got) "
    f"(?:\\w+ ){{0,4}}?(?:{_RETHOUGHT}|appreciate|embrace|accept|enjoy|avoid)",
    "reconsidered", "re ?evaluated", "re ?assessed", "rethought", "reconsideration",
    "re ?evaluation", "re ?assessment", "change of heart", "changed? (?:\\w+ )?mind",
    "(?:chang|alter|shift|challeng|soften|revers)(?:ed|ing) (?:\\w+ ){1,3}?(?:view|opinion|stance"
    "|attitude|perception|perspective|notion|dislike|preference|aversion)s?",
    "new ?found (?:appreciation|respect|interest|love|fondness)",
    "(?:came|come|grown|grew|learned|learnt) to (?:appreciate|like|enjoy|love|dislike|hate|accept)",
    "(?:warmed|warming) (?:up )?to", "grown fond of",
    "(?:reduced|lessened|diminished|softened) (?:aversion|dislike)",
    "(?:preference|shift) (?:shift )?(?:from|towards?)",
    "(?:got|gotten) over (?:\\w+ )?(?:dislike|fear|aversion)", "more nuanced view",
)  # fmt: skip
STANCE = word_set("like love enjoy hate dislik prefer avoid favour favor ador detest fear")
KINSFOLK = word_set(
    "friend brother sister wife husband neighbour neighbor colleague boss son daughter mother "
    "father mom dad partner roommate cousin aunt uncle nephew niece flatmate girlfriend boyfriend "
    "coworker grandmother grandfather"
)
# Who asks whether something is so does not say that it is.
OPEN = re.compile(r"(?:is|are|am|was|were|has|have|had|did|does|do|will|would|should)\b")
# "I have read 12 books": a count that goes on from the one before.
PERFECT = re.compile(
    r"\b(have|has|recently|already) (?:(?:now|already|recently|just|only|finally|since"
    r"|so far) )*(?:\w+ed|done|read|seen|written|made|run|taught|sold|bought|met|won|spent|taken"
    r"|built|found)\b"
)
STOCK = word_set("have be contain includ")
LIKING = word_set(
    "like likes love loves enjoy prefer liked favourite favorite read play eat drink listen watch"
)
DISLIKING = word_set("dislike dislikes hate hates avoid avoids")
EXTRA = word_set("also too another additionally additional besides as-well")

BE = word_set("am is are was were be been being")
AUXILIARIES = BE | word_set("have has had do does did can cannot will been being got get")
GAP = "valuegap"  # stands where a value stood
DO = word_set("do does did can cannot will")
BEGINNING = word_set("started start starts began begun keep keeps kept stopped")
ADVERBS = word_set(
    "not never now just recently actually currently still already always usually often really "
    "finally only even also then normally mostly mainly nowadays correction sorry meant longer no "
    "yet ever kinda"
)
PREPOSITIONS = word_set(
    "in at on to into for from with as of by about over under after before between off up through "
    "down out away"
)
DETERMINERS = word_set(
    "a an the my our your his her their its this that these those some any every each no"
)
ARTICLES = word_set("a an the this that these those s")
PRONOUNS = word_set("i we you he she they it")
UNCLEAR = word_set("it this that which who he she they there these those you")

# Forms that no ending explains, and verbs that are hard to tell from nouns.
LEMMAS: dict[str, str] = {
    form: lemma
    for lemma, forms in {
        "live": "live lives lived living", "work": "work works worked working",
        "cost": "cost costs", "weigh": "weigh weighs weighed", "take": "take takes took taken",
        "go": "go goes went gone", "leave": "leaves left leaving", "open": "opens opened",
        "close": "closes", "meet": "meet meets met", "run": "run runs ran running",
        "listen": "listen listens", "use": "use uses used using", "have": "have has had having",
        "drive": "drive drives drove driven", "belong": "belong belongs",
        "join": "join joins joined", "move": "move moves moved moving",
        "relocate": "relocate relocated", "like": "like likes liked", "love": "love loves loved",
        "enjoy": "enjoy enjoys enjoyed", "hate": "hate hates hated",
        "prefer": "prefer prefers preferred", "own": "own owns owned",
        "drink": "drink drinks drank drinking", "eat": "eat eats ate eating",
        "smoke": "smoke smokes smoked", "support": "supports supported",
        "speak": "speak speaks spoke", "play": "play plays played", "buy": "buy buys bought",
        "sell": "sell sells sold", "pay": "pay pays paid", "teach": "teach teaches taught",
        "switch": "switched switches switching", "change": "changed changes",
        "marry": "married marries", "need": "need needs needed",
        "contain": "contains contain contained", "include": "includes include",
        "reach": "reached reaches", "start": "started starts", "quit": "quit quits",
        "become": "became become", "commute": "commute commutes", "deploy": "deploy deploys",
        "restart": "restarts restart", "increase": "increased", "turn": "turned turns",
        "visit": "visited visit visits", "want": "want wants", "see": "see sees saw",
        "make": "makes made make", "get": "get gets got getting", "know": "know knows knew",
        "spend": "spend spends spent", "call": "called named renamed", "break": "broke broken",
        "complete": "completed completes", "secure": "secured",
    }.items()
    for form in forms.split()
}  # fmt: skip
LEMMA_WORDS = word_set(
    "move moved moving change changed switched have has had go went get got make made take took"
)
# Verbs that say the same of their subject.
VERB_CLASSES: dict[str, str] = {
    "move to": "live in", "move into": "live in", "relocate to": "live in", "resid in": "live in",
    "live at": "live in", "join": "work at", "work for": "work at", "start at": "work at",
    "call to": "call",
}  # fmt: skip
# Verbs whose object has one value at a time; of all others a subject may have many.
ONE_AT_A_TIME = word_set("prefer weigh cost belong drive call") | {
    "live in",
    "work at",
    "work as",
    "belong to",
    "prefer",
}
# What "my X is Y" and "the X is Y" say one value of, though the value is a plain word.
ATTRIBUTES = word_set(
    "name title colour color email mail number address favourite favorite status type size job "
    "boss owner password language nickname birthday capital editor default deadline"
)
# Verbs by which one comes to have, and to be, what another verb says.
HAVING = word_set("buy adopt get own hav")
# What does not change: two different values are an error, not news.
LASTING = word_set("born birthday birthplace bloodtype blood long tall wide high deep")
# Labels that say nothing of what follows: two notes are two notes.
NO_LABELS = word_set(
    "note notes memo reminder todo fyi info idea tip remark important warning update ps nb"
)

# Groups of states in which one excludes the other.
STATES: dict[str, dict[str, tuple[str, ...]]] = {
    "union": {
        "single": ("am single", "is single", "are single", "broke up", "broken up"),
        "engaged": ("engaged",),
        "married": ("married",),
        "divorced": ("divorced", "separated"),
        "together": ("girlfriend", "boyfriend", "partner"),
        "widowed": ("widowed",),
    },
    "work": {"without": ("unemployed", "jobless"), "retired": ("retired",),
             "with": ("working at", "work at", "works at", "employed", "joined")},
    "diet": {"vegetarian": ("vegetarian",), "vegan": ("vegan",),
             "all": ("eat meat", "eats meat", "eating meat", "eat fish", "omnivore"),
             "pescatarian": ("pescatarian",)},
    "progress": {
        "open": ("is open", "reopened", "are open"),
        "pending": ("pending", "in progress", "in review"),
        "paused": ("on hold", "paused", "suspended"), "active": ("active", "running"),
        "done": ("closed", "done", "finished", "completed", "resolved", "shipped", "delivered",
        "merged"),
        "cancelled": ("cancelled", "canceled", "rejected"),
    },
    "order": {"broken": ("broken", "out of order", "down", "defective"),
              "working": ("works", "working again", "fixed", "repaired", "back up")},
}  # fmt: skip

STATED = {
    wording: (group, state)
    for group, states in STATES.items()
    for state, wordings in states.items()
    for wording in wordings
}
STATE_WORDS = {
    state: frozenset(wording.split()[-1] for wording in wordings)
    for states in STATES.values()
    for state, wordings in states.items()
}
# Overlapping wordings are all found, so each stands in a look ahead.
STATING = re.compile(rf"(?=\b({'|'.join(sorted(STATED, key=len, reverse=True))})\b)")

SIGNALS = word_set(
    "now new recently currently again anymore more instead actually longer just sorry meant "
    "correction these days moved moving changed switched updated update updating increase "
    "increased growth goal decreased improved rescheduled reached adjusted extended raised rose "
    "risen fell grew grown dropped lowered reduced postponed shifted pushed delayed shortened "
    "renamed total started stopped quit never always too also another already finally latest "
    "nowadays"
)
EMPTY = frozenset(
    word_set(
        "have get go make take want try help need sure sur can figur know kinda one thing way us "
        "use using lik som aft wor might understand found find notic reflect giv think still all "
        "best bet recent about per from"
    )
)


def _kin() -> tuple[frozenset[str], ...]:
    """Groups of words of which any may say what another one replaces."""
    verbs: dict[str, set[str]] = {}
    for phrase, same in VERB_CLASSES.items():
        verbs.setdefault(same, {same.split()[0]}).add(phrase.split()[0])
    states = [
        {phrase.split()[-1] for said in group.values() for phrase in said}
        for group in STATES.values()
    ]
    return tuple(frozenset(group) for group in (*verbs.values(), *states) if len(group) > 1)


KIN = _kin()


def kin(words: Iterable[str]) -> frozenset[str]:
    """The words by which an older statement may say what these say anew: "live" for "moved"."""
    said = {LEMMAS.get(word, word) for word in words}
    return frozenset(other for group in KIN if not group.isdisjoint(said) for other in group)
