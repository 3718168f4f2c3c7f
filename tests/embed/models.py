"""A service that is scripted for faults, and tiny models to put behind the embedders."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat

import numpy as np
import pytest

from glymph.embed import absence, wire

needs_local = pytest.mark.skipif(bool(absence()), reason=absence())


def vector(text):
    """What the scripted service answers for a text.

    Never of length one, and different for different texts.
    """
    return [3.0 + len(text), 1.0, float(sum(map(ord, text)) % 17)]


def answer(texts, **changes):
    return {
        "data": [
            {"index": at, "embedding": vector(text), **changes} for at, text in enumerate(texts)
        ]
    }


def ok(texts):
    return 200, answer(texts), {}


@contextmanager
def service(*script, then=ok):
    """The address of a scripted service, and the requests it has had.

    It answers by the script and then by `then`.

    A step gives back a status, a body (anything JSON can say, or bytes) and headers; a step None
    hangs up.
    """
    steps, requests = chain(script, repeat(then)), []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({"path": self.path, "headers": dict(self.headers), **asked})
            step = next(steps)
            if step is None:
                self.connection.close()
                return
            status, body, headers = step(asked["input"])
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(raw))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_):
            """Quiet."""

        def handle_one_request(self):
            try:
                super().handle_one_request()
            except (OSError, ValueError):  # a connection this handler has closed itself
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


WORDS = ["[PAD]", "[UNK]", "[CLS]", "red", "green", "blue"]


def write_folder(folder, *, pooled=False, extra_input=False, **files):
    """A folder with a model of one layer: a token's row is one-hot at its number."""
    import tokenizers

    table = np.eye(len(WORDS), dtype=np.float32)
    nodes = [wire.node("Gather", ["table", "input_ids"], "hidden")]
    tensors = {"table": table, "shape": np.array([1, 4])}
    outputs = {"hidden": [1, "tokens", len(WORDS)]}
    if pooled:
        nodes.append(
            wire.node("ReduceMax", ["hidden"], "highest", keepdims=1)
        )  # one number: the whole text's
        nodes.append(wire.node("Squeeze", ["highest"], "one"))
        nodes.append(wire.node("Expand", ["one", "shape"], "sentence_embedding"))
        outputs = {"hidden": [1, "tokens", len(WORDS)], "sentence_embedding": [1, 4]}
    inputs = {"input_ids": [1, "tokens"]} | ({"pixel_values": [1]} if extra_input else {})
    folder.mkdir(parents=True, exist_ok=True)
    model = wire.model(nodes, tensors, inputs=inputs, outputs=outputs, input_kind=wire.INT64)
    (folder / "model.onnx").write_bytes(model)
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", WORDS.index("[CLS]"))]
    )
    tokenizer.enable_padding(length=128)  # as some published tokenizers have it
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path = path.with_name(path.name + ".json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))
    return folder
