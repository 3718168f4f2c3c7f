"""`glymph install claude-code`: what it writes runs as the host would run it.

Nobody's settings are lost.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from glymph import Glymph, __version__, environment
from glymph.jobs.project import project_space
from glymph.plugin import content, install, merge_json
from glymph.tools import tools_for

GLYMPH = str(Path(sys.executable).with_name("glymph"))
SOURCES = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}  # those under test
EVENTS = {
    "SessionStart": {"source": "startup", "model": "m"},
    "UserPromptSubmit": {"prompt": "How do we deploy?"},
    "PreCompact": {"trigger": "auto", "custom_instructions": ""},
    "SessionEnd": {"reason": "other"},
}
OTHERS = {
    "model": "opus",
    "hooks": {
        "SessionStart": [{"hooks": [{"type": "command", "command": "echo hello"}]}],
        "PostToolUse": [
            {
                "matcher": "Edit",
                "hooks": [{"type": "command", "command": "make lint", "timeout": 30}],
            }
        ],
        "Stop": [],
    },
    "permissions": {"allow": ["Bash(ls:*)"]},
    "ünknown": [1, 2.5, None],
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder and a project with a repository, both with spaces in their names."""
    home, project = tmp_path / "a home", tmp_path / "my project"
    home.mkdir()
    (project / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)
    return home


def run(*words, program=GLYMPH):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60)


def done(*words):
    """The JSON answer of a command that must succeed."""
    answer = run(*words, "--json")
    assert answer.returncode == 0, answer.stderr + answer.stdout
    return json.loads(answer.stdout)


def wiring(program=GLYMPH, url=None, space="@project"):
    return content.Wiring((program,), url, space)


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def hook_commands(document):
    return {
        event: hook["command"]
        for event, groups in document["hooks"].items()
        for group in groups
        for hook in group["hooks"]
        if content.is_our_hook(hook)
    }


def test_without_apply_only_a_list_is_shown(home):
    answer = run("install", "claude-code")
    assert answer.returncode == 0
    assert "Nothing was changed" in answer.stdout
    assert str(home / ".claude" / "settings.json") in answer.stdout
    assert list(home.iterdir()) == []


def test_print_shows_the_contents_and_changes_nothing(home):
    printed = run("install", "claude-code", "--print").stdout
    assert "hook session-end" in printed
    assert "name: glymph-memory" in printed
    assert list(home.iterdir()) == []
    assert run("install", "claude-code", "--print", "--apply").returncode == 1


