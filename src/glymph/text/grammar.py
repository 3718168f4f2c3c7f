"""Grammar as data, in several languages: where clauses are cut, and verbs put into the singular."""

from __future__ import annotations

from glymph.text.words import word_set

# Words between names in a list, and between clauses that share a subject.
AND = word_set("and und et y e и та і och og ve & or oder ou o или nor plus sowie")
# Words that begin a clause of its own wherever they stand.
STRONG = word_set(
    "but while whereas although though aber sondern während wohingegen mais tandis pero mientras "
    "aunque ma mentre mas enquanto porém но а хотя men medan maar terwijl fakat where wo où donde "
    "dove onde где because weil denn porque perché car"
)
RELATIVE = word_set(
    "who which whose welcher welche qui che который которая которые lequel laquelle quien"
)
PRONOUNS = word_set(
    "i he she it we they you his her their its my our your er sie es wir ihr ihre sein seine "
    "seinen ihren mein meine il elle ils elles on son sa ses leur mon ma mes je nous él ella ellos "
    "ellas su sus mi yo nosotros lui lei loro suo sua suoi mio mia io ele ela eles elas seu sua "
    "meu minha eu он она они его её ее их мой моя я мы він вона"
)
OF_THE_SPEAKER = word_set(
    "i we my our mein meine wir unser mon ma je nous mi yo io mio mia eu meu minha я мы мой моя"
)
ARTICLES = word_set(
    "the a an this that these those der die das den dem ein eine einen einem le la les l un une "
    "des du el los las una unos il lo gli uno o os as um uma"
)
# Words that only stand before a noun, never before a verb.
OF_NOUNS = word_set(
    "the a an my our your his her their its ein eine einen einem mein meine meinen unser unsere "
    "seine seinen une mon ma mes ses notre mi mis nuestro nuestra unos unas gli mijn onze um uma "
    "meu minha"
)
PREPOSITIONS = word_set(
    "in at on to into for from with as of by about over under after before between off up through "
    "down out near via per since until during bei mit von zu zum zur im am an auf aus für nach "
    "über unter seit vor durch gegen ohne um à au aux de du des en dans chez avec pour par sur "
    "sous depuis sans con para por sobre desde hasta sin entre di da nel nella alla al dal dalla "
    "del della su per tra fra em no na com sem do das dos в во на с со из к ко у о об от до за по "
    "для при у від ως σε στην στη στο από με για"
)
ADVERBS = word_set(
    "not never now just also still already always usually often really only even then no longer "
    "currently recently nicht kein keine auch noch schon immer oft jetzt nie ne pas jamais aussi "
    "encore toujours souvent no también nunca siempre ya non anche sempre mai não também sempre не "
    "также уже всегда ja"
)
FUNCTION = ARTICLES | PREPOSITIONS | ADVERBS | AND | STRONG | RELATIVE | PRONOUNS
BEING = word_set(
    "is are was were be been am has have had does do did will can must should may might would "
    "could ist sind war waren hat haben hatte wird werden kann muss est sont était étaient ont "
    "avait sera peut es son era eran está están tiene tienen ha han hay puede è sono era erano ha "
    "hanno può é são foi tem têm tinha pode был была были есть isn't aren't doesn't don't wasn't "
    "hasn't didn't won't can't"
)
_VERBS = word_set(
    "lives live lived works work worked plays play played likes like liked loves love loved owns "
    "own owned drives drive drove speaks speak spoke collects collect studies study studied "
    "teaches teach enjoys enjoy hates hate prefers prefer uses use used runs run ran swims swim "
    "skis ski reads read writes write wrote eats eat ate drinks drink drank goes go went comes "
    "come came makes make made takes take took gets get got keeps keep kept wants want needs need "
    "moved moves move joined joins join started starts start left leaves leave bought buys buy "
    "sold sells sell met meets meet knows know knew thinks think cooks cook sings sing paints "
    "paint rides ride walks walk sleeps sleep smokes smoke earns earn pays pay paid costs cost "
    "opens open closes close holds hold hosts host supports support manages manage leads lead led "
    "reports report handles handle visits visit visited travels travel called calls call mail "
    "mails email write lock contains contain belongs belong weighs weigh wears wear sits sit "
    "stands stand trains train fixes fix repairs repair grew grows became becomes won wins lost "
    "loses spent spends fell falls gave gives found finds wrote built builds taught sent sends "
    "told tells held began begins chose chooses felt feels heard hears rode sang sat slept swam "
    "threw throws wore stood graduated graduates retired retires married marries adopted adopts "
    "migrated cannot couldn't shouldn't wouldn't delivers deliver shuts ships ship flies fly dives "
    "dive acts act boxes teaches hired hires bakes bake grows grow watches watch listens listen "
    "follows follow shares share volunteers coaches commutes wohnt wohnen lebt leben arbeitet "
    "arbeiten spielt spielen mag mögen isst essen trinkt trinken fährt fahren spricht sprechen "
    "liebt lieben hasst sammelt sammeln lernt lernen studiert kauft verkauft besitzt braucht nutzt "
    "heißt kommt geht liest schreibt singt kocht läuft schwimmt raucht verdient kostet zieht zog "
    "trägt unterrichtet leitet habite habitent vit vivent travaille travaillent joue jouent aime "
    "aiment mange mangent boit boivent parle parlent possède conduit étudie collectionne achète "
    "vend préfère utilise lit écrit chante cuisine court nage fume gagne coûte enseigne dirige "
    "déteste s'appelle porte vive viven trabaja trabajan juega juegan toca tocan come comen bebe "
    "beben habla hablan conduce estudia estudian colecciona compra vende prefiere usa lee escribe "
    "canta cantan cocina cocinan corre nada fuma gana cuesta enseña dirige odia gusta gustan llama "
    "abita abitano lavora lavorano gioca giocano suona suonano mangia mangiano beve bevono parla "
    "parlano guida studia ama amano colleziona preferisce legge scrive corre nuota fuma guadagna "
    "costa insegna odia piace mora moram trabalha trabalham joga jogam gosta gostam fala falam "
    "dirige estuda coleciona prefere lê escreve cozinha nada ganha custa ensina odeia живёт живет "
    "живут работает работают играет играют любит любят ест едят пьёт пьет говорит говорят учит "
    "учится водит собирает покупает читает пишет поёт готовит бегает курит стоит имеет живе живуть "
    "працює працюють"
)
VERBS = _VERBS | BEING
# What stands for a verb whose "is" is left out.
STARTERS = word_set(
    "based located born married aged employed situated divorced retired basé basée né née geboren "
    "ansässig"
)

