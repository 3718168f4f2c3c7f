"""Names for a service's failure where a language model was asked."""

from __future__ import annotations

from glymph.errors import ModelCancelled, ModelFailed, ModelTimedOut
from glymph.http import CalledOff, RemoteFailed, TooLate
from glymph.text.secrets import mask_secrets


def without_secrets(text: str) -> str:
    return mask_secrets(text)[0]


def translate_failure(model: str, error: RemoteFailed, timeout: float) -> ModelFailed:
    """Translates the failure of a service into the error to raise."""
    if isinstance(error, TooLate):
        return ModelTimedOut(model, timeout)
    if isinstance(error, CalledOff):
        return ModelCancelled(model)
    return make_failure(model, str(error), error.next_step, charged=error.charged)


def make_failure(model: str, problem: str, next_step: str, *, charged: bool) -> ModelFailed:
    """Returns a failure that says whether the call may have been billed.

    Secrets a provider quotes are taken out.
    """
    error = ModelFailed(model, without_secrets(problem), next_step)
    error.charged = charged
    return error
