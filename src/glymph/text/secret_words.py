"""Words that stand where a secret would, and are none."""

from __future__ import annotations

from glymph.text import grammar
from glymph.text.normal import STOP_WORDS

PLAIN = frozenset(
    "none null nil true false undefined required optional string str text int integer number bool "
    "boolean any object bytes char varchar secret token password passwd empty missing invalid "
    "wrong incorrect expired valid correct unset unknown default disabled enabled hidden redacted "
    "masked placeholder example changed reset rotated hashed encrypted here below above field "
    "input type self env prompt ask same weak strong forgotten needed unchanged visible stored not "
    "too the a an and or for in is must should may can will it n/a tbd todo bearer basic set read "
    "write leaked compromised safe good bad on off yes no".split()
)
# What "the password is" goes on with when it tells none, besides words that end like these.
ORDINARY = PLAIN | STOP_WORDS | grammar.FUNCTION | frozenset(
    "abgelaufen again all almost also always available back base64 bcrypt blank both broken built "
    "case checked clear common complex confidential different difficult easy eight either enough "
    "equal exactly fake falsch fifteen filled fine five four fresh from geheim generated "
    "gespeichert given gleich gone great hard hash helpful hex identical important impossible "
    "incorrecta incorrecte inside just kept kind known leer less letters like local long longer "
    "lost lower lowercase mandatory maximum minimum more most much never new nine null numbers "
    "obvious often okay old once one only other ours part personal plain plaintext possible "
    "present pretty private public quite random rarely readonly really recent requis richtig right "
    "secure seen sensitive sent seven shared short shorter shown sicher simple simply six sixteen "
    "sometimes somewhere still stolen strange super taken temporary ten terrible theirs there "
    "three totally trivial twelve twenty two unclear uppercase usual usually very what whatever "
    "when where whitespace why with within without working worse worthless written yours zero left "
    "user users input held put chosen made done link unique stronger weaker safer better older "
    "newer next mine unsafe dangerous hers everywhere".split()
)  # fmt: skip
