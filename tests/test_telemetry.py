"""Telemetry tells names, figures and durations.

Off it costs nothing, and when it fails it breaks nothing.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import timeit

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from glymph import Glymph, telemetry
from glymph.errors import InvalidInput
from glymph.jobs import daemon, runner
from glymph.jobs.job import SESSION_END, Job
from glymph.testing.scripted_model import ScriptedModel
from glymph.upkeep import queue

SECRET = "The vault in Lisbon opens with a red umbrella"


@pytest.fixture(autouse=True)
def _asked_at_once(monkeypatch):
    monkeypatch.setattr(telemetry, "_PROVIDERS", telemetry._Providers())


@pytest.fixture
def spans(monkeypatch):
    """The spans that are told while a test runs."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return exporter


@pytest.fixture
def figures(monkeypatch):
    """The metrics that are told while a test runs, each name with its points."""
    reader = InMemoryMetricReader()
    monkeypatch.setattr("opentelemetry.metrics._internal._METER_PROVIDER", MeterProvider([reader]))

    def read():
        told = reader.get_metrics_data()
        return {
            metric.name: list(metric.data.data_points)
            for resource in told.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    return read


def told(spans, name, **wanted):
    return [
        dict(span.attributes)
        for span in spans.get_finished_spans()
        if span.name == name and wanted.items() <= dict(span.attributes).items()
    ]


def test_every_operation_is_a_span_with_its_duration_and_figures(glymph, spans):
    glymph.add(SECRET, kind="fact")
    (added,) = told(spans, "memory_op", operation="add")
    assert added["duration_ms"] > 0
    assert {"succeeded", "skipped", "failed"} <= added.keys()


def test_an_analysis_tells_how_much_it_looked_at_and_found(glymph, clock, spans):
    glymph.add(SECRET, kind="fact")
    clock.advance(days=200)
    plan = glymph.analyze(min_staleness=0.0, include_isolated=True)
    (span,) = told(spans, "memory_op", operation="analyze")
    assert (span["total_nodes"], span["stale_groups_found"]) == (
        plan.totals.memories,
        len(plan.groups),
    )


def test_a_prune_tells_what_was_done_to_how_many(glymph, clock, spans):
    memory = glymph.add(SECRET, kind="fact").id
    clock.advance(days=4)
    glymph.batch_prune([memory, "01900000-0000-7000-8000-000000000000"], "delete")
    (span,) = told(spans, "memory_op", operation="prune")
    assert (span["prune_action"], span["succeeded"], span["skipped"], span["failed"]) == (
        "delete",
        1,
        0,
        1,
    )


def test_searching_and_recalling_are_operations_too(glymph, spans):
    glymph.search("vault")
    glymph.recall("vault")
    assert told(spans, "memory_op", operation="search")
    assert told(spans, "memory_op", operation="recall")


def test_jobs_and_steps_are_spans_one_inside_the_other(glymph, spans):
    queue.enqueue(glymph.context, "job-1", "upkeep", {})
    daemon.run_once(glymph, stop=threading.Event())
    finished = {
        span.name: span for span in spans.get_finished_spans() if span.name in ("job", "step")
    }
    assert finished["step"].parent.span_id == finished["job"].context.span_id
    assert told(spans, "job", job="upkeep")[0]["ended"] == "done"
    assert {span["step"] for span in told(spans, "step")} >= {"lifecycle", "surface"}


def test_a_step_that_fails_says_so_in_its_span(glymph, spans):
    def fail(ctx, trigger):
        raise ValueError("a bug")

    queue.enqueue(glymph.context, "job-1", "upkeep", {})
    job = Job(name="broken", on=SESSION_END, order=1, run=fail)
    runner.run_waiting(glymph.context, [job], threading.Event(), lambda ticket, ended: None)
    assert told(spans, "step", step="broken")[0]["error.type"] == "ValueError"


def test_a_model_call_tells_its_tokens_and_not_what_was_said(url, clock, spans):
    from glymph.llm.dialogue import Message, Question
    from glymph.llm.ledger import Run

    with Glymph.open(url, clock=clock, model=ScriptedModel(['"fine"'])) as glymph:
        question = Question([Message("user", SECRET)], {"type": "string"}, json.loads)
        assert Run(glymph.context, "extract").ask(question) == "fine"
    (call,) = told(spans, "model_call")
    assert (call["job"], call["model"]) == ("extract", "scripted")
    assert call["tokens_in"] > 0
    assert call["tokens_out"] > 0


def test_metrics_hold_durations_and_numbers_by_operation(glymph, figures):
    glymph.add(SECRET, kind="fact")
    found = figures()
    (point,) = [p for p in found["memory_op.duration_ms"] if p.attributes["operation"] == "add"]
    assert point.count == 1
    assert "memory_op.succeeded" in found


def test_no_attribute_holds_the_text_of_a_memory(glymph, clock, spans):
    memory = glymph.add(SECRET, kind="lesson", title="Lisbon umbrella").id
    glymph.recall("Lisbon umbrella")
    glymph.update(memory, text=SECRET + " now")
    clock.advance(days=4)
    glymph.delete(memory, reason="Lisbon was wrong")
    with pytest.raises(InvalidInput):
        glymph.search("Lisbon", limit=-1)
    everything = " ".join(span.to_json() for span in spans.get_finished_spans())
    assert spans.get_finished_spans()
    assert "Lisbon" not in everything
    assert "umbrella" not in everything


def test_an_error_is_told_by_its_type_and_goes_on_to_the_caller(glymph, spans):
    with pytest.raises(InvalidInput):
        glymph.search("vault", limit=-1)
    (span,) = told(spans, "memory_op", operation="search")
    assert span["error.type"] == "InvalidInput"
    assert spans.get_finished_spans()[-1].status.status_code is trace.StatusCode.ERROR


@pytest.mark.parametrize("broken", ["get_tracer", "get_tracer_provider"])
def test_telemetry_that_fails_breaks_nothing(glymph, spans, monkeypatch, broken):
    def fails(*args, **kwargs):
        raise RuntimeError("no collector")

    monkeypatch.setattr(trace, broken, fails)
    assert glymph.add(SECRET, kind="fact").created
    assert glymph.search("vault")


def test_meters_that_fail_break_nothing(glymph, spans, monkeypatch):
    monkeypatch.setattr(metrics, "get_meter", None)
    assert glymph.add(SECRET, kind="fact").created


@pytest.mark.parametrize("loaded", [False, True])
def test_off_it_is_one_and_the_same_nothing_and_costs_less_than_a_microsecond(monkeypatch, loaded):
    assert telemetry.observe("memory_op", operation="x") is telemetry.observe("step", step="y")
    if not loaded:
        monkeypatch.delitem(sys.modules, "opentelemetry")

    def nothing():
        with telemetry.observe("memory_op", operation="add"):
            pass

    def cost(function):
        return min(timeit.repeat(function, number=1_000, repeat=200)) / 1_000

    assert cost(nothing) - cost(lambda: None) < 1e-6


def test_a_provider_that_is_set_later_is_found_after_a_second(monkeypatch, glymph):
    glymph.search("vault")
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    telemetry._PROVIDERS.ask_again -= telemetry.AGAIN
    glymph.search("vault")
    assert len(told(exporter, "memory_op", operation="search")) == 1


def test_glymph_never_loads_opentelemetry_by_itself():
    code = "import glymph, sys; glymph.Glymph; print('opentelemetry' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
        == "False\n"
    )


def line(level, message, *args, **options):
    record = logging.getLogger("glymph.test").makeRecord(
        "glymph.test",
        level,
        __file__,
        1,
        message,
        args,
        options.pop("exc_info", None),
        extra=options or None,
    )
    return json.loads(telemetry.JsonLines().format(record))


def test_a_log_line_is_json_with_its_extra_fields():
    found = line(logging.INFO, "%s ran", "decay", space="work", ms=1.5)
    assert (found["level"], found["message"], found["space"], found["ms"]) == (
        "info",
        "decay ran",
        "work",
        1.5,
    )
    assert found["at"].endswith("+00:00")
    assert set(found) == {"at", "level", "logger", "message", "space", "ms"}


def test_a_log_line_masks_secrets_and_does_not_quote_an_exception():
    try:
        raise ValueError(SECRET)
    except ValueError:
        found = line(
            logging.ERROR,
            "failed with api_key=sk-proj-4f9A8b7C6d5E4f3A2b1C0d9E",
            exc_info=sys.exc_info(),
        )
    assert "4f9A8b7C" not in json.dumps(found)
    assert "Lisbon" not in json.dumps(found)
    assert found["error"] == "ValueError"
    assert found["at_lines"][0].startswith("test_telemetry.py:")