def test_a_fresh_install_writes_hooks_server_skill_and_commands(home):
    answer = done("install", "claude-code", "--apply")
    assert answer["changed"] is True
    files = {str(path.relative_to(home)) for path in snapshot(home)}
    assert files == {
        ".claude/settings.json", ".claude.json", ".claude/skills/glymph-memory/SKILL.md",
        *(f".claude/commands/memory-{name}.md" for name in ("review", "prune", "recall", "undo")),
    }  # fmt: skip
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    assert set(settings["hooks"]) == set(EVENTS)
    assert settings["hooks"]["SessionStart"][0]["matcher"] == "startup|resume|clear|compact"
    assert settings["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] <= 5
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["glymph"]
    assert server == {"command": GLYMPH, "args": ["mcp", "--space", "@project"]}


@pytest.mark.parametrize("scope", install.SCOPES)
def test_a_second_install_changes_nothing_and_says_so(home, scope):
    done("install", "claude-code", "--apply", "--scope", scope)
    before = snapshot(home.parent)
    again = run("install", "claude-code", "--apply", "--scope", scope)
    assert again.stdout.startswith("Nothing to do")
    assert snapshot(home.parent) == before


@pytest.mark.parametrize("scope", install.SCOPES)
def test_after_an_uninstall_nothing_is_left_of_a_fresh_install(home, scope):
    done("install", "claude-code", "--apply", "--scope", scope)
    assert run("uninstall", "claude-code", "--scope", scope).returncode == 0
    assert snapshot(home) or scope == "project"  # without --apply it is only told
    done("uninstall", "claude-code", "--apply", "--scope", scope)
    assert snapshot(home.parent) == {}
    assert run("uninstall", "claude-code", "--scope", scope).stdout.startswith("Nothing to do")


def test_other_settings_are_kept_and_come_back_to_the_byte(home):
    settings = put(home / ".claude" / "settings.json", json.dumps(OTHERS, indent=7))
    servers = put(
        home / ".claude.json", {"numStartups": 3, "mcpServers": {"other": {"command": "x"}}}
    )
    own = put(home / ".claude" / "commands" / "mine.md", "my own command")
    before = snapshot(home)
    done("install", "claude-code", "--apply")
    merged = json.loads(settings.read_text())
    assert [list(merged), merged["ünknown"], merged["hooks"]["Stop"]] == [
        list(OTHERS),
        OTHERS["ünknown"],
        [],
    ]
    assert merged["hooks"]["PostToolUse"] == OTHERS["hooks"]["PostToolUse"]
    assert merged["hooks"]["SessionStart"][0] == OTHERS["hooks"]["SessionStart"][0]
    assert json.loads(servers.read_text())["mcpServers"]["other"] == {"command": "x"}
    assert settings.with_name("settings.json.before-glymph").read_bytes() == before[settings]
    done("uninstall", "claude-code", "--apply")
    assert snapshot(home) == before
    assert own.exists()


def test_what_changed_between_install_and_uninstall_stays(home):
    settings = put(home / ".claude" / "settings.json", OTHERS)
    done("install", "claude-code", "--apply")
    changed = json.loads(settings.read_text()) | {"theme": "dark"}
    changed["hooks"]["SessionStart"][1]["hooks"].append({"type": "command", "command": "date"})
    put(settings, changed)
    answer = done("uninstall", "claude-code", "--apply")
    rest = json.loads(settings.read_text())
    assert rest["theme"] == "dark"
    assert [group["hooks"][0]["command"] for group in rest["hooks"]["SessionStart"]] == [
        "echo hello",
        "date",
    ]
    assert not hook_commands(rest)
    assert "settings.json.before-glymph" in answer["next"][0]


def test_a_backup_is_written_once(home):
    settings = put(home / ".claude" / "settings.json", OTHERS)
    done("install", "claude-code", "--apply")
    done("install", "claude-code", "--apply", "--space", "work")
    assert json.loads(settings.with_name("settings.json.before-glymph").read_text()) == OTHERS
    commands = hook_commands(json.loads(settings.read_text()))
    assert len(commands) == len(EVENTS)
    assert all("--space work" in command for command in commands.values())
    assert (
        json.loads(settings.read_text())["hooks"]["SessionStart"][0]
        == OTHERS["hooks"]["SessionStart"][0]
    )


@pytest.mark.parametrize(
    "broken", ['{"model": "opus",}', "[]", "", '{"hooks": []}', '{"hooks": {"Stop": {}}}']
)
def test_settings_that_make_no_sense_are_refused_and_left_alone(home, broken):
    put(home / ".claude" / "settings.json", broken)
    before = snapshot(home)
    answer = run("install", "claude-code", "--apply")
    assert answer.returncode == 1
    assert "nothing was written" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert snapshot(home) == before


def test_servers_that_make_no_sense_are_refused_before_the_hooks_are_written(home):
    put(home / ".claude.json", "{")
    assert run("install", "claude-code", "--apply").returncode == 1
    assert not (home / ".claude").exists()


def test_a_server_or_a_command_of_the_same_name_is_not_overwritten(home):
    put(home / ".claude.json", {"mcpServers": {"glymph": {"command": "other", "args": []}}})
    assert "does not start `glymph mcp`" in run("install", "claude-code", "--apply").stderr
    (home / ".claude.json").unlink()
    put(home / ".claude" / "commands" / "memory-undo.md", "mine")
    assert "not Glymph's" in run("install", "claude-code", "--apply").stderr
    assert not (home / ".claude" / "settings.json").exists()
    done("uninstall", "claude-code", "--apply")
    assert (home / ".claude" / "commands" / "memory-undo.md").read_text() == "mine"


def test_a_link_stays_a_link_and_a_private_file_private(home, tmp_path):
    real = put(tmp_path / "dotfiles" / "settings.json", OTHERS)
    real.chmod(0o640)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(real)
    put(home / ".claude.json", {"token": "x"}).chmod(0o600)
    done("install", "claude-code", "--apply")
    assert (home / ".claude" / "settings.json").is_symlink()
    assert hook_commands(json.loads(real.read_text()))
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    for name in (".claude.json", ".claude.json.before-glymph"):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600


def test_a_file_changed_since_the_plan_was_made_is_left_alone(home):
    settings = put(home / ".claude" / "settings.json", OTHERS)
    changes = install.plan_install("user", wiring())
    put(settings, {"theme": "dark"})
    with pytest.raises(Exception, match="Run this again"):
        install.carry_out(changes)
    assert json.loads(settings.read_text()) == {"theme": "dark"}


def test_the_project_scope_writes_into_the_root_of_the_repository(home, monkeypatch):
    project = home.parent / "my project"
    (project / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(project / "deep" / "er")
    done("install", "claude-code", "--apply", "--scope", "project")
    assert {".mcp.json", ".claude/settings.local.json"} < {
        str(p.relative_to(project)) for p in snapshot(project)
    }
    assert snapshot(home) == {}


def test_another_folder_for_the_hosts_settings_is_respected(home, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))
    done("install", "claude-code", "--apply")
    assert (home / "elsewhere" / "settings.json").exists()
    assert (home / "elsewhere" / ".claude.json").exists()
    assert not (home / ".claude").exists()


def test_the_plugin_and_the_settings_are_not_wired_at_once(home):
    done("install", "claude-code", "--apply")
    assert "twice" in run("install", "claude-code", "--scope", "plugin").stderr
    done("uninstall", "claude-code", "--apply")
    put(home / ".claude" / "settings.json", {"enabledPlugins": {"glymph@glymph": True}})
    assert "twice" in run("install", "claude-code").stderr


def test_the_plugin_is_whole(home):
    done("install", "claude-code", "--apply", "--scope", "plugin")
    root = home / ".glymph" / "claude-code"
    for path in snapshot(root):
        assert path.suffix != ".json" or json.loads(path.read_text())
    manifest = json.loads((root / ".claude-plugin" / "plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("glymph", __version__)
    assert isinstance(manifest["author"], dict)
    market = json.loads((root / ".claude-plugin" / "marketplace.json").read_text())
    assert (root / market["plugins"][0]["source"] / ".claude-plugin" / "plugin.json").exists()
    assert f"{market['plugins'][0]['name']}@{market['name']}" == content.PLUGIN
    assert set(hook_commands(json.loads((root / "hooks" / "hooks.json").read_text()))) == set(
        EVENTS
    )
    command = (root / "commands" / "memory-prune.md").read_text()
    assert "mcp__plugin_glymph_glymph__batch_prune" in command
    assert "`/glymph:memory-undo`" in command


@pytest.fixture
def spaced(home):
    """The program under a path with spaces and a quote, as a folder of a user may have them."""
    folder = home.parent / "it's here"
    folder.mkdir()
    (folder / "glymph").symlink_to(GLYMPH)
    return str(folder / "glymph")


@pytest.mark.parametrize("event", EVENTS)
def test_every_hook_command_runs_in_a_shell_as_the_host_runs_it(home, spaced, event):
    url = f"sqlite:///{home}/the store.db"
    assert run("install", "claude-code", "--apply", "--url", url, program=spaced).returncode == 0
    command = hook_commands(json.loads((home / ".claude" / "settings.json").read_text()))[event]
    assert shlex.split(command)[0] == spaced
    project = str(home.parent / "my project")
    transcript = put(home / "transcript.jsonl", "")
    told = {
        "session_id": "s1",
        "transcript_path": str(transcript),
        "cwd": project,
        "hook_event_name": event,
    }
    with Glymph.open(url, space=project_space(project)) as glymph:
        glymph.add("We deploy with make ship, always on a Tuesday.", kind="fact")
    answer = subprocess.run(
        ["sh", "-c", command], input=json.dumps(told | EVENTS[event]), capture_output=True, text=True, timeout=60,
        cwd="/", env={**os.environ, "GLYMPH_EMBEDDER": "none"},
    )  # fmt: skip
    assert (answer.returncode, answer.stderr) == (0, "")
    if event == "UserPromptSubmit":
        assert "make ship" in json.loads(answer.stdout)["hookSpecificOutput"]["additionalContext"]


def test_the_server_starts_from_its_entry_on_the_space_of_the_project(home, spaced):
    url = f"sqlite:///{home}/the store.db"
    assert run("install", "claude-code", "--apply", "--url", url, program=spaced).returncode == 0
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["glymph"]
    deep = home.parent / "my project" / "deep"
    deep.mkdir()
    parameters = StdioServerParameters(
        **entry, env={**SOURCES, "HOME": str(home), "GLYMPH_EMBEDDER": "none"}, cwd=deep
    )

    async def talk():
        async with Client(stdio_client(parameters)) as client:
            await client.call_tool("memory_add", {"text": "We deploy with make ship."})
            return {tool.name for tool in (await client.list_tools()).tools}

    assert anyio.run(talk) == set(tools_for("core"))
    with Glymph.open(
        url, space=project_space(str(home.parent / "my project")), create=False
    ) as glymph:
        assert [memory.text for memory in glymph.list()] == ["We deploy with make ship."]


def test_a_project_has_one_space_for_hooks_servers_and_commands(home, monkeypatch):
    project = home.parent / "my project"
    link = home.parent / "link"
    link.symlink_to(project)
    assert environment.project_folder() == environment.project_folder(str(link)) == project
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(link))
    assert environment.project_folder("/elsewhere") == project


def test_a_relative_store_is_written_so_that_it_is_found_from_anywhere(home):
    done("install", "claude-code", "--apply", "--url", "sqlite:///memory.db")
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["glymph"]
    assert entry["args"][-1] == f"sqlite:///{home.parent}/my project/memory.db"


@pytest.mark.parametrize("name", content.TEXTS)
def test_skill_and_commands_name_only_tools_that_the_server_offers(name):
    text = content.read_texts()[name]
    used = set(re.findall(r"mcp__glymph__(\w+)", text))
    assert used
    assert used <= set(tools_for("core"))
    front = text.split("---\n")[1]
    assert re.search(r"^description: \S", front, re.MULTILINE)
    assert content.MARK in text


def test_no_command_may_prune_without_being_asked():
    for text in content.read_texts().values():
        front, body = text.split("---\n")[1:3]
        assert "batch_prune" not in front
        assert "batch_prune" not in body or re.search("agreed|consent", body)


@pytest.mark.parametrize(
    "command",
    [
        "echo glymph hook",
        "/x/glymph status",
        "my-hook session-start",
        "glymphatic hook session-start",
        "",
    ],
)
def test_hooks_of_others_are_not_taken_for_ours(command):
    assert not content.is_our_hook({"type": "command", "command": command})


@pytest.mark.parametrize(
    "program",
    [
        ("/x/glymph",),
        ("/a b/glymph",),
        ("C:/it's/glymph.exe",),
        ("/usr/bin/python3", "-m", content.MODULE),
    ],
)
def test_our_hooks_and_server_are_recognised_wherever_the_program_is(program):
    ours = content.Wiring(program, None, "@project")
    merged = merge_json.with_server(merge_json.with_hooks({"a": 1}, ours), ours)
    assert merge_json.without_server(merge_json.without_hooks(merged)) == {"a": 1}


@pytest.mark.parametrize("module", ["glymph.cli.start", "glymph.interfaces.start"])
def test_entries_that_call_a_module_are_ours_also_under_its_earlier_name(module):
    command = f"/usr/bin/python3 -m {module} hook session-start"
    assert content.is_our_hook({"type": "command", "command": command})
    assert content.is_our_server({"command": "/usr/bin/python3", "args": ["-m", module, "mcp"]})
