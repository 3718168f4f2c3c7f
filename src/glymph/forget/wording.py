"""Words that requests are made of, in several languages.

They are noise, attributes and the words that state them.
"""

from __future__ import annotations

import re

from glymph.text.normal import STOP_WORDS
from glymph.text.scripts import fold
from glymph.text.words import stem, word_set

# Words by which a request asks, not what it asks for.
NOISE = STOP_WORDS | word_set(
    "forget forgetting delete remove erase purge drop release please kindly everything anything "
    "all any every whatever about regarding concerning fact facts thing things stuff info "
    "information details detail data profile record records history entry entries note notes "
    "memory memories customer client patient account user person people related know known longer "
    "file files item number nr no personal private statement belief that whole complete support "
    "value habit habits status kind type usual current currently now today old former mention "
    "mentions mentioning who whom which what where when whose how ever s date day get gets getting "
    "got use uses used using happens happen happening happened called mine vergiss vergessen "
    "lösche löschen entferne entfernen bitte alles alle über zu was wo wer wann wie dass daß das "
    "die der den dem des ein eine von vom im in am und daten angaben information informationen "
    "profil kunde kundin person nummer ist sind hat es oublie oublier supprime supprimer efface "
    "effacer tout toute tous sur le la les l de du des d un une que qui où quand et données "
    "informations profil client est sont ce à au s'il vous plaît olvida olvidar borra borrar "
    "elimina eliminar todo toda todos sobre el los las del lo un una que quien donde cuando y "
    "datos información perfil cliente es por favor quién dónde qué en dimentica cancella elimina "
    "tutto tutti su di il i gli che chi dove quando dati informazioni profilo è sono della dello "
    "dei delle dell esquece esqueça apaga apagar tudo todos sobre o os as do da dos das que quem "
    "onde dados informações perfil забудь забыть удали удалить всё все о об обо про что кто где "
    "когда данные информация профиль и в на это забудь видали про усе unut sil hakkında her şey "
    "vergeet verwijder alles over wat waar wie het een van zapomnij usuń wszystko o glöm allt om"
)  # fmt: skip
SOFT = word_set(
    "medical health personal contact private clinical financial gesundheit médical médicales salud"
)
QUESTIONS = word_set(
    "where who what which when wo wer was où qui dónde quién qué dove chi onde quem где кто что"
)
NOW = word_set("now current currently today present latest jetzt aktuell heute maintenant actuel "
               "actuellement ahora actual adesso attuale agora atual сейчас теперь")  # fmt: skip
WHOLE = word_set(
    "all everything anything alles tout todo toda tutto tudo всё все history profile data усе"
)
PAST = re.compile(
    r"(?<!\w)(?:before|until|till|formerly|previously|used to|was|were|bis|vor|früher|war|waren"
    r"|avant|jusqu|était|antes|hasta|era|prima|fino|fosse|até|до|раньше|был|была)(?!\w)",
    re.IGNORECASE,
)
STATED = re.compile(
    r"(?<!\w)(?:that|dass|daß|que|che|что)(?!\w)|"
    r"^[^\W\d_]\w+ (?:\w+s|is|are|has|have|does|do|was|ist|hat|est|a|es|è|é|ne|no)\s",
    re.IGNORECASE,
)

