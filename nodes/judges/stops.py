"""The errors that end a run: one plain line each, with the node, the cause and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from ...stores.errors import (
    ModelAuthError,
    ModelError,
    ModelQuotaError,
    ModelTimeout,
    ModelUnreachable,
)
from ..steps import Ask
from .endpoint import Endpoint
from .faults import PASSING, Fault


def fatal_error(fault: Fault, asked: Ask, endpoint: Endpoint) -> ModelError:
    """The error for a fault that no further call can mend."""
    where = f"{asked.node}: the model {endpoint.name} at {endpoint.server}"
    if fault.kind == "quota":
        return ModelQuotaError(
            f"{where} is out of quota or billing ({fault.line}). Check the account's plan, or "
            "choose another model."
        )
    if fault.kind == "unreachable":
        return ModelUnreachable(
            f"{where} cannot be reached: nobody listens there. Start the server, or mend "
            "Settings.base_url (OPENAI_BASE_URL)."
        )
    if fault.kind == "key" or fault.status == 403:
        return ModelAuthError(
            f"{where} refused the key ({fault.line}). Set OPENAI_API_KEY to a key that may use it."
        )
    if fault.kind == "model":
        return ModelError(
            f"{where} is not known there ({fault.line}). Name one that the server has, in "
            "Settings.model or Settings.models."
        )
    return ModelError(
        f"{where} does not take chat requests ({fault.line}). Settings.base_url must end where "
        "/chat/completions begins, most often in /v1."
    )


def all_failed(
    faults: Sequence[Fault], asked: Ask, endpoint: Endpoint, timeout_s: float
) -> ModelError | None:
    """The error for a batch of which no prompt got through, or None when it was the prompts."""
    last = faults[-1]
    if not all(fault.kind in PASSING or fault.kind in ("other", "refused") for fault in faults):
        return None
    where = f"{asked.node}: the model {endpoint.name}"
    if all(fault.kind == "timeout" for fault in faults):
        return ModelTimeout(
            f"{where} timed out: no answer within {timeout_s:g} s at any try. Raise "
            "Settings.timeout_s, or use a faster model or server."
        )
    if last.status == 429:
        return ModelError(
            f"{where} answers only with its rate limit ({last.line}). Lower "
            "Settings.max_concurrency, or raise Settings.retries."
        )
    if last.kind == "refused":
        return ModelError(
            f"{where} refuses the request ({last.line}). Set Settings.structured to text, or "
            "check what the server's chat template takes."
        )
    return ModelError(f"{where} failed at every try ({last.line}). Raise Settings.retries.")