_IRREGULAR = {
    "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes", "don't": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "sind": "ist", "waren": "war",
    "haben": "hat", "hatten": "hatte", "werden": "wird", "fahren": "fährt", "essen": "isst",
    "sprechen": "spricht", "lesen": "liest", "laufen": "läuft", "schlafen": "schläft",
    "tragen": "trägt", "mögen": "mag", "können": "kann", "müssen": "muss", "wollen": "will",
    "wissen": "weiß", "sehen": "sieht", "geben": "gibt", "nehmen": "nimmt", "treffen": "trifft",
    "helfen": "hilft", "sont": "est", "ont": "a", "vont": "va", "font": "fait", "étaient": "était",
    "avaient": "avait", "boivent": "boit", "vivent": "vit", "écrivent": "écrit", "lisent": "lit",
    "prennent": "prend", "peuvent": "peut", "veulent": "veut", "savent": "sait",
    "viennent": "vient", "tiennent": "tient", "dorment": "dort", "conduisent": "conduit",
    "courent": "court", "vendent": "vend", "son": "es", "han": "ha", "eran": "era", "fueron": "fue",
    "tuvieron": "tuvo", "sono": "è", "hanno": "ha", "erano": "era", "vanno": "va", "fanno": "fa",
    "são": "é", "têm": "tem", "vão": "vai", "foram": "foi", "estão": "está", "живут": "живёт",
    "едят": "ест", "пьют": "пьёт", "были": "был", "живуть": "живе", "zijn": "is", "wonen": "woont",
    "werken": "werkt",
}  # fmt: skip
_BY_LANGUAGE: dict[str, tuple[tuple[str, str], ...]] = {
    "de": (
        ("eln", "elt"), ("ern", "ert"), ("ten", "tet"), ("den", "det"), ("ßen", "ßt"),
        ("sen", "st"), ("en", "t"),
    ),
    "fr": (("issent", "it"), ("ent", "e")),
    "es": (("ían", "ía"), ("aban", "aba"), ("aron", "ó"), ("ieron", "ió"), ("an", "a"),
    ("en", "e")),
    "it": (("ano", "a"), ("ono", "e")),
    "ru": (
        ("ают", "ает"), ("яют", "яет"), ("еют", "еет"), ("уют", "ует"), ("ют", "ет"), ("ут", "ет"),
        ("ят", "ит"), ("ат", "ит"), ("ли", "л"), ("юють", "ює"), ("ають", "ає"),
    ),
    "pt": (("am", "a"), ("em", "e")),
}  # fmt: skip
_LANGUAGE_OF = {
    "und": "de",
    "sowie": "de",
    "oder": "de",
    "et": "fr",
    "ou": "fr",
    "y": "es",
    "и": "ru",
    "та": "ru",
    "і": "ru",
}
PAST_FORMS = word_set(
    "took went left met ran drove drank ate spoke bought sold paid taught saw made got knew spent "
    "read had"
)
# These have the same form with one subject and with many.
_UNCHANGED = PAST_FORMS | word_set(
    "came grew wrote sang swam won lost found built kept slept stood sat began broke chose fell "
    "flew gave can will may must should would could might did"
)


def of_one(verb: str, conjunction: str) -> str:
    """The verb as it stands with one subject, where it stood with several that this word joined."""
    low = verb.lower()
    if low in _IRREGULAR and not (low == "son" and conjunction != "y"):
        return _IRREGULAR[low]
    language = _LANGUAGE_OF.get(conjunction, "")
    if conjunction == "e":
        language = "it" if low.endswith(("ano", "ono")) else "pt"
    for plural, single in _BY_LANGUAGE.get(language, ()):
        if low.endswith(plural) and len(low) > len(plural) + 1:
            return verb[: len(verb) - len(plural)] + single
    if language or conjunction not in ("and", "&", "or", "nor", "plus"):
        return verb
    if low in _UNCHANGED or low.endswith(("ed", "n't")) or low in BEING:
        return verb
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if low.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
