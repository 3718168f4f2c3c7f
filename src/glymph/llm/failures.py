"""What a service's failure is called where a language model was asked."""

from __future__ import annotations

from glymph.errors import ModelCancelled, ModelFailed, ModelTimedOut
from glymph.remote import CalledOff, RemoteFailed, TooLate


def failure(model: str, error: RemoteFailed, timeout: float) -> ModelFailed:
    """The error to raise for one of a service."""
    if isinstance(error, TooLate):
        return ModelTimedOut(model, timeout)
    if isinstance(error, CalledOff):
        return ModelCancelled(model)
    return failed(model, str(error), error.next_step, charged=error.charged)


def failed(model: str, problem: str, next_step: str, *, charged: bool) -> ModelFailed:
    """A failure that says whether the call may have been billed."""
    error = ModelFailed(model, problem, next_step)
    error.charged = charged
    return error