# Attributes: words by which requests name them, and, behind the bar, words by which texts only
# state them.
_TOPICS: dict[str, str] = {
    "job": "job employ employer employed employment work works worked working workplace occupation "
    "profession career company role position livelihood arbeit arbeitet arbeiten arbeitgeber beruf "
    "stelle firma emploi employeur travail travaille métier boulot trabajo trabaja empleo "
    "empleador empresa lavoro lavora mestiere impiego azienda trabalho trabalha emprego empregador "
    "работа работает работу работодатель должность працює робота işi çalışıyor | engineer "
    "developer manager director cto ceo teacher nurse joined join hired earns earn living verdient "
    "angestellt gana guadagna teaches teach heads retired lectures manages consultant designer "
    "doctor lawyer started moved lead intern freelances",
    "home": "home house location whereabouts base address residence residing resides reside live "
    "lives lived living lodging domicile apartment flat hometown wohnort wohnt wohnen adresse "
    "zuhause anschrift wohnung lebt habite habitent maison domicilio vive viven casa dirección "
    "residencia abita indirizzo residenza mora endereço morada живёт живет адрес дом живе yaşıyor "
    "| moved relocated settled based street avenue road umgezogen installée installé vit mudó "
    "trasferita trasferito переехал переехала",
    "diet": "diet eat eats eating ate food nutrition ernährung isst essen régime mange "
    "alimentation dieta come mangia питание ест диета | vegetarian vegan pescatarian omnivore meat "
    "gluten keto carnivore paleo meal steak fleisch vegetarisch végétarien vegetariano vegetariana "
    "mediterranean",
    "drink": "drink drinks drinking drank beverage trinkt getränk boit boisson bebe bebida beve "
    "bevanda пьёт пьет напиток | tea coffee wine beer",
    "vehicle": "car vehicle drive drives drove automobile auto fährt wagen fahrzeug voiture "
    "conduit coche conduce carro macchina guida машина водит | truck motorcycle ride rides roule "
    "rouler fährst",
    "phone": "contact contacted phone telephone mobile cell handset smartphone handy handynummer "
    "telefon telefonnummer téléphone portable teléfono móvil celular telefono cellulare telefone "
    "телефон | reach iphone pixel",
    "mail": "mail email e-mail mailbox courriel correo почта",
    "union": "marital marriage relationship familienstand | married single engaged divorced "
    "widowed wife husband spouse partner verheiratet ledig mariée marié célibataire casado casada "
    "soltero sposato sposata женат замужем",
    "birthday": "birthday born birth birthdate dob geburtstag geboren anniversaire né née "
    "naissance cumpleaños nació nacimiento compleanno nato nata aniversário nasceu рождения "
    "родился родилась",
    "age": "age alter âge edad età idade возраст | aged years jahre ans años anni лет",
    "language": "language languages speak speaks spoken fluent fluently sprache sprachen spricht "
    "langue langues parle idioma idiomas lengua habla lingua lingue parla língua fala язык языки "
    "говорит",
    "pet": "pet pets haustier haustiere animal animals mascota mascotas animale питомец | dog cat "
    "parrot hamster rabbit puppy kitten hund katze chien chat perro gato cane gatto собака кошка "
    "кот",
    "theme": "theme appearance display | mode dark light",
    "colour": "colour color farbe couleur colore cor цвет | favourite favorite red blue green "
    "yellow purple crimson magenta white black orange pink teal",
    "health": "health medical illness disease condition gesundheit krankheit santé maladie salud "
    "enfermedad salute malattia saúde здоровье болезнь | allergy allergies allergic diagnosis "
    "diagnosed medication medicine blood diabetes asthma allergisch krank allergique alérgico "
    "alérgica allergico аллергия",
    "hobby": "hobby hobbies sport sports pastime instrument instrumento strumento instrumente "
    "fitness exercise hobbys loisir loisirs afición aficiones хобби | play plays playing enjoy "
    "enjoys training trains spielt joue juega toca gioca suona играет",
    "liking": "like likes liked love loves prefer prefers preferred preference preferences taste "
    "tastes vorliebe vorlieben bevorzugt préférence préférences goûts gustos preferencia "
    "preferencias предпочтения вкусы favourite favorite | enjoy enjoys mag liebt aime adore gusta "
    "prefiere piace ama preferisce gosta prefere любит нравится",
    "reading": "book books novel read reads reading buch bücher liest livre livres lit libro "
    "libros lee книга книги читает",
    "school": "school university college study studies studied degree studium studiert schule "
    "école étudie escuela universidad estudia scuola studia учится школа университет",
    "money": "salary income pay pays payment paying wage wages gehalt lohn salaire sueldo salario "
    "stipendio зарплата | earns earned earn paid verdient gagne",
    "meeting": "meeting meetings met meet meets appointment appointments treffen termin réunion "
    "rendez-vous reunión cita riunione appuntamento встреча | gather gathers",
    "travel": "travel travels trip journey vacation reise voyage viaje viaggio | flight booked "
    "flug vol vuelo volo рейс",
    "call": "call called calls phoned llamó llamada appel appelé anruf rief chiamata chiamato "
            "звонил звонок",
    "family": "family familie famille familia famiglia kids children семья | mother father son "
    "sons daughter brother sister mutter vater",
    "weight": "weight weigh weighs weighed gewicht wiegt wog poids pèse peso pesa вес весит",
    "tool": "tool tools app application platform software werkzeug outil herramienta | use uses "
    "used using benutzt nutzt utilise usa",
    "time": "time schedule uhrzeit heure hora время | at um",
    "lead": "manager boss supervisor chef chefin patron jefe jefa capo chefe начальник",
    "name": "name nickname nom surnom nombre apodo nome soprannome имя | called heißt llama зовут",
}  # fmt: skip


def _tables() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    asked: dict[str, set[str]] = {}
    stated: dict[str, set[str]] = {}
    for topic, listed in _TOPICS.items():
        naming, _, stating = listed.partition("|")
        for table, text in ((asked, naming), (stated, f"{naming} {stating}")):
            for word in text.split():
                table.setdefault(fold(word), set()).add(topic)
                if word in naming.split():
                    table.setdefault(stem(fold(word)), set()).add(topic)
    return (
        {w: frozenset(t) for w, t in asked.items()},
        {w: frozenset(t) for w, t in stated.items()},
    )


_ASKED, _STATED = _tables()
_NOISE = frozenset(fold(word) for word in NOISE)


def attributes(word: str) -> frozenset[str]:
    """The attributes that a word of a request names."""
    low = fold(word)
    return _ASKED.get(low) or _ASKED.get(stem(low)) or frozenset()


def topics(word: str) -> frozenset[str]:
    """The attributes that a word of a text states something of."""
    low = fold(word)
    return _STATED.get(low) or _STATED.get(stem(low)) or frozenset()


def is_noise(word: str) -> bool:
    """Returns whether a word only asks."""
    return fold(word) in _NOISE
