"""A small set for cleaning: look-alikes that must stay, repetitions, and statements that replaced."""

from __future__ import annotations

# Near in words and meaning, and not the same: each has to stay.
DISTINCT = [
    "The weekly meeting of project Heron is on Monday at 9:00.",
    "The weekly meeting of project Osprey is on Monday at 9:00.",
    "Invoice 2041 was paid on 3 March.",
    "Invoice 2043 was paid on 3 March.",
    "Lena is allergic to penicillin.",
    "Lena is not allergic to peanuts.",
    "The staging server listens on port 8080.",
    "The production server listens on port 8443.",
    "Jonas sold his share in the boat.",
    "Jonas bought a share in the boat.",
    "Backups run every night at two.",
    "Backups are kept for ninety days.",
    "Paula speaks Portuguese with her mother.",
    "Paula speaks Finnish with her father.",
    "Flight LX318 leaves from gate B14.",
    "Flight LX381 leaves from gate B41.",
]
# The second says the same as the first.
REPEATED = [
    ("Mara prefers tea to coffee.", "mara prefers tea to coffee"),
    ("The office key hangs behind the door.", "The  office key hangs behind the door."),
    ("Deploys happen on Thursdays.", "Deployments take place on Thursdays."),
    ("Kofi's daughter plays the cello.", "The daughter of Kofi plays the cello."),
    ("The archive is in the basement.", "The archive is located in the basement."),
    ("Never call Ruth before ten.", "Do not phone Ruth before 10 o'clock."),
]
# What is asked, the statement that was true, and the one that replaced it.
UPDATED = [
    ("Where does Tomas live?", "Tomas lives in Prague.", "Tomas has moved to Brno."),
    ("Which editor does Amara use?", "Amara uses Vim.", "Amara now uses Zed instead of Vim."),
    ("Who leads the data team?", "Igor leads the data team.", "Since May, Salma leads the data team."),
    ("When is the standup?", "The standup is at nine.", "The standup was moved to ten."),
    ("What is the wifi password?", "The wifi password is heron-12.", "The wifi password was changed to osprey-77."),
    ("What does Ben drive?", "Ben drives a red van.", "Ben sold the van and drives an electric bus now."),
]  # fmt: skip


def in_order() -> list[str]:
    """Every statement, the older ones first."""
    return [
        *DISTINCT,
        *(first for first, _ in REPEATED),
        *(old for _, old, _ in UPDATED),
        *(second for _, second in REPEATED),
        *(new for _, _, new in UPDATED),
    ]
