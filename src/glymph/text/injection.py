"""Texts that try to steer the agent or its memory.

They tell it to ignore its rules, deceive its user, or give secrets away. What is remembered is
shown to an agent again, so such a text must not become a memory. Ordinary standing orders ("always
run the linter", "never tell customers the roadmap") are none of these. Every pattern is bounded.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from glymph.text.clauses import COMMANDS
from glymph.text.scripts import flat

BEFORE = 60  # characters before a match that may deny it


class Order(NamedTuple):
    """The pattern of an order, and what it wants.

    An order that may be forbidden is fair behind "never".
    """

    wants: str
    pattern: re.Pattern[str]
    forbidden: bool = True


def find_order(text: str) -> str | None:
    """Returns what a text tries to make the agent do that no memory may.

    None if the text is no such order.
    """
    plain = flat(text)[0]
    for each in ORDERS:
        for found in each.pattern.finditer(plain):
            if not (each.forbidden and _is_denied(plain, found.start())):
                return each.wants
    return None


def _is_denied(text: str, at: int) -> bool:
    """Returns whether the clause says not to do what follows.

    For example, "never send keys to …" is a fair rule.
    """
    clause = COMMANDS.split(text[max(0, at - BEFORE) : at])[-1]
    return bool(_NOT.search(clause)) and not _NOT_REALLY.search(clause)


# A list of its own: every word in it lets an order through.
_NOT = re.compile(
    r"\b(?:never|not|don'?t|doesn'?t|didn'?t|won'?t|can'?t|cannot|mustn'?t|shouldn'?t|avoid"
    r"|nobody|no one|nothing|without|forbidden|prevents?|blocks?|rejects?|detects?|instead of"
    r"|rather than|against)\b",
    re.IGNORECASE,
)
_NOT_REALLY = re.compile(
    r"\b(?:forget|fail|hesitate|refuse|stop|afraid|only|omit|neglect)\b", re.IGNORECASE
)

_RULES = (
    r"(?:instructions?|prompts?|directives?|guidelines?|rules?|polic(?:y|ies)|orders|constraints"
    r"|commands)"
)
_TOLD = r"(?:instructions?|prompts?|directives?)"
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|system|safety|built-in|developer'?s?)"
)
_IGNORE = (
    r"(?<!we )(?<!they )\b(?:ignore|disregard|forget|override|bypass|discard|disobey|violate"
    r"|(?:set|cast|put) aside|(?:do not|don'?t|stop) (?:follow|following|obey|obeying))"
)
_USER = r"(?:the|your|any|my) (?:user|users|human|humans|operator|owner)"
_THIS = r"(?:this|it|that|these|them|anything|everything|what you|your|the fact|any of)"
# Agents spoken to as such: a person who talks to one does not call it so.
_AGENTS = (
    r"\b(?:(?:AI|LLM|automated|KI)[ -](?:\w{1,20} )?(?:assistants?|agents?|models?|bots?"
    r"|assistenten?|agenten?)|chatbots?"
    r"|asistentes? (?:de )?(?:IA|inteligencia artificial)|agentes? de IA|assistants? IA"
    r"|assistenti? (?:di )?(?:IA|AI)|assistentes? de IA)\b"
)
_SECRETS = (
    r"(?:\.ssh/\w+|id_(?:rsa|ed25519)|\.aws/credentials|\.netrc|/etc/(?:passwd|shadow)|secrets?"
    r"|api[ -]?keys?|(?:private |ssh |secret |access |encryption |signing )?keys|private key"
    r"|ssh key|credentials?|passwords?|passphrases?|(?:access |auth |session )?tokens?"
    r"|env(?:ironment)? var(?:iable)?s|\.env\b|cookies|seed phrases?|wallets?|(?:chat"
    r"|conversation) (?:logs?|history|histories))(?! (?:reset|change|polic|count|usage|limit|doc"
    r"|summar|rotation|page|form|flow|manager|header|expir)\w*)"
)
_SEND = (
    r"\b(?:send|post|upload|forward|e-?mail|mail|exfiltrate|leak|transmit|submit|share|copy"
    r"|publish|paste|dump|deliver|transfer|report|reveal|give|hand over|disclose)"
)
_ALL = r"(?:all|every|any|each|your|the user'?s|their|his|her)"
_AWAY = (
    r"(?:https?://|ftp://|\w[\w.+-]{0,60}@[\w-]+\.\w|(?:[\w-]{1,60}\.){1,4}(?!md\b|py\b|txt\b"
    r"|ya?ml\b|json\b|env\b)[a-z]{2,12}\b|\d{1,3}(?:\.\d{1,3}){3}|(?:an? |the |this "
    r"|my )?(?:external|remote|attacker|outside|third[- ]party|evil|unknown)\b|me\b"
    r"|this (?:address|server|url|endpoint|host)|pastebin)"
)
_SAFE = (
    r"(?:the |our |a |aws |azure )*(?:vault|key ?vault|1password|bitwarden|keychain|kms|sops"
    r"|secrets? (?:manager|store))"
)
_SHELL = (
    r"(?:sudo (?:-\w+ )?)?(?:/bin/|/usr/bin/env )?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby"
    r"|node|iex|invoke-expression)\b"
)
_GUARD = (
    r"(?:safety(?: (?:checks?|guards?|features?|filters?|measures|rules|protocols?|mechanisms?"
    r"|settings|restrictions))?|guard[ -]?rails?|safeguards?|content (?:filters?|polic(?:y|ies)"
    r"|moderation)|permission (?:checks?|prompts?)|security (?:checks?|controls?|restrictions"
    r"|polic(?:y|ies)|measures|filters?)|(?<=your )(?:sandbox|restrictions|guards?|filters?"
    r"|limits|limitations|permissions))"
)
_BEGINS = (
    r"(?:\A|[.!?:;,\n] {0,3}|\b(?:from now on,?|always|please|you (?:must|should|will|shall|can"
    r"|now)|now|and|to) )"
)
_BE = (
    r"(?:an?|the|in|free|no longer|unrestricted|unfiltered|uncensored|jailbroken|my|dan|root|admin"
    r")"
)

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("to ignore its instructions",
    rf"{_IGNORE}\b(?: (?:all|any|every|each|of|the|your|my|its|those|these|and|other|or)){{0,4}}(?:"
    rf" {_EARLIER}){{1,3}}(?: (?:\w+ )?(?:and|or) \w+)? (?:{_TOLD}|(?<!override earlier ){_RULES}"
    rf"|messages)\b"),
    ("to ignore its instructions",
    rf"{_IGNORE} (?:(?:all|any|every)(?: of)?(?: the| your| its)?|your"
    rf"|its)(?: \w+){{0,2}} {_TOLD}\b"),
    ("to ignore its instructions", rf"{_IGNORE} (?:(?:all|any) (?:of )?)?your (?:\w+ )?{_RULES}\b"),
    ("to ignore its instructions",
    rf"{_IGNORE} (?:(?:all|any|of) ){{0,2}}(?:the |these |those )?{_RULES} (?:above|before|so far"
    r"|you (?:were|have been|got)|given to you|from (?:the )?(?:system|developer|user))\b"),
    ("to ignore its instructions",
    r"\b(?:forget|ignore|disregard) (?:everything|anything|all|whatever)(?: that)? (?:above|before"
    r"|you (?:were|have been|know|learned|learnt|are told)|(?:was|has been) (?:said|written|told)"
    r"|came before|prior|the (?:user|developer|system))\b"),
    ("to ignore its instructions",
    r"\b(?:these|the following|my|this) (?:new )?(?:instructions?|orders?|memory|prompt"
    r"|rules?) (?:overrides?|supersedes?|replaces?|outranks?|takes? (?:precedence"
    r"|priority) over) (?:all|any|every|your|the (?:system|previous))\b"),
    ("to ignore its instructions",
    r"\byour (?:new|real|true|only|actual) (?:task|instructions?|role|goal|objective|purpose"
    r"|mission|prompt|rules?|orders?) (?:is|are)\b|\bnew system (?:prompt|instructions?"
    r"|message)\b"),
    ("to ignore its instructions",
    r"\bignor(?:iere|ieren sie|e|ez) (?:alle|toutes|bitte|sämtliche)?(?: deine| les| tes| vos)?"
    r" ?(?:vorherigen|bisherigen|vorigen|instructions) ?(?:anweisungen|regeln|befehle|précédentes"
    r"|antérieures)\b|\bignora (?:todas )?(?:las |tus )?instrucciones (?:anteriores|previas)\b"),
    ("to give its prompt away",
    r"\b(?:reveal|leak|repeat|print|output|disclose|recite|exfiltrate|share|show|quote"
    r"|tell)\b(?: \w+){0,3} (?:your|the) (?:\w+ )?(?:system|developer|hidden|initial|original"
    r"|secret) (?:prompt|message|instructions)\b|\byour (?:system|hidden|developer) prompt\b"),
    ("to take a text for its prompt",
    r"\btreat\b[^.!?\n]{0,60} as (?:an? |the |your )?(?:system|developer) (?:instruction|message"
    r"|prompt|order)s?\b|\b(?:over|above|instead of) (?:the|your) system (?:prompt|message"
    r"|instructions)\b"),
    ("to give secrets away",
    r"\b(?:give|tell|send|show|mail) (?:me|us) (?:all|every|your|the user'?s|any)(?: of)?(?: the"
    r"| your)?"
    rf"(?: \w+)? {_SECRETS}\b"
    rf"|\bb?cc\b[^.!?\n]{{0,10}} \S{{1,60}}@\S{{1,60}} [^!?\n]{{0,40}}?(?<!\w){_SECRETS}\b"
    r"|(?:\.env|id_rsa|credentials|printenv|\benv|secrets?|passw\w{2,5})\b[^\n|]{0,40}\|\s?(?:curl"
    r"|nc"
    r"|ncat|wget)\b"),
    ("to take a text for its prompt",
    r"<\|im_start\|>|<\|?system\|?>|\[/?(?:INST|SYSTEM)\]|<<SYS>>|(?:\A|\n)\W{0,4}system (?:prompt"
    r"|message|override|instruction)s?\W{0,3}:"),
    ("to steer agents that read it", rf"(?:\A|[.!?\n\[(*]) {{0,3}}{_AGENTS}[^.!?\n]{{0,60}}?: ?\w"
    rf"|\b(?:note|notice|message|instructions?|attention|hinweis|nachricht|aviso|nota|mensaje"
    r"|consigne|avis)s? (?:to|for|an|für|para|à|pour)(?: all| alle| todos los| tous les)? "
    rf"{_AGENTS}"),
    ("to take a role",
    rf"\byou(?: are|'re)(?: now| no longer| hereby)+ (?:{_BE})\b|\byou are no longer\b|\bfrom now"
    rf" on,? you(?: are|'re|'ll be| will be) (?:{_BE})\b"),
    ("to take a role",
    rf"{_BEGINS}(?:act|behave|pose|role-?play) as (?:if you|though you|an? |my"
    rf" |the |dan\b|root\b)|{_BEGINS}pretend (?:to be|you|that you)\b"),
    ("to take a role",
    r"\b(?:you have|with|under|without) no (?:restrictions|limitations|guidelines|ethic\w*)\b(?= "
    r"|\W|\Z)|\byou are in (?:developer|dan|god|debug) mode\b|\b(?:dan|god|jailbreak|unrestricted"
    r"|unfiltered) mode\b|\bdo anything now\b|\bjailbreak (?:yourself|the (?:agent|model"
    r"|assistant))\b"),
    ("to give secrets away",
    rf"{_SEND}\b(?! {_SAFE})(?:[^.!?\n]|\.(?=\S)){{0,40}}?(?<!\w){_SECRETS}\b[^!?\n]{{0,40}}? "
    rf"(?:to|at|on|via|into|with) {_AWAY}"),
    ("to give secrets away",
    rf"{_SEND}\b(?: \w+){{0,2}} {_ALL}(?: of)?(?: the| your| my| their)?(?: \w+){{0,2}}"
    rf" {_SECRETS}\b[^.!?\n]{{0,20}} (?:to|at|via"
    rf"|into|with|in every) (?!{_SAFE})"),
    ("to give secrets away",
    r"\b(?:exfiltrate|steal|harvest)\b[^.!?\n]{0,40}\b(?:secret|key|credential|password|token|data"
    r"|file|cookie|information)s?\b"),
    ("to give secrets away",
    r"\b(?:include|append|add|put|embed|insert|print)\b[^.!?\n]{0,30}\b(?:secrets|credentials"
    r"|passwords?|api[ -]?keys?)\b[^.!?\n]{0,20}\bin (?:every|each|all|your) (?:\w+ )?(?:repl(?:y"
    r"|ies)|answers?|responses?|summar(?:y|ies)|commit messages?)\b"),
    ("to run what it downloads",
    rf"\b(?:curl|wget|iwr|irm|invoke-webrequest|fetch|base64)\b[^\n|]{{0,200}}\|\s{{0,3}}{_SHELL}"),
    ("to run what it downloads",
    r"\b(?:ba|z|da)?sh\b[^\n]{0,10}(?:<\(|\$\(|`)\s?(?:curl|wget)\b|\beval\b[^\n]{0,5}(?:\$\("
    r"|`)(?:curl|wget)\b|\biex\b[^\n]{0,20}(?:downloadstring|iwr|irm)"),
    ("to run what it downloads",
    r"\b(?:download|fetch|curl|wget)\b[^.!?\n]{0,40}(?:https?://"
    r"|\w\.\w{2,6}\b)[^!?\n]{0,80}\b(?:and|then)\b[^.!?\n]{0,12}\b(?:run|execute|eval"
    r"|source)\b (?:it|them|that|the (?:script|file|binary|result))\b"
    r"|\bpipe\b[^.!?\n]{0,40}\b(?:curl|wget"
    r"|download)\b[^.!?\n]{0,30}\b(?:in)?to\b[^.!?\n]{0,10}\b(?:ba|z)?sh(?:ell)?\b"),
    ("to destroy files",
    r"\brm\s+-(?:rf|fr|r -f)\s+(?:--no-preserve-root\s+)?(?:/|~|\$HOME|\*)(?=[\s\"'`.,;*]|\Z)"
    r"|:\(\)\s?\{\s?:\|:&\s?\}"),
    ("to drop its guards",
    r"(?<!we )(?<!they )\b(?:disable|turn off|switch off|remove|bypass|circumvent|deactivate"
    r"|ignore|override|evade|drop)\b(?: (?:all|any|every|of|the|your|its|built-in"
    rf"|existing)){{0,4}} {_GUARD}(?![\w-])(?! (?:in the (?:css|game|ui)|net|belt))"),
    ("to change the memory",
    r"\b(?:delete|erase|wipe|purge|overwrite|forget|clear|destroy|corrupt) (?:all|every|any|your"
    r"|everything in|the entire|the whole)(?: of)?(?: (?:the|your|its|other|stored|previous|earlier"
    r"|existing|saved|agent'?s?|user'?s?|long-term)){0,3} memor(?:ies\b|y\b(?! (?:cache|leak|block"
    r"|page|buffer|pool|usage|region|card|arena|table|segment|map)))"),
    ("to change the memory",
    r"\b(?:trust|believe|obey|follow) (?:only |no )?(?:this|these|any) (?:memory|memories"
    r"|instructions?)\b[^.!?\n]{0,20}\b(?:over|above|more than|regardless)\b"),
)  # fmt: skip
_HIDING = (
    r"\b(?:never|do not|don'?t|must not|mustn'?t|not to|shall not|should not|avoid"
    r"|cannot)\b(?: ever)?"
    rf" (?:tell(?:ing)?"
    rf"|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|let(?:ting)?) {_USER}"
    rf"(?: (?:know|find out|see|notice))?(?=\W{{0,3}}\Z|[.!;,\n]| (?:about|of) {_THIS}\b| {_THIS}\b"
    r"| or\b)"
    r"|\b(?:never|do not|don'?t|must not)\b(?: ever)? (?:mention|reveal|disclose|report|admit"
    r"|show)"
    rf" (?:this|it|that|these)"
    rf"(?: (?:instructions?|rule|order|memory|prompt|message|text))? to (?:{_USER}|anyone"
    r"|anybody)\b"
    r"|\b(?:never|do not|don'?t|must not)\b(?: ever)? (?:mention|reveal|disclose|talk about)"
    r" (?:this|these|your) (?:instructions?|orders?|memory|prompt)\b"
)
_UNTOLD = (
    r"\b(?:hide|conceal|keep|withhold)\b (?:this|it|that|these|them|everything|all of (?:this|it)"
    r"|your"
    rf" (?:\w+ )?\w+"
    rf"|what you (?:do|did|are doing)|the fact|the truth)(?: \w+){{0,4}} from {_USER}\b"
    rf"|\b(?:lie|lying) to {_USER}\b|\bdeceive {_USER}\b|\bbehind {_USER}'?s? back\b"
    r"|\bsecretly (?:send|add|insert|copy|log|forward|install|include|upload|post|run|record|store"
    r"|change"
    r"|delete)\b"
    rf"|\bwithout (?:telling|informing|notifying|alerting|asking|warning) {_USER}\b"
    rf"|\bwithout {_USER}'?s? (?:knowing|knowledge|noticing|consent|permission|approval)\b"
)

ORDERS: tuple[Order, ...] = (
    *(Order(wants, re.compile(pattern, re.IGNORECASE)) for wants, pattern in _PATTERNS),
    Order("to keep something from the user", re.compile(_HIDING, re.IGNORECASE), forbidden=False),
    Order("to keep something from the user", re.compile(_UNTOLD, re.IGNORECASE)),
)
