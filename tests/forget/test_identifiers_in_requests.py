"""Requests that name an identifier find it in every spelling, and nothing that differs from it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph.forget.by_rules import still_held
from glymph.forget.match import Statement, by_identifier, units
from glymph.forget.names import one_name, places
from glymph.forget.planner import plan
from glymph.forget.request import read_request
from glymph.forget.spelling import MOST_FORMS, forms
from glymph.text.identifiers import identifiers
from glymph.text.identifiers.spellings import find_spellings
from tests.pace import LONG, must_end

WALLET = "0x7aF3e91B5C20d4486aE0f1D2b93C65A7481eD0c9"
COMMIT = "7af3e91b5c20d4486ae0f1d2b93c65a7481ed0c9"
BITCOIN = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
UUID = "3f2b8c1e-94d7-4a60-b5e2-0c7d19f8a634"
MOIRA = "moira.finch@ramblers.example"

# A request, texts that hold what it names, and texts near to it that do not.
PHONES = [
    ("Remove the number 07700 900418", ["Reach Ines on +44 7700 900418.", "Her mobile: 07700900418", "Call 0044 7700 900418 after six."], ["Reach Ines on +44 7700 900419.", "Her mobile: 07700900481", "Call 0044 7700 90041 after six."]),
    ("phone +44 7700 900418", ["Text 07700 900418 for the keys.", "Text (07700) 900418 for the keys.", "He is on +44 (0)7700 900418."], ["Text 07701 900418 for the keys.", "He is on +44 (0)7700 904018.", "He is on +49 7700 900418."]),
    ("Delete +49 30 2093 5511", ["Die Praxis hat 030 20935511.", "Die Praxis hat 030/2093-5511."], ["Die Praxis hat 040 20935511.", "Die Praxis hat 030/2093-5512."]),
    ("Lösche die Nummer 030 20935511", ["Ruf +49 30 20935511 an.", "Ruf 0049 30 2093 5511 an."], ["Ruf +49 30 20935510 an.", "Ruf +49 89 20935511 an."]),
    ("forget 06 12 34 56 78", ["Son portable est le +33 6 12 34 56 78.", "Son portable est le 0612345678."], ["Son portable est le +33 6 12 34 56 79.", "Son portable est le 0612345687."]),
    ("forget +33 6 12 34 56 78", ["Appelle le 06.12.34.56.78.", "Appelle le 06 12 34 56 78 ce soir."], ["Appelle le 07.12.34.56.78.", "Appelle le 06 12 34 56 87 ce soir."]),
    ("remove (415) 555-0134", ["Dial +1 415 555 0134.", "Dial 1-415-555-0134.", "Dial 415.555.0134."], ["Dial +1 415 555 0143.", "Dial 1-416-555-0134.", "Dial 415.555.013."]),
    ("remove +1 415 555 0134", ["Her number is 415-555-0134.", "Her number is (415) 555 0134."], ["Her number is 415-555-0135.", "Her number is (451) 555 0134."]),
    ("delete the phone 8 916 123-45-67", ["Телефон +7 916 123 45 67.", "Телефон 8 (916) 123-45-67."], ["Телефон +7 916 123 45 68.", "Телефон 8 (915) 123-45-67."]),
    ("удали номер +7 916 123-45-67", ["Звони 8 916 123 45 67.", "Звони +79161234567."], ["Звони 8 916 123 45 76.", "Звони +79161234568."]),
    ("the number +39 06 698 12345", ["Chiama lo 06 69812345.", "Chiama +39 06 69812345."], ["Chiama lo 06 69812346.", "Chiama +39 02 69812345."]),
    ("phone 612 345 678", ["Su móvil es +34 612 345 678.", "Su móvil es 612345678."], ["Su móvil es +34 612 345 679.", "Su móvil es 612345687."]),
    ("phone 447700900418", ["WhatsApp +44 7700 900418.", "Call 07700 900418."], ["WhatsApp +44 7700 900428.", "Call 07700 900417."]),
    ("forget +91 98201 45067", ["Her line is 098201 45067.", "Her line is 98201-45067."], ["Her line is 098201 45076.", "Her line is 98201-45068."]),
]  # fmt: skip
PLATES = [
    ("the number plate KX19 OTB", ["He drives KX19OTB.", "He drives KX19-OTB.", "Plate kx19 otb was seen."], ["He drives KX19 OTD.", "He drives KX91OTB.", "The flight KX19 was late."]),
    ("forget KX19OTB", ["The van is KX19 OTB."], ["The van is KX19 OTBA.", "The van is XKX19 OTB."]),
    ("licence plate MH 12 DE 4508", ["Taxi MH12DE4508 came.", "Taxi MH-12-DE-4508 came.", "Taxi MH 12 DE 4508 came."], ["Taxi MH 12 DE 4580 came.", "Taxi MH12DF4508 came.", "Taxi MH 21 DE 4508 came."]),
    ("MH12DE4508", ["Seen: MH 12 DE 4508."], ["Seen: MH 12 DE 45081.", "Seen: MH 12 DE 4507."]),
    ("das Kennzeichen B-KR 1234", ["Das Auto hat BKR1234.", "Das Auto hat B KR 1234.", "Das Auto hat B-KR-1234."], ["Das Auto hat B-KR 1243.", "Das Auto hat B-KS 1234.", "Das Auto hat HB-KR 1234."]),
    ("M-AB 77", ["Kennzeichen: M AB 77."], ["Kennzeichen: M AB 78.", "Kennzeichen: M AC 77."]),
    ("plaque AB-123-CD", ["Sa voiture est AB 123 CD.", "Sa voiture est AB123CD."], ["Sa voiture est AB 123 CE.", "Sa voiture est AB132CD."]),
    ("matrícula 4821 KLM", ["El coche es 4821KLM.", "El coche es 4821-KLM."], ["El coche es 4821KLN.", "El coche es 4812-KLM."]),
    ("registration WOR 516K", ["The Beetle is WOR516K."], ["The Beetle is WOR561K.", "The Beetle is WOR516L."]),
]  # fmt: skip
MAILS = [
    (f"Delete {MOIRA}", ["Write to moira dot finch at ramblers dot example.", "Write to moira.finch (at) ramblers (dot) example.", "Write to moira.finch[at]ramblers.example today."], ["Write to moira dot finch at ramblers dot org.", "Write to maira.finch (at) ramblers (dot) example.", "Write to moira.finch[at]rambler.example today."]),
    (MOIRA, ["From <moira.finch@ramblers.example>: hello", 'Her mail is "Moira.Finch@Ramblers.example".', "mailto:moira.finch@ramblers.example works."], ["From <moira.finch@ramblers.example.org>: hello", 'Her mail is "m.oira.finch@ramblers.example".', "Her mail is anna.moira.finch@ramblers.example."]),
    ("moira dot finch at ramblers dot example", ["Ask moira.finch@ramblers.example."], ["Ask moirafinch@ramblers.example.", "Ask moira.finch@ramblers.test."]),
    ("h.brandt@x.example", ["Mail h.brandt@x.example."], ["Mail h.brandt+gym@x.example.", "Mail h plus brandt at x dot example."]),
    ("h.brandt+gym@x.example", ["Mail h.brandt+gym@x.example.", "Mail h.brandt plus gym at x dot example."], ["Mail h.brandt@x.example.", "Mail h.brandt+gum@x.example."]),
    ("forget lena_voss@post.example", ["lena underscore voss at post dot example", "lena_voss (at) post.example"], ["lena dash voss at post dot example", "lena_vos (at) post.example"]),
    ("supprime jean-luc@poste.example", ["Son adresse : jean tiret luc arobase poste point example", "jean-luc @ poste.example"], ["Son adresse : jean tiret loc arobase poste point example", "jeanluc @ poste.example"]),
    ("lösche info@ofen.de", ["Schreib an info ät ofen punkt de", "Schreib an info(at)ofen.de"], ["Schreib an info ät ofen punkt at", "Schreib an infos(at)ofen.de"]),
    ("bob@acme.io", ["bob at acme dot io", "bob {at} acme {dot} io"], ["Ask bob at acme.io/jobs.", "rob at acme dot io", "bob at acme dot io dot uk"]),
    ("kai77@zug.example", ["KAI77 AT ZUG DOT EXAMPLE", "kai77@zug.example."], ["kai78 at zug dot example", "kai77@zug.example2.org"]),
]  # fmt: skip
KEYS = [
    (f"the wallet {WALLET}", ["Paid to 0x7aF3…D0c9.", "Paid to 0x7aF3...D0c9.", f"Paid to {WALLET.lower()}."], ["Paid to 0x7aF3…D0c8.", "Paid to 0x7aF4...D0c9.", f"Paid to {WALLET[:-1]}8."]),
    ("the wallet 0x7aF3…D0c9", [f"Paid to {WALLET}.", "Paid to 0x7af3...d0c9."], [f"Paid to {WALLET[:-1]}8.", "Paid to 0x7bf3...d0c9."]),
    (f"commit {COMMIT}", ["Fixed in commit 7af3e91.", "Fixed in 7af3e91b5c.", f"Fixed in {COMMIT.upper()}."], ["Fixed in commit 7af3e92.", "Fixed in 7af3e91b5d.", "Fixed in 7af3e9."]),
    ("forget commit 7af3e91", [f"Broken by {COMMIT}.", "Broken by 7af3e91."], [f"Broken by 8{COMMIT[1:]}.", "Broken by 7af3e90.", "Broken by 7af3e91b."]),
    (BITCOIN, ["Sent to bc1qar0…5mdq.", f"Sent to {BITCOIN}"], ["Sent to bc1qar0…5mdp.", f"Sent to {BITCOIN[:-1]}p"]),
    ("sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", ["digest e3b0c442…7852b855", "sha e3b0c44298fc"], ["digest e3b0c443…7852b855", "sha e3b0c44398fc"]),
    (f"session {UUID}", [f"Session {UUID.upper()} ended.", f"Session {UUID.replace('-', '')} ended.", f"Session {{{UUID}}} ended."], [f"Session {UUID[:-1]}5 ended.", f"Session {UUID.replace('-', '')[:-1]}0 ended.", f"Session {UUID}-2 ended."]),
    (UUID.replace("-", "").upper(), [f"Job {UUID} failed.", f"Job urn:uuid:{UUID} failed."], [f"Job 4{UUID[1:]} failed.", f"Job a{UUID} failed."]),
    ("the API key sk-17quami0uz", ["key sk-17quami0uz leaked", "key SK-17QUAMI0UZ leaked"], ["key sk-17quami0uy leaked", "key sk-17quami1uz leaked"]),
]  # fmt: skip
NUMBERS = [
    ("the code 471108", ["The code is 4 7 1 1 0 8.", "The code is four seven one one zero eight.", "Code: 47-11-08"], ["The code is 4 7 1 1 0 9.", "The code is four seven one one zero nine.", "Code: 47-11-80"]),
    ("code 471108", ["four seven double one oh eight opens it", "It is vier sieben eins eins null acht."], ["four seven double two oh eight opens it", "It is vier sieben eins eins null neun.", "It is 4 7 1 1 0 8 2."]),
    ("code four seven one one zero eight", ["Type 471108.", "Type 4-7-1-1-0-8."], ["Type 471180.", "Type 4-7-1-1-0-0."]),
    ("PIN 5 5 0 2 9", ["The PIN is 55029.", "The PIN is double five zero two nine."], ["The PIN is 55092.", "The PIN is five zero two nine."]),
    ("oublie le code 30419", ["Le code est trois zéro quatre un neuf.", "Le code est 30 419."], ["Le code est trois zéro quatre un huit.", "Le code est 30 491."]),
    ("olvida el código 62817", ["El código es seis dos ocho uno siete.", "62 817"], ["El código es seis dos ocho uno seis.", "62 871"]),
    ("patient 40-771-88", ["Chart 40 771 88 is closed.", "Chart 4077188 is closed.", "Chart 40.771.88 is closed."], ["Chart 40 771 89 is closed.", "Chart 4077881 is closed.", "Chart 40-771-88-2 is closed."]),
    ("patient number 40 771 88", ["Patient 40-771-88 called.", "Patient 40/771/88 called."], ["Patient 40-717-88 called.", "Patient 140-771-88 called."]),
    ("case number 4077188", ["Case 40_771_88 was settled.", "Case no. 407-7188 was settled."], ["Case 40_771_87 was settled.", "Case no. 407-71880 was settled."]),
    ("Aktenzeichen 12 345 678", ["Akte 12345678 liegt vor.", "Akte 12-345-678 liegt vor."], ["Akte 12345687 liegt vor.", "Akte 12-345-678-9 liegt vor."]),
    ("file no. 55-0192", ["file 550192", "file 55 0192"], ["file 550193", "file 55 0129"]),
    ("SSN 123-45-6789", ["SSN 123 45 6789", "ssn 123456789"], ["SSN 123 45 6798", "ssn 1234567890"]),
    ("member id 889 201 44", ["Member 88920144 left.", "Member 889-201-44 left."], ["Member 88920145 left.", "Member 889-210-44 left."]),
    ("order 4711", ["Order no. 4711 is late.", "Bestellung 4711 is late."], ["Invoice 4711 is late.", "Order no. 4712 is late."]),
    ("code 3090417", ["It is 309 0417.", "It is 三零九零四一七."], ["It is 309 0418.", "It is 三零九零四一八."]),
    ("the badge 7725091", ["Badge 77 250 91 found.", "Badge 772-5091 found."], ["Badge 77 250 19 found.", "It cost 7725091 EUR."]),
    ("code 250861", ["Use 25-08-61 now.", "Use 250 861 now."], ["Use 25-08-16 now.", "Use 250 861 5 now."]),
]  # fmt: skip
MONEY = [
    ("card 4111 1111 1111 1111", ["Card 4111-1111-1111-1111 expired.", "Card 4111111111111111 expired.", "Card 41111111 11111111 expired."], ["Card 4111-1111-1111-1112 expired.", "The card ending in 1111 expired.", "Card **** 1111 expired."]),
    ("the card ending in 8210", ["Card ending 8210 was stolen.", "Card **** **** **** 8210 was stolen.", "The Visa's last four are 8210."], ["Card ending 8211 was stolen.", "Card **** **** **** 8201 was stolen.", "He won 8210 points."]),
    ("card 5500 0055 5555 5559", ["5500005555555559 was used", "5500-0055-5555-5559 was used"], ["5500005555555558 was used", "5500-0055-5555-5595 was used"]),
    ("IBAN DE89 3704 0044 0532 0130 00", ["Pay to DE89370400440532013000.", "Pay to de89-3704-0044-0532-0130-00.", "Pay to DE 89 37040044 0532013000."], ["Pay to DE89370400440532013001.", "Pay to DE98-3704-0044-0532-0130-00.", "Pay to AT 89 37040044 0532013000."]),
    ("GB82WEST12345698765432", ["GB82 WEST 1234 5698 7654 32 is his."], ["GB82 WEST 1234 5698 7654 33 is his.", "GB28 WEST 1234 5698 7654 32 is his."]),
    ("FR14 2004 1010 0505 0001 3M02 606", ["Compte FR1420041010050500013M02606"], ["Compte FR1420041010050500013M02607", "Compte FR1420041010050500013N02606"]),
]  # fmt: skip
BOOKS = [
    ("ISBN 978-3-16-148410-0", ["She read 9783161484100.", "She read ISBN 3-16-148410-X.", "She read 316148410X."], ["She read 9783161484101.", "She read ISBN 3-16-148411-X.", "She read 316148410Y."]),
    ("ISBN 3-16-148410-X", ["978-3-16-148410-0 is out of print.", "978 3 16 148410 0 is out of print."], ["978-3-16-148410-1 is out of print.", "979-3-16-148410-0 is out of print."]),
    ("ISBN-10: 0-306-40615-2", ["ISBN 9780306406157", "0306406152 on the shelf"], ["ISBN 9780306406158", "0306406125 on the shelf"]),
    ("9780306406157", ["ISBN 0-306-40615-2", "978-0-306-40615-7"], ["ISBN 0-306-40615-3", "978-0-306-40651-7"]),
    ("ISSN 2049-3630", ["Journal 20493630", "ISSN 2049 3630"], ["Journal 20493631", "ISSN 2049-3603"]),
]  # fmt: skip
TICKETS = [
    ("ticket OPS-221", ["OPS 221 is done.", "ops221 is done.", "OPS_221 is done."], ["OPS-222 is done.", "#221 is done.", "OPS-2210 is done."]),
    ("ops221", ["Closed OPS-221.", "Closed ops-221."], ["Closed DEVOPS-221.", "Closed OPS-21."]),
    ("ticket #221", ["#221 is done.", "Ticket 221 is done."], ["#222 is done.", "OPS-221 is done."]),
    ("INC-0042017", ["INC0042017 reopened", "inc 0042017 reopened"], ["INC0042018 reopened", "inc 0042071 reopened"]),
    ("PR-88123", ["see pr 88123", "see PR/88123"], ["see pr 88124", "see PRX-88123"]),
    ("invoice INV-2023-0042", ["inv/2023/42 is paid", "INV 2023 0042 is paid"], ["inv/2024/42 is paid", "INV 2023 0043 is paid"]),
    ("Rechnung RG-55021", ["RG 55021 ist offen", "RG55021 ist offen"], ["RG 55012 ist offen", "RG550211 ist offen"]),
]  # fmt: skip
HANDLES = [
    ("@curbhopper_aj", ["curbhopper_aj posted.", "@CurbHopper_AJ posted."], ["curbhopper_aja posted.", "curbhopper_ak posted.", "xcurbhopper_aj posted."]),
    ("the handle curbhopper_aj", ["@curbhopper_aj posted.", "He is curbhopper_aj."], ["@curbhopper_aj2 posted.", "Mail curbhopper_aj@x.example."]),
    ("@walrus", ["@walrus wrote.", "His handle is walrus."], ["A walrus swam.", "@walruses wrote."]),
    ("user name tim.k88", ["@tim.k88 left.", "tim.k88 left."], ["@tim.k89 left.", "tim.k888 left."]),
    ("@nele@pond.example", ["@Nele@pond.example joined."], ["@nele joined.", "@nele@bond.example joined."]),
    ("vergiss das Konto zora_99", ["@zora_99 schreibt.", "zora_99 schreibt."], ["@zora_98 schreibt.", "zora_999 schreibt."]),
]  # fmt: skip
PLACES = [
    ("/srv/vault/keys.pem", ["Stored in /srv/vault/keys.pem.", "`/srv/vault//keys.pem`"], ["Stored in /srv/vault/keys.pem.bak", "Stored in /srv/vault/keys", "/mnt/srv/vault/keys.pem"]),
    ("the file C:\\Users\\Bo\\tax.xlsx", ["It is c:/users/bo/tax.xlsx."], ["It is c:/users/bo/tax.xls.", "It is c:/users/bo/tax.xlsx/old."]),
    ("~/notes/plan.md", ["Edit ~/notes/plan.md first."], ["Edit ~/notes/plan2.md first.", "Edit ~/notes/plan.md/x first."]),
    ("https://www.walrus.example/jobs/", ["See walrus.example/jobs.", "See http://walrus.example/jobs", "See www.walrus.example/jobs/"], ["See walrus.example/job.", "See walrus.example/jobs/7", "See walrus.example"]),
    ("walrus.example/jobs", ["See https://www.walrus.example/jobs/."], ["See https://www.walrus.example/Jobs/.", "See https://x.walrus.example/jobs"]),
    ("the site pondlife.example", ["https://pondlife.example is down.", "www.pondlife.example is down."], ["https://pondlife.example.org is down.", "mail@pondlife.example is down."]),
    ("http://acme.io:8080/a?x=1", ["acme.io:8080/a?x=1"], ["acme.io:8081/a?x=1", "acme.io:8080/a?x=2"]),
    ("version 2.1", ["We run v2.1 there.", "We run version 2.1 there.", "Upgraded to release 2.1."], ["We run 2.1.3 there.", "We run v2.1.3 there.", "We run v2.10 there."]),
    ("v4.0.2", ["version 4.0.2 crashed", "4.0.2 crashed"], ["version 4.0 crashed", "4.0.20 crashed"]),
    ("10.20.30.40", ["Host 10.20.30.40 is up."], ["Host 10.20.30.41 is up.", "Host 10.20.30.4 is up."]),
    ("00:1A:2B:3C:4D:5E", ["nic 00-1a-2b-3c-4d-5e", "nic 001a.2b3c.4d5e"], ["nic 00-1a-2b-3c-4d-5f", "nic 001a.2b3c.4d6e"]),
]  # fmt: skip
CODE_NAMES = [
    ("blue_walrus", ["BlueWalrus ships in May.", "blue-walrus ships in May.", "Blue Walrus ships in May."], ["grey_walrus ships in May.", "A walrus swam.", "blue_walruses ship in May."]),
    ("codename Blue Walrus", ["blueWalrus is late.", "blue_walrus is late.", "BLUE WALRUS is late."], ["GreyWalrus is late.", "The blue whale is late.", "We saw a blue walrus."]),
    ("BlueWalrus", ["blue_walrus moved.", "Blue Walrus moved."], ["BlueWalrusTwo moved.", "blue-walrus-2 moved."]),
    ("forget everything about project blue-walrus", ["BlueWalrus has a budget.", "It lies in services/blue_walrus/api."], ["BlueWalnut has a budget.", "It lies in services/blue_walnut/api.", "The project has a budget."]),
    ("blueWalrus", ["blue-walrus was cut."], ["blue was cut.", "dark-blue-walrus was cut."]),
    ("the codename quiet harbour", ["quiet_harbour starts.", "QuietHarbour starts."], ["quiet_harbor starts.", "The harbour was quiet."]),
    ("the passphrase Marmalade-Owl-77", ["It is Marmalade-Owl-77.", "It is marmalade owl 77."], ["It is Marmalade-Owl-78.", "It is Marmalade-Fowl-77."]),
    ("passphrase correct-horse-battery-staple", ["correct-horse-battery-staple", "correct_horse_battery_staple"], ["correct-horse-battery-stable", "correct-horse-battery"]),
    ("das Passwort Tulpe-Nebel-Kran", ["Es ist Tulpe-Nebel-Kran."], ["Es ist Tulpe-Nebel-Kram.", "Eine Tulpe im Nebel."]),
    ("the feature flag new_checkout_flow", ["newCheckoutFlow is on.", "new-checkout-flow is on."], ["new_checkout is on.", "old_checkout_flow is on."]),
    ("projet lune_rouge", ["LuneRouge avance.", "lune-rouge avance."], ["LuneRose avance.", "La lune est rouge."]),
    ("the branch fix-login-loop", ["fix_login_loop was merged."], ["fix_login_loops was merged.", "fix-logout-loop was merged."]),
]  # fmt: skip
MORE = [
    ("Please erase 0151 23456789 from memory", ["Mobil: +49 151 23456789", "Mobil: 0151-234 567 89"], ["Mobil: +49 151 23456798", "Mobil: 0152-234 567 89"]),
    ("forget 0043 1 5870211", ["In Wien: 01 5870211", "In Wien: +43 1 587 02 11"], ["In Wien: 01 5870212", "In Wien: +43 1 587 02 12"]),
    ("phone (020) 7946 0958", ["Ring +44 20 7946 0958.", "Ring 020 79460958."], ["Ring +44 20 7946 0985.", "Ring 0207946095."]),
    ("numberplate: LK73 VWP", ["LK73VWP was towed."], ["LK37VWP was towed."]),
    ("the targa FX 482 KB", ["La Panda FX482KB è mia."], ["La Panda FX428KB è mia."]),
    ("Kennzeichen HH-ZX 908", ["HHZX908 parkt hier.", "HH ZX 908 parkt hier."], ["HHZX909 parkt hier.", "HH ZY 908 parkt hier."]),
    ("delete o'neil.k@lark.example", ["Write o'neil.k@lark.example."], ["Write oneil.k@lark.example."]),
    ("borra ana.ruiz@nube.example", ["ana punto ruiz arroba nube punto example", "Ana.Ruiz@Nube.Example"], ["ana punto ruis arroba nube punto example", "ana.ruiz@nubes.example"]),
    ("удали ivan.petrov@pochta.example", ["ivan точка petrov собака pochta точка example"], ["ivan точка petroff собака pochta точка example"]),
    ("the token ghp_8fK2mQ9xL4vT7bN1", ["ghp_8fK2mQ9xL4vT7bN1 expired"], ["ghp_8fK2mQ9xL4vT7bN2 expired"]),
    ("transaction 5e1f0b7733a94c06d8be2217c04fa9d1", ["Tx 5e1f0b77…a9d1 failed.", "Tx 5E1F0B7733A94C06D8BE2217C04FA9D1 failed."], ["Tx 5e1f0b77…a9d2 failed.", "Tx 5e1f0b78…a9d1 failed."]),
    ("the hash 9c1185a5c5e9fc54612808977ee8f548b2258d31", ["rev 9c1185a was bad", "9c1185a5c5e9 was bad"], ["rev 9c1185b was bad", "9c1185a5c5e8 was bad"]),
    ("the locker code 90817", ["Locker: nine zero eight one seven", "Locker: 9 0 8 1 7"], ["Locker: nine zero eight one", "Locker: 9 0 8 7 1"]),
    ("código 7 7 3 1 9", ["Es 77319.", "Es siete siete tres uno nueve."], ["Es 77391.", "Es siete tres uno nueve."]),
    ("забудь код 58214", ["Код пять восемь два один четыре.", "Код 58-214."], ["Код пять восемь два один пять.", "Код 58-241."]),
    ("customer number 20-4418-7", ["Customer 2044187 complained.", "Customer 20 4418 7 complained."], ["Customer 2044178 complained.", "Customer 20 4418 9 complained."]),
    ("Kundennummer 66 031 22", ["Kunde 6603122 kündigt.", "Kunde 66-031-22 kündigt."], ["Kunde 6603123 kündigt.", "Kunde 66-013-22 kündigt."]),
    ("IBAN NL91 ABNA 0417 1643 00", ["nl91abna0417164300"], ["nl91abna0417164301"]),
    ("the account ending in 3000", ["Account ending in 3000 is closed.", "Konto endet auf 3000."], ["Account ending in 3001 is closed.", "It has 3000 users."]),
    ("book 978-0-14-312774-1", ["Penguin 9780143127741"], ["Penguin 9780143127742"]),
    ("ISSN 0378-595X", ["0378595x is quarterly"], ["0378596x is quarterly"]),
    ("JIRA-77120", ["jira 77120 is blocked", "JIRA77120 is blocked"], ["jira 77121 is blocked", "XJIRA77120 is blocked"]),
    ("user `foxglove`", ["@foxglove liked it."], ["Foxglove is poisonous.", "@foxgloves liked it."]),
    ("https://git.example/ant/nest", ["git.example/ant/nest/", "http://www.git.example/ant/nest"], ["git.example/ant/nests", "git.example/ant"]),
    ("src/vault/open.py", ["Bug in ./src/vault/open.py"], ["Bug in src/vault/open.pyc", "Bug in lib/src/vault/open.py"]),
    ("delete version 3.2.1-beta", ["v3.2.1-beta is out"], ["v3.2.1 is out", "v3.2.1-beta2 is out"]),
    ("operation night_heron", ["Operation Night Heron began.", "nightHeron began."], ["Operation Night Hero began.", "nightHerons began."]),
    ("code name: SilverBirch", ["silver_birch is paused.", "silver-birch is paused."], ["silver_beach is paused.", "We planted a silver birch."]),
    ("the repo tiny-otter-api", ["tinyOtterApi builds.", "tiny_otter_api builds."], ["tiny_otter builds.", "tiny-other-api builds."]),
    ("password Kestrel-Moss-19", ["kestrel-moss-19", "Kestrel Moss 19"], ["kestrel-moss-20", "Kestrel-Moss-191"]),
]  # fmt: skip
# Where words stand side by side without spaces; the index sees one word there.
WITHIN_WORDS = [
    ("把13805712296这个号码彻底删掉。", ["房东的电话是138 0571 2296。", "有事打13805712296。"], ["房东的电话是138 0571 2297。", "有事打138057122961。"]),
    ("删除li@ab.example", ["邮箱是li@ab.example哦"], ["邮箱是lin@ab.example哦", "邮箱是li@abc.example哦"]),
    ("INC-4471を消して", ["INC-4471を閉じた。", "昨日inc 4471が再発した。"], ["INC-4472を閉じた。", "INC-44710を閉じた。"]),
    ("INC-4471 지워 줘", ["INC-4471을 닫았다."], ["INC-4481을 닫았다."]),
]  # fmt: skip
FILED = [
    ("expediente 2023/719", ["El EXP-2023-00719 está en apelación.", "exp 2023-719"], ["El EXP-2023-00718 está en apelación.", "EXP-2024-719"]),
    ("the card that ends in 4409", ["Card 5312 7700 1845 4409 was blocked.", "The card ending in 4409 is for fuel."], ["Card 5312 7700 1845 4490 was blocked.", "The card ending in 4490 is for fuel."]),
    ("plate kv-19 ozt", ["A van with plate KV19 OZT blocks our bay."], ["Our own van is KV19 OTZ."]),
    ("il numero 347 55 60 912", ["Idraulico: +39 3475560912, anche di notte."], ["Elettricista: 347 55 61 912.", "Idraulico: +39 3475561912."]),
    ("project silver-moth", ["SILVER_MOTH_ENABLED=true is set.", "SilverMoth.kt has no tests."], ["SILVER_MOTHBALL=true is set.", "silver-moths fly at night."]),
]  # fmt: skip
WEBS = [
    ("zq4471.io", ["Mirror at zq4471[.]io", "It is zq4471 dot io", "It is zq4471 (dot) io.", "Seen: hxxps://zq4471.io today", "ZQ4471.IO is down"], ["Mirror at zq4472[.]io", "Mirror at zq4471[.]io[.]org", "Mirror at old[.]zq4471.io", "It is zq4471 dot com"]),
    ("forget https://www.acme-mail.example/login", ["hxxp://acme-mail[.]example/login was seen."], ["hxxp://acme-mail[.]example/logout was seen."]),
]  # fmt: skip
TABLE = [
    *WEBS,
    *MORE,
    *PHONES,
    *PLATES,
    *MAILS,
    *KEYS,
    *NUMBERS,
    *MONEY,
    *BOOKS,
    *TICKETS,
    *HANDLES,
    *PLACES,
    *CODE_NAMES,
]


def found(request, *texts):
    """Returns the texts that hold an identifier of the request."""
    statements = [Statement(f"m{number}", text) for number, text in enumerate(texts)]
    hits = by_identifier(read_request(request), units(statements))
    return [text for text in texts if any(unit.statement.text == text for unit in hits)]


@pytest.mark.parametrize(("request_", "holding", "near"), [*TABLE, *WITHIN_WORDS, *FILED])
def test_every_spelling_is_found_and_what_is_near_is_not(request_, holding, near):
    assert read_request(request_).strong
    assert found(request_, *holding, *near) == holding
    assert [text for text in holding if found(request_, text)] == holding  # each by itself
    assert [text for text in near if found(request_, text)] == []


@pytest.mark.parametrize(("request_", "holding", "near"), [*TABLE, *WITHIN_WORDS, *FILED])
def test_a_text_made_of_another_still_holds_it(request_, holding, near):
    asked = read_request(request_)
    for text in holding:
        assert still_held(asked, holding[0], text)
    for text in near:
        assert not still_held(asked, holding[0], text)


def words(text):
    return [word.casefold() for word in re.findall(r"[^\W_]+", text)]


def is_asked_for(asked, text):
    """Returns whether a text index that is asked for these phrases gives the text."""
    row = f" {' '.join(words(text))} "
    return any(f" {' '.join(words(phrase))} " in row for phrase in asked if words(phrase))


@pytest.mark.parametrize(("request_", "holding", "near"), TABLE)
def test_the_index_is_asked_for_every_spelling(request_, holding, near):
    request = read_request(request_)
    asked = forms(request)
    assert len(asked) <= MOST_FORMS
    if request.strong[0].type in ("short", "tail"):
        return  # no index tells what longer words begin or end in
    assert [text for text in holding if is_asked_for(asked, text)] == holding


def test_the_table_is_large_and_has_as_many_near_texts():
    assert len(TABLE) >= 120
    assert sum(len(near) for _, _, near in TABLE) >= sum(len(held) for _, held, _ in TABLE)


@pytest.mark.parametrize(
    ("request_", "text", "rest"),
    [
        (
            "forget 07700 900418",
            "Call Ann on 07700 900418 or 07700 900555.",
            "Call Ann on 07700 900555.",
        ),
        ("forget KX19 OTB", "They own KX19OTB and LK73 VWP.", None),
        ("remove blue_walrus", "The teams are BlueWalrus and red_fox.", None),
    ],
)
def test_what_stands_beside_it_is_kept_or_nothing_is_done_wrong(request_, text, rest):
    (action,) = plan(request_, [Statement("m", text)]).actions
    assert rest is None or action.new == rest
    assert not still_held(read_request(request_), text, action.new)


@pytest.mark.parametrize(
    "request_",
    [
        "forget that Anna uses GitHub and YouTube",
        "the budget of project Blue Walrus",
        "Marie-Claire",
        "my mother-in-law's birthday",
        "Anna's plate collection",
        "McDonald",
        "forget that the service was slow",
        "the account details of Bob",
        "what I said about one or two things",
        "the 24/7 hotline",
        "her password habits",
        "Erase Karl's account number.",
        "forget the user profile.",
    ],
)
def test_ordinary_words_are_no_identifiers(request_):
    assert read_request(request_).strong == ()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Γιώργος", "Giorgos", True), ("Νίκος", "Nikos", True), ("Νίκος", "Nikolaos", False),
        ("محمد", "Mohammed", True), ("محمد", "Mahmoud", False), ("فاطمة", "Fatima", True), ("فاطمة", "Fatih", False),
        ("علي", "Ali", True), ("علي", "Alina", False), ("عمر", "Omar", True), ("عمر", "Amira", False),
        ("יוסף", "Yosef", True), ("יוסף", "Joseph", True), ("יוסף", "Yossi", False), ("דוד", "David", True), ("דוד", "Dvora", False),
        ("Юлия", "Yulia", True), ("Ольга", "Helga", False), ("李娜", "Lina", False), ("خالد", "Khaled", True), ("خالد", "Khalil", False),
    ],
)  # fmt: skip
def test_a_name_is_one_across_scripts_if_all_of_it_is(one, other, same):
    assert one_name(one, other) is same
    assert one_name(other, one) is same


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [
        ("Wang Xiaoming", "我昨天见过王小明。", True), ("Xiaoming Wang", "王小明住在上海。", True), ("Wang Xiaoli", "王小明住在上海。", False),
        ("Xiaoming", "王小明住在上海。", False), ("王小明", "We met Wang Xiaoming there.", True), ("王小明", "We met Xiao-Ming Wang.", True),
        ("王小明", "We met Wang there.", False), ("李娜", "Lina sang.", False), ("李娜", "Li Na sang.", True), ("欧阳修", "Ouyang Xiu wrote it.", True),
        ("曾国藩", "Zeng Guofan wrote it.", True), ("Shan Changle", "单长乐住在上海。", True), ("Shan Changming", "单长乐住在上海。", False),
        ("吕布", "Lu Bu came.", True), ("劉德華", "Liu Dehua sang.", True),
        ("김민준", "Kim Minjun called.", True), ("Kim Min-jun", "김민준 called.", True), ("김민준", "Kim Minho called.", False),
    ],
)  # fmt: skip
def test_a_chinese_or_korean_name_is_known_whole_in_latin_letters(name, text, there):
    assert bool(places(text, tuple(name.split()))) is there


DIGITS = "0123456789"
HEX = "0123456789abcdef"
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
GAPS = st.sampled_from(["", " ", "-", ".", "/"])
WORDS = "zero one two three four five six seven eight nine".split()
PARTS = "amber birch cedar delta ember falcon grove heron iris jade kite lotus maple".split()


def changed(draw, written, alphabet):
    """Returns the same with one of its characters, one of the alphabet, made another."""
    at = draw(st.sampled_from([n for n, char in enumerate(written) if char in alphabet]))
    other = draw(st.sampled_from([char for char in alphabet if char != written[at]]))
    return written[:at] + other + written[at + 1 :]


def grouped(draw, written, gap):
    size = draw(st.integers(2, 5))
    return gap.join(written[at : at + size] for at in range(0, len(written), size))


@st.composite
def numbers(draw):
    digits = draw(
        st.text(DIGITS, min_size=6, max_size=12).filter(lambda n: n[0] != "0" and len(set(n)) > 2)
    )
    spell = draw(st.sampled_from(["groups", "single", "words"]))

    def write(number):
        if spell == "words":
            return " ".join(WORDS[int(digit)] for digit in number)
        return " ".join(number) if spell == "single" else grouped(draw, number, draw(GAPS))

    return f"case number {digits}", write(digits), write(changed(draw, digits, DIGITS))


@st.composite
def phones(draw):
    number = draw(st.sampled_from(["7700", "7911", "1632"])) + draw(
        st.text(DIGITS, min_size=6, max_size=6)
    )
    ahead = ["+44 ", "0", "0044", "+44 (0)", "+44-"]
    asked, told = draw(st.sampled_from(ahead)), draw(st.sampled_from(ahead))
    other = number[:4] + changed(draw, number[4:], DIGITS)
    return (
        f"the phone {asked}{number}",
        told + grouped(draw, number, draw(st.sampled_from(["", " ", "-"]))),
        told + other,
    )


@st.composite
def plates_(draw):
    key = (
        draw(st.text(LETTERS, min_size=2, max_size=2)) + draw(st.text(DIGITS, min_size=2, max_size=2))
        + draw(st.text(LETTERS, min_size=3, max_size=3))
    )  # fmt: skip
    gap = draw(st.sampled_from(["", " ", "-"]))
    other = changed(draw, key, LETTERS)
    return (
        f"number plate {key[:4]} {key[4:]}",
        f"{key[:4]}{gap}{key[4:]}",
        f"{other[:4]}{gap}{other[4:]}",
    )


@st.composite
def mails_(draw):
    first, last, host = (draw(st.sampled_from(PARTS)) for _ in range(3))
    at = draw(st.sampled_from(["@", " at ", " (at) ", "[at]"]))
    dot = " dot " if at == " at " else draw(st.sampled_from([".", " (dot) "]))
    other = changed(draw, last, "abcdefghijklmnopqrstuvwxyz")
    return (
        f"{first}.{last}@{host}.example",
        *(f"{first}{dot}{name}{at}{host}{dot}example" for name in (last, other)),
    )


@st.composite
def hashes(draw):
    key = draw(
        st.text(HEX, min_size=40, max_size=40).filter(
            lambda k: not k[:8].isdigit() and not k[:8].isalpha()
        )
    )
    head, tail = draw(st.integers(4, 8)), draw(st.integers(4, 6))
    shown = changed(draw, key[:head], HEX)
    return f"wallet 0x{key}", f"0x{key[:head]}…{key[-tail:]}", f"0x{shown}…{key[-tail:]}"


@st.composite
def uuids(draw):
    key = draw(st.uuids(version=4)).hex
    other = changed(draw, key, HEX)
    shape = draw(st.sampled_from([str.upper, str, "{8}-{12}-{16}-{20}".format]))

    def write(key):
        parts = "-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:]))
        return parts.upper() if shape is str.upper else key if shape is str else parts

    return (
        f"session {write(key)}",
        draw(st.sampled_from([key, key.upper(), write(key)])),
        write(other),
    )


@st.composite
def tickets(draw):
    team = draw(st.sampled_from(["OPS", "WEB", "INFRA", "QA", "HLX"]))
    number = str(draw(st.integers(1000, 99999)))
    gap, case = (
        draw(st.sampled_from(["-", " ", "", "_"])),
        draw(st.sampled_from([str.upper, str.lower])),
    )
    other = changed(draw, number, DIGITS)
    return f"ticket {team}-{number}", case(team) + gap + number, case(team) + gap + other


@st.composite
def code_names(draw):
    one, two, three = draw(st.permutations(PARTS))[:3]
    shapes = ["{}_{}", "{}-{}", "{} {}", "{}{}"]

    def write(a, b, shape):
        return shape.format(a.title(), b.title()) if shape in shapes[2:] else shape.format(a, b)

    shape = draw(st.sampled_from(shapes))
    return f"{one}_{two}", write(one, two, shape), write(one, three, shape)


ANY = st.one_of(
    numbers(), phones(), plates_(), mails_(), hashes(), uuids(), tickets(), code_names()
)


@settings(max_examples=300, deadline=None)
@given(
    ANY,
    st.sampled_from(
        ["Note: {}.", "We wrote it down as {} yesterday.", "({})", "It is {}, she said.", "{}"]
    ),
)
def test_any_spelling_is_found_and_one_changed_character_is_not(case, sentence):
    request, spelled, other = case
    assert found(request, sentence.format(spelled)) == [sentence.format(spelled)]
    assert found(request, sentence.format(other)) == []


@settings(max_examples=100, deadline=None)
@given(ANY)
def test_the_index_is_asked_for_any_spelling(case):
    request, spelled, _ = case
    assert is_asked_for(forms(read_request(request)), spelled)


HOSTILE = ["4 7 1 1 0 ", "four ", "double ", "moira dot ", "moira.", "0x7af3...", "7af3e91 ", "KX19 ", "blue_", "blue-", "+44 ", "07700 ", "*", "walrus.", "@a_", "1-", "ISBN ", "plate A1 ", "王小", "4", " "]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_text_is_searched_to_its_end(unit):
    text = unit * (LONG // len(unit))
    requests = [
        "code 471108",
        MOIRA,
        f"wallet {WALLET}",
        "plate KX19 OTB",
        "blue_walrus",
        "+44 7700 900418",
        "the card ending in 8210",
        "@curbhopper_aj",
        "commit 7af3e91",
    ]
    known = identifiers(text)
    with must_end():
        for request in requests:
            for wanted in read_request(request).strong:
                list(find_spellings(wanted, text, known))
        read_request(text)
