"""Where each command sits: the one table of the command line.

It stands here because messages to agents name commands, too. A command is a tool (its name in
`Tool.command`) or a file of the folder `cli`; here both go by that name. It stands at the top or
in a group, where it may have another name. Names from before that are not at the top any more
still run for one release, with a hint.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

PROGRAM = "glymph"
ADDED = "Added"  # the section of commands that installed packages bring
SIMILAR = 0.7  # from which a mistyped word counts as another

# What `glymph --help` shows: sections by what people do, a line for each command at the top.
SECTIONS = {
    "Remember": {
        "add": "Remember one thing.",
        "memory": "Look at single memories, change, link and pin them.",
    },
    "Find": {
        "search": "Find memories by words and meaning.",
    },
    "Forget": {
        "forget": "Forget a person, a thing or a number.",
        "undo": "Undo an operation whole.",
    },
    "Review": {
        "audit": "Judge a memory: duplicates, stale, junk, secrets.",
        "analyze": "Find what is stale, as a plan to look at.",
        "prune": "Archive or trash what a plan shows.",
        "questions": "Answer doubts: outdated? the same?",
    },
    "Sleep": {
        "sleep": "Run upkeep: learn, tidy, archive what has faded.",
    },
    "Serve": {
        "mcp": "Serve the memory to an agent over MCP.",
        "serve": "Serve the store over HTTP, upkeep included.",
        "open": "Look at it in the browser: the dashboard.",
        "install": "Connect Claude Code, Cursor and other hosts.",
    },
    "Look after": {
        "status": "Show what is there, what was done, what to do.",
        "doctor": "Check a store, and say what to do about it.",
        "store": "Back up, restore, move, import, export; spaces.",
        "config": "Show and change settings.",
        "demo": "See Glymph at work on a fresh store.",
    },
}


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one name: the names they have there, and those of their tool or file."""

    summary: str
    commands: dict[str, str]
    default: str | None = None  # the one that is meant where none of them is named
    bare: bool = False  # the default also runs without any argument; else the help is shown
    also: str | None = None  # a file whose own group of commands stands here as well
    argument: str = ""  # what the default takes, for a word that is neither that nor a command


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


GROUPS = {
    "memory": Group(
        "Look at single memories, change, link and pin them; memory in use and its history.",
        {
            **_same("list", "get", "recall", "report", "update", "supersede", "merge", "link"),
            **_same("pin", "reinforce", "delete", "trash"),
            "restore": "restore-memory",
            **_same("restore-hash", "history", "search-history", "clusters", "conflicts"),
            "playbooks": "match-playbooks",
            **_same("surface"),
            "page": "write",
        },
    ),
    "prune": Group(
        "Archive or trash what a plan shows (`glymph prune PLAN`); plans, and other ways to prune.",
        {
            "run": "prune",
            **_same("plan", "candidates", "dedup"),
            "batch": "batch-prune",
            "execute": "execute-prune",
        },
        default="run",
        argument="The id of a plan has at least six characters: `glymph prune plan list` shows it.",
    ),
    "sleep": Group(
        "Run what keeps a memory in order: by hand, when it is due, or from a queue.",
        _same(
            "extract", "consolidate", "lifecycle", "garden", "ai-prune", "fading", "embed", "fit",
            "daemon", "worker",
        ),
    ),
    "install": Group("Let an agent's host work with Glymph.",
        {"remove": "uninstall", "tools": "tools"}, also="install"),
    "status": Group(
        "Show what a space holds, what upkeep did and will do, and what needs a hand.",
        {
            "all": "status",
            "counts": "health",
            "upkeep": "autonomous",
            "order": "memetics",
            **_same("costs"),
        },
        default="all",
        bare=True,
    ),
    "store": Group(
        "Make, back up, restore, move and shrink a store; its spaces, tokens and records.",
        _same(
            "init", "space", "token", "import", "export", "backup", "restore", "migrate",
            "compact", "operations", "certificates", "tombstones",
        ),
    ),
}  # fmt: skip

TOP = {name: summary for section in SECTIONS.values() for name, summary in section.items()}
PLACES = {
    **{name: (name,) for name in TOP if name not in GROUPS},
    **{
        source: (name,) if sub == group.default else (name, sub)
        for name, group in GROUPS.items()
        for sub, source in group.commands.items()
    },
}  # where the command of a tool or file is

