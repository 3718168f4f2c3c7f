"""The OpenAPI document and the service agree, whatever is sent: requests are made up from it."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from glymph import Glymph
from glymph.mcp.spaces import Handles
from glymph.service.app import make_app
from glymph.service.limits import Limits
from glymph.service.serving import Service
from tests.grounds.serving import SECRET, make_token, token_gate
from tests.pace import NIGHTLY

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance,
    response_schema_conformance,
]  # fmt: skip
EXAMPLES = 200 if NIGHTLY else 1


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('schema')}/memory.db"
    with Glymph.open(url) as glymph:
        glymph.add("The heron nests by the mill.")
        service = Service(Handles(glymph, url=url), token_gate(glymph), Limits(per_second=0))
        service.stopping.set()  # streams end at once
        yield make_app(service), make_token(glymph, "reader", role="read")


@pytest.mark.parametrize(
    "who", ["operator", "nobody", pytest.param("reader", marks=pytest.mark.nightly)]
)
def test_no_request_meets_a_bug_or_an_undocumented_answer(made, who):
    app, reader = made
    token = {"operator": SECRET, "reader": reader, "nobody": None}[who]
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    document = schemathesis.openapi.from_asgi("/v1/openapi.json", app)
    for found in document.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
            phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(case=operation.as_strategy())
        def send(case):
            case.call_and_validate(headers=headers, checks=CHECKS)

        send()
