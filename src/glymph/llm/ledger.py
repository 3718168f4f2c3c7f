"""The way to ask a language model, with a ledger of what it costs.

What a call may cost is set aside in the ledger first, or the call is not made.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from glymph import telemetry
from glymph.context import Context
from glymph.errors import BudgetSpent, MalformedReply, ModelFailed, NoModel
from glymph.llm.contract import Model
from glymph.llm.dialogue import Message, Question, Reply, Usage, tokens_of
from glymph.llm.own import sound
from glymph.moments import AHEAD, MICROS_PER_DAY, micros
from glymph.text.tokens import tokens

Verdict = TypeVar("Verdict")

ANSWERED, FAILED = "answered", "failed"
MARGIN = 1.3  # by which a count of tokens may be too low; schemas and frames are sent, too
AGAIN = (
    "Your answer cannot be used: {problem}. Answer the first message again, with nothing but the "
    "JSON object."
)


@dataclass(slots=True)
class Run:
    """One run of a job. Its calls share caps, and what they used is summed up here.

    A provider that states what a call cost may state more than was set aside. The dearest one is
    remembered and set aside for every call that follows, so that such a surprise passes the caps
    once at most.
    """

    ctx: Context
    job: str
    id: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    dearest_usd: float = 0.0  # that a provider has stated for one call
    cancel: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.id = self.id or self.ctx.new_id(micros(self.ctx.now()))

    def ask(self, question: Question[Verdict]) -> Verdict:
        """Returns the model's answer, read.

        One that cannot be read is asked for once more, with what was wrong.
        """
        reply = self._paid(question.messages, question)
        try:
            return _read(question, reply)
        except MalformedReply as error:
            said = Message("assistant", reply.text[:2000] or "(nothing)")
            again = Message("user", AGAIN.format(problem=error.problem))
            return _read(question, self._paid([*question.messages, said, again], question))

    def _paid(self, messages: Sequence[Message], question: Question[Verdict]) -> Reply:
        """One call, in the ledger from before it begins."""
        model = _model(self.ctx, self.job)
        sent = int(tokens_of(messages) * MARGIN) + tokens(json.dumps(question.schema))
        priced = model.prices.cost(Usage(sent, question.max_tokens))
        dearest = Usage(sent, question.max_tokens, max(priced, self.dearest_usd))
        key = self._set_aside(model, dearest)
        try:
            with telemetry.observe("model_call", job=self.job, model=model.name) as seen:
                given = model.complete(
                    messages,
                    question.schema,
                    max_tokens=question.max_tokens,
                    timeout=self.ctx.settings.model_seconds,
                    cancel=self.cancel,
                )
                reply = sound(model.name, given, messages)
                seen.note(tokens_in=reply.usage.tokens_in, tokens_out=reply.usage.tokens_out)
        except ModelFailed as error:
            self._settle(key, model, dearest if error.charged else Usage(0, 0), FAILED)
            raise
        self.dearest_usd = max(self.dearest_usd, reply.usage.cost_usd or 0.0)
        self._settle(key, model, reply.usage, ANSWERED)
        return reply

    def _set_aside(self, model: Model, dearest: Usage) -> int:
        """Takes the most a call may cost out of all caps, or raises BudgetSpent."""
        key = self._set_aside_in_space(model, dearest)
        try:
            self._check_store(model, dearest)
        except BudgetSpent:
            self._write_down(key, Usage(0, 0), 0.0, FAILED)
            raise
        return key

    def _check_store(self, model: Model, dearest: Usage) -> None:
        """Raises BudgetSpent if all spaces together, this call included, are above their caps.

        It is asked after the call has its place in the ledger: spaces that call at the same moment
        then see each other. How much the others have spent is not told.
        """
        now, settings = micros(self.ctx.now()), self.ctx.settings
        with self.ctx.reading() as reader:
            spent = reader.spent_by_store(now - MICROS_PER_DAY, upto=now + AHEAD)
        most = settings.spend_spaces
        if spent.usd > most * settings.spend_daily_usd:
            cost = model.prices.cost(dearest)
            raise BudgetSpent("spend_spaces", "less", f"up to {cost:.4f} USD")
        if spent.tokens > most * settings.tokens_daily:
            needed = dearest.tokens_in + dearest.tokens_out
            raise BudgetSpent("spend_spaces", "less", f"up to {_tokens(needed)}")

    def _set_aside_in_space(self, model: Model, dearest: Usage) -> int:
        """Checks the caps of run and space and takes a call out of them, in one transaction."""
        place, cost = self.ctx, model.prices.cost(dearest)
        needed = dearest.tokens_in + dearest.tokens_out
        now = micros(place.now())
        with place.store.writing(place.space, None) as writer:
            today = writer.spent_since(now - MICROS_PER_DAY, upto=now + AHEAD)
            run = writer.spent_by(self.id)
            for cap, spent in (("spend_daily_usd", today.usd), ("spend_run_usd", run.usd)):
                left = max(0.0, getattr(place.settings, cap) - spent)
                if cost > left:
                    raise BudgetSpent(cap, f"{left:.4f} USD", f"up to {cost:.4f} USD")
            for cap, used in (("tokens_daily", today.tokens), ("tokens_run", run.tokens)):
                over = getattr(place.settings, cap) - used
                if needed > over:
                    raise BudgetSpent(cap, _tokens(max(0, over)), f"up to {_tokens(needed)}")
            return writer.reserve(
                {
                    "at": now, "job": self.job, "model": model.name, "run": self.id,
                    "tokens_in": dearest.tokens_in, "tokens_out": dearest.tokens_out,
                    "cost_usd": cost, "assumed": int(model.prices.assumed),
                }
            )  # fmt: skip

    def _settle(self, key: int, model: Model, usage: Usage, outcome: str) -> None:
        cost = model.prices.cost(usage)
        self._write_down(key, usage, cost, outcome)
        self.calls += 1
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.cost_usd += cost

    def _write_down(self, key: int, usage: Usage, cost: float, outcome: str) -> None:
        with self.ctx.store.writing(self.ctx.space, None) as writer:
            writer.settle(
                key,
                tokens_in=usage.tokens_in,
                tokens_out=usage.tokens_out,
                cost_usd=cost,
                outcome=outcome,
            )


def _tokens(count: int) -> str:
    return f"{count:,} {'token' if count == 1 else 'tokens'}"


def _model(ctx: Context, job: str) -> Model:
    if ctx.model is None:
        raise NoModel(job)
    return ctx.model


def _read(question: Question[Verdict], reply: Reply) -> Verdict:
    if reply.ended == "refused":
        raise MalformedReply("the model would not answer")
    if reply.ended == "length":
        raise MalformedReply(f"it was cut off after {reply.usage.tokens_out:,} tokens")
    return question.parse(reply.text)
