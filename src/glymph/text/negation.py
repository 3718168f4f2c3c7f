"""Words that deny: one list a language, and the ways the rooms look for them."""

from __future__ import annotations

import re

from glymph.text.patterns import compile_late
from glymph.text.words import any_of, word_set

ENGLISH = word_set("not no never none nobody nothing neither nor nowhere without cannot")
NEARLY = word_set("hardly barely scarcely rarely seldom")  # English words that all but deny
SHORT_FORMS = word_set(
    "can't don't doesn't didn't won't isn't aren't wasn't weren't shouldn't mustn't"
)
# French "plus" and Spanish "no" are left out: they deny only beside other words.
OTHER_LANGUAGES = {
    "de": word_set("nicht kein keine keinen keinem keiner nie niemals ohne"),
    "fr": word_set("pas jamais aucun aucune sans"),
    "es": word_set("nunca jamás ningún ninguna sin"),
    "it": word_set("non mai senza"),
    "pt": word_set("não sem"),
    "ru": word_set("не нет никогда без"),
    "uk": word_set("ні"),
    "da": word_set("ikke"),
    "sv": word_set("inte"),
    "nl": word_set("niet geen"),
    "tr": word_set("değil"),
}
FOREIGN = frozenset().union(*OTHER_LANGUAGES.values())
# These deny what follows them, not the whole statement.
WITHOUT = word_set("without ohne sans sin senza sem без")
# What two English texts must have equally often to say the same.
NEGATIONS = ENGLISH | word_set("hardly barely unable lacks lack")
# What makes a text in any language deny something.
DENIALS = ENGLISH | SHORT_FORMS | FOREIGN
# Any language, within the same clause and not as an answer: a bare "no" may be an abbreviation.
IN_A_CLAUSE = compile_late(
    rf"(?<!\w)(?:no longer|lacks?|lacking|dislikes?|disliking|hates?|avoids?|refuses?|\w+n['’]t"
    rf"|{any_of(ENGLISH - word_set('no nobody nothing nowhere'))}|{any_of(FOREIGN)}"
    r"|hasst|déteste|odia|plus)(?!\w)"
    r"|(?<!\w)no(?= (?:\w+ )?(?:tiene|es|está|come|bebe|vive|trabaja|gusta|le|me|se|quiere|puede"
    r"|[a-záéíóú]+[ae]\b))"
    r"|不|没|ない|ません|않|لا |ليس|לא ",
    re.IGNORECASE,
)
# One of the last few English words before a place: "never really won".
SHORTLY_BEFORE = compile_late(
    rf"(?:\b(?:{any_of(ENGLISH | NEARLY)})|n't)\b[\w\s]{{0,20}}\Z", re.IGNORECASE
)
# Anywhere in a stretch of some words, in any language; "Mai" is mostly a month there.
IN_A_STRETCH = compile_late(
    rf"(?<!\w)(?:{any_of((ENGLISH | FOREIGN) - WITHOUT - {'mai'})}|ne|\w+n't)(?:\W|$)",
    re.IGNORECASE,
)
