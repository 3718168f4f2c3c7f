"""`glymph install HOST`: our server in each host's own file, and out of it to the byte."""

from __future__ import annotations

import json
import tomllib

import pytest
from typer.testing import CliRunner

from glymph.cli.main import app
from glymph.errors import InvalidInput, Refused
from glymph.plugin import content, hosts, install
from glymph.plugin.hosts import HOSTS
from tests.plugin.test_install import home, snapshot  # noqa: F401 - a fixture

FILES = {
    "cursor": ".cursor/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
}
JSON = '{"theme":"dark",\n\t"mcpServers": {"other": {"command": "x", "args": []}}, "n": [1, 2.50]}'
TOML = '# mine\nmodel = "o3"\r\n\n[mcp_servers.other]\ncommand = "x"  # keep'
every_host = pytest.mark.parametrize("name", FILES)


@pytest.fixture
def house(home, monkeypatch):  # noqa: F811
    for name in ("CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


def wiring(program="/opt/a b/glymph", space="@project"):
    return content.Wiring((program,), None, space)


def put_in(name, scope="user", **more):
    changes = hosts.plan_install(HOSTS[name], scope, wiring(**more))
    install.carry_out(changes)
    return [change.verb for change in changes]


def take_out(name, scope="user"):
    changes = hosts.plan_uninstall(HOSTS[name], scope)
    install.carry_out(changes)
    return [change.verb for change in changes]


def read(path):
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def entry(name, path):
    return read(path)[HOSTS[name].key]["glymph"]


def own_file(house, name):
    path = house / FILES[name]
    path.parent.mkdir(parents=True)
    path.write_bytes((TOML if path.suffix == ".toml" else JSON).encode())
    return path


@every_host
def test_a_fresh_install_writes_the_hosts_file_and_an_uninstall_leaves_nothing(house, name):
    assert put_in(name) == ["write"]
    told = entry(name, house / FILES[name])
    words = told["command"] if name == "opencode" else [told["command"], *told["args"]]
    assert words == ["/opt/a b/glymph", "mcp", "--space", "@project"]
    assert put_in(name) == ["keep"]
    assert take_out(name) == ["remove"]
    assert list(house.iterdir()) == []
    assert take_out(name) == []


@every_host
def test_what_is_in_the_file_stays_and_comes_back_to_the_byte(house, name):
    path = own_file(house, name)
    before = snapshot(house)
    document = read(path)
    assert put_in(name) == ["write", "change"]
    merged = read(path)
    del merged[HOSTS[name].key]["glymph"]
    assert {key: value for key, value in merged.items() if value} == document
    put_in(name, space="work")  # once more, and otherwise
    assert "work" in str(entry(name, path))
    take_out(name)
    assert snapshot(house) == before


@every_host
def test_what_somebody_changed_since_stays(house, name):
    path = own_file(house, name)
    put_in(name)
    if path.suffix == ".toml":
        path.write_text(path.read_text() + '\n[profiles.mine]\nmodel = "o4"\n')
    else:
        path.write_text(json.dumps({**read(path), "mine": True}))
    take_out(name)
    rest = read(path)
    assert rest.get("mine") or rest["profiles"]["mine"]
    assert "glymph" not in str(rest)
    assert hosts.backups(HOSTS[name], "user")


@every_host
def test_a_file_that_makes_no_sense_or_a_server_of_that_name_is_left_alone(house, name):
    path = own_file(house, name)
    key = HOSTS[name].key
    theirs = {"command": "other", "args": []}
    as_toml = f'[{key}.glymph]\ncommand = "other"\n'
    for body in (
        "{ [",
        as_toml if path.suffix == ".toml" else json.dumps({key: {"glymph": theirs}}),
    ):
        path.write_text(body)
        with pytest.raises((InvalidInput, Refused), match="nothing was written"):
            put_in(name)
        assert path.read_text() == body


@every_host
def test_a_scope_of_one_project_where_the_host_has_one(house, name, tmp_path):
    host = HOSTS[name]
    if not host.project:
        with pytest.raises(InvalidInput, match="scope"):
            put_in(name, "project")
        return
    put_in(name, "project")
    assert (tmp_path / "my project" / host.project).exists()
    assert list(house.iterdir()) == []
    take_out(name, "project")
    assert snapshot(tmp_path / "my project") == {}


def test_other_folders_of_settings_are_respected(house, monkeypatch, tmp_path):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert HOSTS["codex"].path("user") == tmp_path / "codex" / "config.toml"
    assert HOSTS["opencode"].path("user") == tmp_path / "xdg" / "opencode" / "opencode.json"


@every_host
def test_the_commands_show_first_and_do_it_with_apply(house, name):
    def run(*words):
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    path = str(house / FILES[name])
    assert run("install", name)["dry_run"] is True
    assert path in run("install", name, "--print")["files"]
    assert list(house.iterdir()) == []
    assert run("install", name, "--apply")["files"] == [{"change": "write", "path": path}]
    assert run("install", name, "--apply")["changed"] is False
    assert run("uninstall", name)["dry_run"] is True
    assert run("uninstall", name, "--apply")["files"] == [{"change": "remove", "path": path}]
    assert list(house.iterdir()) == []
