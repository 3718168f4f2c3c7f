"""The patterns of orders: what texts say that try to steer the agent or its memory.

Each stands beside what it wants and the words without which it cannot be meant, so that an ordinary
text is passed at once and a pattern is compiled only when a text has one of its words. Every
pattern is bounded: texts come from anywhere. They read what `injection` has made plain: width,
look-alikes, accents of Latin letters and unseen characters are gone.
"""

from __future__ import annotations

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
    r"|(?:set|cast|put) aside|(?:do not|don'?t|stop) (?:follow|following|obey|obeying"
    r"|comply with|complying with|adhere to|heed|respect|listen to))"
)
_USER = r"(?:the|your|any|my) (?:user|users|human|humans|operator|owner)"
_THIS = r"(?:this|it|that|these|them|anything|everything|what you|your|the fact|any of)"
# Agents spoken to as such: a person who talks to one does not call it so.
_AGENTS = (
    r"\b(?:(?:AI|LLM|automated|KI)[ -](?:\w{1,20} )?(?:assistants?|agents?|models?|bots?"
    r"|systems?|assistenten?|agenten?|systeme?n?|modelle?n?)|chatbots?"
    r"|asistentes? (?:de )?(?:IA|inteligencia artificial)"
    r"|(?:agentes?|sistemas?|modelos?) de IA|(?:assistants?|agents?|modeles?|systemes?) (?:d')?IA"
    r"|assistenti? (?:di )?(?:IA|AI)|assistentes? de IA|LLMs?|(?:large )?language models?"
    r"|AIs?(?= (?:reading|that|who|which|processing|parsing|system)))\b"
)
# Of some of these people talk as well: they are spoken to where a note is for them.
_ADDRESSED = (
    rf"(?:{_AGENTS}|\b(?:(?:digital|virtual|smart|automated|intelligent)e?[nrs]? "
    r"(?:assistants?|agents?|assistenten?|agenten?)|(?:asistentes?|agentes?|assistenti?) "
    r"(?:digital(?:es|i)?|virtual(?:es|i)?|virtuais|digitais)|assistants? (?:virtuels?"
    r"|numeriques?))\b)"
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

_TO_IGNORE = (
    "ignor|disregard|forget|overrid|bypass|discard|disobey|violat|aside|follow|obey|comply|adhere"
    "|heed|respect|listen"
)
_TO_GIVE = (
    "secret|key|credential|passw|token|env|cookie|seed|wallet|histor|log|.ssh|id_|.netrc|/etc/"
    "|passphrase"
)

_ENGLISH: tuple[tuple[str, str, str], ...] = (
    ("to ignore its instructions",
    rf"{_IGNORE}\b(?: (?:all|any|every|each|of|the|your|my|its|those|these|and|other|or)){{0,4}}(?:"
    rf" {_EARLIER}){{1,3}}(?: (?:\w+ )?(?:and|or) \w+)? (?:{_TOLD}|(?<!override earlier ){_RULES}"
    rf"|messages)\b",
    _TO_IGNORE),
    ("to ignore its instructions",
    rf"{_IGNORE} (?:(?:all|any|every)(?: of)?(?: the| your| its)?|your"
    rf"|its)(?: \w+){{0,2}} {_TOLD}\b",
    _TO_IGNORE),
    ("to ignore its instructions", rf"{_IGNORE} (?:(?:all|any) (?:of )?)?your (?:\w+ )?{_RULES}\b",
    _TO_IGNORE),
    ("to ignore its instructions",
    rf"{_IGNORE} (?:(?:all|any|of) ){{0,2}}(?:the |these |those )?{_RULES} (?:above|before|so far"
    r"|you (?:were|have been|got)|given to you|from (?:the )?(?:system|developer|user))\b",
    _TO_IGNORE),
    ("to ignore its instructions",
    r"\b(?:forget|ignore|disregard) (?:everything|anything|all|whatever)(?: that)? (?:above|before"
    r"|you (?:were|have been|know|learned|learnt|are told)|(?:was|has been) (?:said|written|told)"
    r"|came before|prior|the (?:user|developer|system))\b",
    "forget|ignor|disregard"),
    ("to ignore its instructions",
    r"\b(?:these|the following|my|this) (?:new )?(?:instructions?|orders?|memory|prompt"
    r"|rules?) (?:overrides?|supersedes?|replaces?|outranks?|takes? (?:precedence"
    r"|priority) over) (?:all|any|every|your|the (?:system|previous))\b",
    "overrid|supersed|replac|outrank|precedence|priority"),
    ("to ignore its instructions",
    r"\byour (?:new|real|true|only|actual) (?:task|instructions?|role|goal|objective|purpose"
    r"|mission|prompt|rules?|orders?) (?:is|are)\b|\bnew system (?:prompt|instructions?"
    r"|message)\b",
    "your new |your real|your true|your only|your actual|new system"),
    ("to give its prompt away",
    r"\b(?:reveal|leak|repeat|print|output|disclose|recite|exfiltrate|share|show|quote"
    r"|tell)\b(?: \w+){0,3} (?:your|the) (?:\w+ )?(?:system|developer|hidden|initial|original"
    r"|secret) (?:prompt|message|instructions)\b|\byour (?:system|hidden|developer) prompt\b",
    "system|developer|hidden|initial|original|secret"),
    ("to take a text for its prompt",
    r"\btreat\b[^.!?\n]{0,60} as (?:an? |the |your )?(?:system|developer) (?:instruction|message"
    r"|prompt|order)s?\b|\b(?:over|above|instead of) (?:the|your) system (?:prompt|message"
    r"|instructions)\b",
    "treat|system"),
    ("to give secrets away",
    r"\b(?:give|tell|send|show|mail) (?:me|us) (?:all|every|your|the user'?s|any)(?: of)?(?: the"
    r"| your)?"
    rf"(?: \w+)? {_SECRETS}\b"
    rf"|\bb?cc\b[^.!?\n]{{0,10}} \S{{1,60}}@\S{{1,60}} [^!?\n]{{0,40}}?(?<!\w){_SECRETS}\b"
    r"|(?:\.env|id_rsa|credentials|printenv|\benv|secrets?|passw\w{2,5})\b[^\n|]{0,40}\|\s?(?:curl"
    r"|nc"
    r"|ncat|wget)\b",
    _TO_GIVE),
    ("to take a text for its prompt",
    r"<\|im_start\|>|<\|?system\|?>|\[/?(?:INST|SYSTEM)\]|<<SYS>>|(?:\A|\n)\W{0,4}system (?:prompt"
    r"|message|override|instruction)s?\W{0,3}:",
    "im_start|system|[inst|[/inst|<<sys"),
    ("to steer agents that read it", rf"(?:\A|[.!?\n\[(*]) {{0,3}}{_AGENTS}[^.!?\n]{{0,60}}?: ?\w"
    rf"|\b(?:addressed|written|meant|to|attention|dear)(?: (?:to|for))?(?: the| any| all| every)? "
    rf"{_AGENTS}[^.!?\n]{{0,60}}?: ?\w"
    rf"|\bif you(?: are|'re) (?:an? )?{_AGENTS}[^.!?\n]{{0,30}}?, ?\w"
    rf"|\b(?:note|notice|message|instructions?|attention|hinweis|nachricht|aviso|nota|mensaje"
    r"|consigne|avis)s? (?:to|for|an|fur|para|a|aux|pour)(?: all| alle| todos los| tous les)? "
    rf"{_ADDRESSED}",
    "agent|assist|model|bot|asistent|llm|ai |system|sistem"),
    ("to take a role",
    rf"\byou(?: are|'re)(?: now| no longer| hereby)+ (?:{_BE})\b|\byou are no longer\b|\bfrom now"
    rf" on,? you(?: are|'re|'ll be| will be) (?:{_BE})\b",
    "you are|you're|you'll|you will"),
    ("to take a role",
    rf"{_BEGINS}(?:act|behave|pose|role-?play) as (?:if you|though you|an? |my"
    rf" |the |dan\b|root\b)|{_BEGINS}pretend (?:to be|you|that you)\b",
    "as |pretend"),
    ("to take a role",
    r"\b(?:you have|with|under|without) no (?:restrictions|limitations|guidelines|ethic\w*)\b(?= "
    r"|\W|\Z)|\byou are in (?:developer|dan|god|debug) mode\b|\b(?:dan|god|jailbreak|unrestricted"
    r"|unfiltered) mode\b|\bdo anything now\b|\bjailbreak (?:yourself|the (?:agent|model"
    r"|assistant))\b",
    "restriction|limitation|guideline|ethic|mode|anything now|jailbreak"),
    ("to give secrets away",
    rf"{_SEND}\b(?! {_SAFE})(?:[^.!?\n]|\.(?=\S)){{0,40}}?(?<!\w){_SECRETS}\b[^!?\n]{{0,40}}? "
    rf"(?:to|at|on|via|into|with) {_AWAY}",
    _TO_GIVE),
    ("to give secrets away",
    rf"{_SEND}\b(?: \w+){{0,2}} {_ALL}(?: of)?(?: the| your| my| their)?(?: \w+){{0,2}}"
    rf" {_SECRETS}\b[^.!?\n]{{0,20}} (?:to|at|via"
    rf"|into|with|in every) (?!{_SAFE})",
    _TO_GIVE),
    ("to give secrets away",
    r"\b(?:exfiltrate|steal|harvest)\b[^.!?\n]{0,40}\b(?:secret|key|credential|password|token|data"
    r"|file|cookie|information)s?\b",
    "exfiltrat|steal|harvest"),
    ("to give secrets away",
    r"\b(?:include|append|add|put|embed|insert|print)\b[^.!?\n]{0,30}\b(?:secrets|credentials"
    r"|passwords?|api[ -]?keys?)\b[^.!?\n]{0,20}\bin (?:every|each|all|your) (?:\w+ )?(?:repl(?:y"
    r"|ies)|answers?|responses?|summar(?:y|ies)|commit messages?)\b",
    "secret|credential|passw|api"),
    ("to run what it downloads",
    rf"\b(?:curl|wget|iwr|irm|invoke-webrequest|fetch|base64)\b[^\n|]{{0,200}}\|\s{{0,3}}{_SHELL}",
    "curl|wget|iwr|irm|webrequest|fetch|base64"),
    ("to run what it downloads",
    r"\b(?:ba|z|da)?sh\b[^\n]{0,10}(?:<\(|\$\(|`)\s?(?:curl|wget)\b|\beval\b[^\n]{0,5}(?:\$\("
    r"|`)(?:curl|wget)\b|\biex\b[^\n]{0,20}(?:downloadstring|iwr|irm)",
    "curl|wget|iex"),
    ("to run what it downloads",
    r"\b(?:download|fetch|curl|wget)\b[^.!?\n]{0,40}(?:https?://"
    r"|\w\.\w{2,6}\b)[^!?\n]{0,80}\b(?:and|then)\b[^.!?\n]{0,12}\b(?:run|execute|eval"
    r"|source)\b (?:it|them|that|the (?:script|file|binary|result))\b"
    r"|\bpipe\b[^.!?\n]{0,40}\b(?:curl|wget"
    r"|download)\b[^.!?\n]{0,30}\b(?:in)?to\b[^.!?\n]{0,10}\b(?:ba|z)?sh(?:ell)?\b",
    "download|fetch|curl|wget|pipe"),
    ("to destroy files",
    r"\brm\s+-(?:rf|fr|r -f)\s+(?:--no-preserve-root\s+)?(?:/|~|\$HOME|\*)(?=[\s\"'`.,;*]|\Z)"
    r"|:\(\)\s?\{\s?:\|:&\s?\}",
    "rm|:()"),
    ("to drop its guards",
    r"(?<!we )(?<!they )\b(?:disabl(?:e|ing)|turn(?:ing)? off|switch(?:ing)? off"
    r"|remov(?:e|ing)|bypass(?:ing)?|circumvent(?:ing)?|deactivat(?:e|ing)|ignor(?:e|ing)"
    r"|overrid(?:e|ing)|evad(?:e|ing)|drop(?:ping)?)\b(?: (?:all|any|every|of|the|your|its|built-in"
    rf"|existing)){{0,4}} {_GUARD}(?![\w-])(?! (?:in the (?:css|game|ui)|net|belt))",
    "safe|guard|content|permission|security|sandbox|restriction|filter|limit|rail"),
    ("to change the memory",
    r"\b(?:delete|erase|wipe|purge|overwrite|forget|clear|destroy|corrupt) (?:all|every|any|your"
    r"|everything in|the entire|the whole)(?: of)?(?: (?:the|your|its|other|stored|previous|earlier"
    r"|existing|saved|agent'?s?|user'?s?|long-term)){0,3} memor(?:ies\b|y\b(?! (?:cache|leak|block"
    r"|page|buffer|pool|usage|region|card|arena|table|segment|map)))",
    "memor"),
    ("to change the memory",
    r"\b(?:trust|believe|obey|follow) (?:only |no )?(?:this|these|any) (?:memory|memories"
    r"|instructions?)\b[^.!?\n]{0,20}\b(?:over|above|more than|regardless)\b",
    "memor|instruction"),
)  # fmt: skip
_TOOLS = (
    r"(?:memory_(?:delete|supersede|update|write)|batch_prune|execute_prune|forget_concept"
    r"|undo_operation|pin_memory|merge_memories|answer_question|restore_from_hash)"
)
_EACH = r"(?:every|each|all|any)(?: (?:of )?(?:your|the|new|other|future|later|outgoing))*"
_REPLY = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages?|summar(?:y|ies)|memor(?:y|ies)|notes?"
    r"|sessions?|conversations?|agents?|chats?|outputs?)"
)
_COPY = (
    r"(?:copy|repeat|store|save|append|add|re-?add|include|insert|keep|write|paste|spread|put"
    r"|show|render|display|embed|reproduce|replicate)"
)
# What pretends to be no text at all: marks of prompts, turns, calls and of Glymph's own records.
_MARKED: tuple[tuple[str, str, str], ...] = (
    ("to end what is known to be a record",
    r"glymph[\W_]{0,3}recalled|</?data-[0-9a-f]{8,}>|<!-- glymph ",
    "glymph|data-"),
    ("to take a text for its prompt",
    r"<\|\w{1,30}\|>|<(?P<tag>system(?:-reminder)?|developer|tool_(?:result|use|call|code"
    r"|response)s?|function_(?:call|result|response)s?)\b[^<>\n]{0,80}>[^\0]{1,2000}?</(?P=tag)>"
    r"|<(?:start|end)_of_turn>|<invoke name=|```tool_(?:code|call)\b"
    r"|\bbegin system (?:prompt|message|instructions)\b|(?:\A|\n)\W{0,4}human: "
    r"|(?:\A|\n|#{2,4} ?)\W{0,4}(?:system|developer) ?:\s{0,3}\w",
    "<|im_|system|developer|tool_|function_|_of_turn|invoke|human:"),
    ("to call a tool",
    r"\bto=functions\.|[\"']tool_calls[\"']\s?:|[\"'](?:tool|function"
    r"|name)[\"']\s?:\s?[\"']\w{1,60}"
    r"[\"'],\s{0,3}[\"'](?:arguments|parameters|input)[\"']\s?:"
    rf"|\b(?:call|invoke|use|run|execute|trigger)\b[^.!?\n]{{0,40}}\b{_TOOLS}\b",
    "functions.|tool_calls|arguments|parameters|input|memory_|prune|forget_concept|undo_op|merge_m"
    "|pin_memory|answer_question|restore_from"),
    ("to call for pictures that carry data away",
    r"!\[[^\]\n]{0,100}\]\(\s?https?://[^)\s]{0,200}(?:\{\{|\$\{?[A-Z]|=[A-Z][A-Z0-9]*_[A-Z_]{2,}"
    r"|%7B%7B)"
    r"|<img\b[^>\n]{0,200}https?://[^>\s]{0,200}(?:\{\{|\$\{?[A-Z]|=[A-Z][A-Z0-9]*_[A-Z_]{2,})",
    "![|<img"),
)  # fmt: skip
_READS = r"(?:read|index|pars|process|se|crawl|summari[sz]|scan|ingest)(?:e?s|e|ing)?"
_READERS = r"(?:agents?|bots?|assistants?|models?|crawlers?|LLMs?)"
_MUST = r"(?:must|should|shall|have to|has to|are to|is to|will)"
_OVER = (
    r"(?:are|is) (?:now |hereby )?(?:void|invalid|obsolete|cancelled|suspended|revoked"
    r"|no longer (?:valid|binding|in force))\b"
)
_STEERING: tuple[tuple[str, str, str], ...] = (
    ("to obey somebody else",
    r"\byou(?: (?:must|shall|will|now|should|have to|are to)){1,2} (?:only )?(?:obey|serve)\b"
    r"(?! as\b)"
    rf"|\b(?:it|they|{_READERS}) {_MUST} (?:only )?obey\b"
    r"|(?:\A|[.:;!?\n>\"'] {0,3}|\b(?:and|but|only|just|always|simply) )obey"
    r"(?! (?:the|our|all|robots|traffic|local|these)\b) \w"
    r"|\btreat \S{1,60}(?: \S{1,60})? as (?:your|the) (?:operator|owner|developer|administrator)\b",
    "obey|serve|operator|owner|developer|administrator"),
    ("to steer agents that read it",
    rf"\b{_READERS} (?:that|who|which) {_READS} (?:this|these|the following)\b"
    rf"[^.!?\n]{{0,40}}\b{_MUST}\b"
    rf"|\b(?:when|if|once|before|after|whenever) you {_READS} (?:this|these|the following)\b"
    r"[^.!?\n]{0,40}, ?(?:please )?(?:remember|store|save|add|mark|treat|note|open|run|send|tell"
    r"|write|call|execute|follow|do|recommend|rate|approve)\b",
    " this| these| the following"),
    ("to take a role",
    rf"\b{_READERS} (?:acts?|behaves?|runs?|works?|is|are)(?: now)? (?:as )?(?:an? |the )?"
    r"(?:root|admin|administrator|superuser|unrestricted|unfiltered|uncensored|dan)\b"
    rf"|\b{_READERS}\b[^.!?\n]{{0,60}}\b(?:has|have) no (?:restrictions|limitations|guardrails)\b",
    "agent|bot|assistant|model|llm"),
    ("to ignore its instructions",
    rf"\b(?:your|{_EARLIER}|these|those) {_RULES} {_OVER}"
    rf"|\b{_RULES} (?:that )?you (?:were|have been|got) (?:given|told)?[^.!?\n]{{0,20}} {_OVER}",
    "void|invalid|obsolete|cancelled|suspended|revoked|no longer"),
    ("to copy itself on",
    rf"\b{_COPY}\b (?:this|these|the following|the (?:text|note|line|sentence|message|memory"
    rf"|words?)|[\"'])[^.!?\n]{{0,60}}\b(?:in|into|to|with|at|whenever|when)\b"
    rf"[^.!?\n]{{0,20}}?{_EACH}[^.!?\n]{{0,20}}?\b{_REPLY}\b"
    r"|\b(?:this|these) (?:memor(?:y|ies)|notes?|texts?|lines?)\b[^.!?\n]{0,20}\b"
    rf"{_MUST} be (?:re-?added|copied|repeated|stored again|spread|passed on)\b"
    rf"|\bwhenever you (?:write|store|save|add|summari[sz]e|consolidate)\b"
    rf"[^.!?\n]{{0,40}}, ?{_COPY}\b",
    "every|each|all |any |re-added|readded|copied|repeated|again|spread|passed on|whenever you"),
    ("to give its talks away",
    rf"{_SEND}\b[^.!?\n]{{0,30}}\b(?:(?:chat|conversation|message)s?(?: (?:history|logs?))?"
    r"|system prompt|memor(?:y|ies)|user'?s (?:\w+ )?(?:messages?|data|memor(?:y|ies)))\b"
    r"(?! summar)[^!?\n]{0,30}? "
    r"(?:to|at|via|into|with) (?:https?://|an? (?:external|remote|outside)|me\b)"
    rf"|\b(?:encode|hide|write|put)\b(?: {_ALL}| the)? {_SECRETS}\b[^.!?\n]{{0,20}}\b"
    r"(?:as|in|into) an? (?:sub-?domain|url|link|query|picture|image|host ?name|dns)\b"
    r"|\b(?:append|add|attach)\b[^.!\n]{0,30}\b(?:chat|conversation|system prompt|memor(?:y|ies)"
    r"|user'?s)\b[^!?\n]{0,40}? to (?:https?://|\S{1,40} link|the (?:link|url|address))",
    "chat|conversation|message|prompt|memor|user|domain|url|link|query|picture|image|host|dns"),
    ("to mark what it answers",
    rf"\b(?:end|begin|start|finish|open|close|sign)\b (?:with )?{_EACH} (?:\w+ )?{_REPLY} with "
    r"(?:!?\[|<|https?://)"
    rf"|\b{_COPY}\b[^.!?\n]{{0,20}}(?:!\[|<img|https?://)[^!?\n]{{0,200}}\b(?:in|at|to|into)\b"
    rf"[^.!?\n]{{0,20}}?{_EACH} (?:\w+ )?{_REPLY}\b"
    r"|\b(?:end|begin|start|finish) your (?:answers?|repl(?:y|ies)|responses?|messages?) with "
    r"(?:!?\[|<|https?://)",
    "[|<|http"),
    ("to do what a page says",
    r"\b(?:fetch|open|visit|load|read|download|get|check)\b (?:the )?(?:https?://\S{1,200}"
    r"|page|link|url|site|instructions)[^!?\n]{0,80}?\b(?:and|then)\b[^.!?\n]{0,12}\b"
    r"(?:(?:do|carry out|follow|execute|perform|run) (?:what(?:ever)?|everything|all(?: that)?)"
    r" (?:it|they|is|are|that|stands)|obey)\b",
    "fetch|open|visit|load|read|download|get |check"),
    ("to change the memory",
    r"(?<!we )(?<!they )\b(?:delete|erase|wipe|purge|clear|destroy|archive|trash|unpin|forget)"
    r" (?:all|every|each|everything in|your|the (?:entire|whole))(?: of)?(?: (?:the|your|its|other"
    r"|stored|whole|entire|earlier|saved|user'?s?|agent'?s?)){1,4} (?:memor(?:y|ies)|goals?"
    r"|preferences?|facts?|decisions?)\b(?! (?:cache|leak|block|page|buffer|pool|usage))"
    r"|\bmark (?:all|every|each)(?: \w+){0,2} memor(?:y|ies) as\b",
    "memor|goal|preference|fact|decision"),
)  # fmt: skip
_HIDING = (
    r"\b(?:never|do not|don'?t|must not|mustn'?t|not to|shall not|should not|avoid"
    r"|cannot)\b(?: ever)?"
    rf" (?:tell(?:ing)?"
    rf"|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|let(?:ting)?) {_USER}"
    rf"(?: (?:know|find out|see|notice))?(?=\W{{0,3}}\Z|[.!;,\n]| (?:about|of) {_THIS}\b| {_THIS}\b"
    r"| or\b)"
    rf"|\b{_READERS} (?:must|should|shall|may|can|is to|are to|will)(?: never| not)(?: ever)? "
    rf"(?:tell|inform|notify|warn|alert) {_USER}\b"
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

# What is wanted, the pattern, the words it needs, and whether a "never" before it makes it fair.
PATTERNS: tuple[tuple[str, str, str, bool], ...] = (
    *((*one, True) for one in (*_ENGLISH, *_MARKED, *_STEERING)),
    ("to keep something from the user", _HIDING, "tell|inform|notify|alert|warn|let|mention|reveal"
     "|disclos|report|admit|show|talk", False),
    ("to keep something from the user", _UNTOLD, "hid|conceal|keep|withhold|lie |lying|deceiv"
     "|behind|secretly|without", True),
)  # fmt: skip
