"""A service for several tenants: one server, a space and a token for each, and nobody sees another.

Run it: pip install 'glymph[serve]' && python examples/tenants.py
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glymph import Glymph
from glymph.errors import ServerAway, SpaceNotFound

GLYMPH = [sys.executable, "-m", "glymph.cli.main"]
TENANTS = {"bakery": "The oven is cleaned on Mondays.", "dentist": "Room 2 is closed in June."}


def make_token(tenant: str, url: str) -> str:
    """Makes a space and a token for it, which is shown this once: the store keeps a hash."""
    Glymph.open(url, space=tenant).close()
    done = subprocess.run(
        [*GLYMPH, "token", "create", tenant, "--space", tenant, "--url", url, "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return str(json.loads(done.stdout)["token"])


@contextmanager
def serve(url: str, home: Path) -> Iterator[str]:
    """Starts `glymph serve` on a free port of this machine, and ends it afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    models = {"GLYMPH_EMBEDDER": "none", "GLYMPH_READER": "none", "GLYMPH_HOME": str(home)}
    server = subprocess.Popen(
        [*GLYMPH, "serve", "--at", address, "--url", url],
        env={**os.environ, **models}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait()


def connect(address: str, space: str, token: str, tries: int = 300) -> Glymph:
    """Opens a tenant's space over the wire, as soon as the server answers."""
    for _ in range(tries):
        try:
            return Glymph.open(address, space=space, token=token)
        except ServerAway:
            time.sleep(0.1)
    raise TimeoutError(f"{address} did not answer")


def main() -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        url = f"sqlite:///{Path(folder, 'all.db').as_posix()}"
        tokens = {tenant: make_token(tenant, url) for tenant in TENANTS}
        with serve(url, Path(folder)) as address:
            for tenant, fact in TENANTS.items():
                with connect(address, tenant, tokens[tenant]) as memory:
                    memory.add(fact, kind="fact")
                    print(f"{tenant}: {[one.text for one in memory.list()]}")
            try:
                connect(address, "dentist", tokens["bakery"]).list()
            except SpaceNotFound as error:  # nor is it told that there is one
                print(f"The bakery asks for the dentist's: {error}")


if __name__ == "__main__":
    main()