# The commands that have a file, which is loaded when they are called, and what they say they do.
FILES = {
    "status": "Show what a space holds, what upkeep did and will do, and what needs a hand.",
    "list": "List memories, newest first.",
    "audit": "Judge the memories of another program, or of a space: duplicates, stale, "
    "contradictory, junk, secrets; nothing is changed.",
    "doctor": "Check a whole store against every invariant, name what is wrong and what to do "
    "about it, and tell how recall finds by meaning.",
    "demo": "Play some of an agent's life into a fresh store and show what became of it.",
    "mcp": "Serve the memory tools to an agent over MCP, on standard input and output or over "
    "HTTP.",
    "open": "Open the dashboard of a store in the browser, signed in.",
    "serve": "Serve the store over HTTP: /v1 for programs, MCP for agents, and upkeep, in one "
    "process.",
    "tools": "Show the tools as frameworks take them.",
    "history": "Show what happened to a memory (`glymph memory history ID`), and look after "
    "conversations.",
    "init": "Create the store and the space, if they are not there yet.",
    "export": "Write a whole space, journal included, as JSON Lines into a new file.",
    "import": "Take in what another program keeps (mem0, ChromaDB, LangGraph, Claude, ChatGPT, "
    "Markdown, …), or an export of Glymph.",
    "backup": "Copy the whole store into a new file while others go on writing.",
    "restore": "Check a backup and copy it to a new file, without what was removed for good "
    "from the store in use since.",
    "space": "List, create, rename and delete spaces.",
    "token": "Make, list and revoke the tokens that let programs in over HTTP.",
    "config": "Show and change settings.",
    "migrate": "Move spaces to another store, with history and trash; repeat it to go on after "
    "a kill or to bring it up.",
    "embed": "Give a vector to every memory that waits for one.",
    "fit": "Fit the forgetting curves to the recall log and adopt those that are better.",
    "dedup": "Find memories that say the same, or nearly so, in the whole space.",
    "prune": "Archive or trash exactly what a plan shows; what changed since is left alone and "
    "named.",
    "plan": "Look at plans that can be pruned from.",
    "trash": "Look into the trash, and empty it.",
    "certificates": "Show what was removed for good, and for each place whether it is clean.",
    "compact": "Fold the journal's end, write the store anew without what was removed, and say "
    "the gain.",
    "tombstones": "List and lift what keeps facts removed for good from being learnt again.",
    "install": "Let an agent's host work with Glymph.",
    "uninstall": "Take away from a host what `install` put there.",
    "extract": "Remember what a transcript says that will matter later; it is read from where "
    "it was left.",
    "lifecycle": "Archive what has faded and has a reason to go; trash what it archived long ago.",
    "ai-prune": "Let the language model nominate what may go; code decides, and only ever "
    "archives.",
    "fading": "List the lessons, theses and playbooks that fade unless they are used.",
    "reinforce": "Count one use of memories, so that they stay.",
    "surface": "Print the digest that a session begins with.",
    "garden": "Drop links that have faded away, merge what is said twice, and list what "
    "nothing leads to.",
    "daemon": "Run upkeep when it is due, in all spaces of a store, until it is told to stop "
    "(Ctrl-C or SIGTERM).",
    "worker": "Run upkeep from the queue of a store, with any number of workers: each space is "
    "served by one at a time.",
}

# Those of them that never write.
LOOKING = frozenset({"status", "list", "audit", "fading", "surface"})

# What other programs call a thing; it is told, not run, so that nobody learns two names.
OTHER_WORDS = {
    word: f"{PROGRAM} {meant}"
    for meant, words in {
        "add": "remember store-memory save learn note put insert",
        "search": "find query ask lookup grep",
        "memory get": "show view read cat",
        "memory list": "ls all memories",
        "memory update": "edit change correct",
        "memory delete": "remove rm",
        "undo": "revert rollback",
        "forget": "purge erase",
        "analyze": "analyse stale",
        "prune": "clean cleanup",
        "questions": "doubts answer",
        "sleep": "dream upkeep maintain gc",
        "serve": "server start http",
        "open": "dashboard ui web browse",
        "install": "setup hooks connect",
        "status": "stats info",
        "status upkeep": "jobs schedule",
        "doctor": "check verify fsck",
        "store space list": "spaces tenants",
        "store operations": "log journal history-of-store",
        "config show": "settings options",
        "--help": "help commands",
        "--version": "version",
    }.items()
    for word in words.split()
}


def find_moved(name: str) -> tuple[str, ...] | None:
    """Returns where the command is that had this name at the top, or None if it still has."""
    place = PLACES.get(name)
    return None if name in TOP or place is None else place


def write_path(place: tuple[str, ...]) -> str:
    """Returns a command as it is typed."""
    return " ".join((PROGRAM, *place))


def suggest(word: str, group: str | None = None) -> str:
    """Returns a sentence that names the commands a word may have meant; empty if none is near."""
    known: dict[str, list[str]] = {}
    for place, names in _all_words():
        if group is None or place[0] == group:
            for name in names:
                known.setdefault(name, []).append(write_path(place))
    for name, path in OTHER_WORDS.items():
        known.setdefault(name, []).append(path)
    near = get_close_matches(word, known, n=3, cutoff=SIMILAR)
    if not near:
        return suggest(word) if group is not None else ""
    paths = list(dict.fromkeys(path for name in near for path in known[name]))[:3]
    return f"Did you mean {' or '.join(f'`{path}`' for path in paths)}?"


def explain(group: str | None) -> str:
    """Returns what a group takes in place of a command; empty if it takes commands alone."""
    return GROUPS[group].argument if group is not None else ""


def _all_words() -> list[tuple[tuple[str, ...], set[str]]]:
    """Returns each command's place, and the words that people may have for it."""
    top = [((name,), {name}) for name in TOP]
    inner = [
        ((name, sub), {sub, source})
        for name, group in GROUPS.items()
        for sub, source in group.commands.items()
        if sub != group.default
    ]
    return [*top, *inner]
