"""One model completion over litellm. The only module that imports litellm, and only when a model is first asked."""

from __future__ import annotations

import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from pytest_netbench.agents import run_budget
from pytest_netbench.agents.cassettes import active_cassette
from pytest_netbench.agents.cassettes.question import Question
from pytest_netbench.agents.cassettes.tapes import Records, Replays
from pytest_netbench.agents.completion import Completion, Message, ToolCall
from pytest_netbench.agents.failures import Failure, OutOfTime, classify
from pytest_netbench.agents.retry import Retries
from pytest_netbench.agents.settings import ModelSettings, Price
from pytest_netbench.catching import Caught
from pytest_netbench.errors import AgentError, CassetteMiss, ProviderError, RunBudgetSpent, UsageError


class Llm:
    """A model that can be asked.

    Args:
        model: litellm's name of it, e.g. ``"openai/gpt-4o"``.
        settings: Sent with each request.
        retries: What to do when the provider fails.
        price: Used instead of litellm's price list.
        sleep: Waits between two tries.

    Raises:
        UsageError: litellm is not installed; raised here, before a lab is deployed. A replay does not need it.
    """

    def __init__(
        self,
        *,
        model: str,
        settings: ModelSettings | None = None,
        retries: Retries | None = None,
        price: Price | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not active_cassette.replays() and "litellm" not in sys.modules and find_spec("litellm") is None:
            raise _absent("it is not installed")
        self.model = model
        self.settings = settings or ModelSettings()
        self._retries = retries or Retries()
        self._price = price
        self._sleep = sleep

    def prepare(self) -> None:
        """Import litellm, which takes seconds, before an agent's time starts.

        Raises:
            UsageError: It is absent.
        """
        if not active_cassette.replays():
            load_litellm()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        note: Callable[[str], None],
        wall_left: Callable[[], float | None],
        compared: Sequence[Message] | None = None,
        **options: Any,
    ) -> Completion:
        """Ask once; transient failures of the provider are tried again.

        If the run records or replays, the answer is kept in the cassette of the trial, or comes from it.

        Args:
            messages: The conversation in OpenAI's shape.
            note: Is told of each retry.
            wall_left: Wall seconds that are left to the agent; ``None`` means no limit. No request outlives it.
            compared: What a cassette compares instead of ``messages``, if that tells the same more steadily.
            options: Further arguments of litellm.completion, e.g. ``tools``.

        Raises:
            ContextOverflow: The conversation is longer than the model's context.
            OutOfTime: The wall time ran out while the model was thinking.
            ProviderError: The provider refused, or kept failing.
            RunBudgetSpent: The run may ask no model any more.
            AgentError: The provider's content filter refused the conversation.
            UsageError: litellm is absent or cannot run.
            CassetteMiss: The cassette has no answer.
        """
        tape = active_cassette.current()
        if tape is None:
            return self._ask(messages, note=note, wall_left=wall_left, options=options)
        question = Question.of(
            model=self.model,
            messages=messages if compared is None else compared,
            parameters={**self.settings.request(), **options},
            redaction=tape.redaction,
        )
        if isinstance(tape, Replays):
            return self._replayed(tape, question, wall_left)
        return self._recorded(
            tape, question, lambda: self._ask(messages, note=note, wall_left=wall_left, options=options)
        )

    def _recorded(self, tape: Records, question: Question, ask: Callable[[], Completion]) -> Completion:
        try:
            completion = ask()
        except (AgentError, ProviderError) as error:
            tape.keep(question, error=error)
            raise
        tape.keep(question, answer=completion.model_copy(update={"waited_s": 0.0}))
        return completion

    def _replayed(self, tape: Replays, question: Question, wall_left: Callable[[], float | None]) -> Completion:
        """Answer from the cassette, after the time that the model took: devices converge meanwhile."""
        left = wall_left()
        if left is not None and left <= 0:
            raise OutOfTime("no wall time is left")
        entry = tape.entry(question)
        if isinstance(entry, Exception):
            raise entry
        if entry.refusal is not None:
            raise entry.refusal.error()
        assert entry.answer is not None
        wait_s = tape.pace * entry.answer.duration_s
        if wait_s > 0:
            self._sleep(wait_s if left is None else min(wait_s, left))
        return entry.answer.model_copy(update={"duration_s": wait_s})

    def _ask(
        self,
        messages: Sequence[Message],
        *,
        note: Callable[[str], None],
        wall_left: Callable[[], float | None],
        options: Mapping[str, Any],
    ) -> Completion:
        litellm = load_litellm()
        attempt, waited_s = 0, 0.0
        while True:
            attempt += 1
            left = wall_left()
            if left is not None and left <= 0:
                raise OutOfTime("no wall time is left")
            timeout = self.settings.timeout_s if left is None else min(self.settings.timeout_s, left)
            self._refuse_if_spent()
            started = time.monotonic()
            try:
                response = litellm.completion(
                    model=self.model,
                    messages=list(messages),
                    timeout=timeout,
                    max_retries=0,
                    num_retries=0,
                    **self.settings.request(),
                    **options,
                )
            except ImportError as error:
                raise UsageError(
                    f"litellm {version('litellm')} cannot run here: {error}. "
                    "Fix: pip install --upgrade 'pytest-netbench[llm]'"
                ) from error
            except Exception as error:  # litellm also lets bare exceptions through
                failure = classify(
                    error, litellm=litellm, model=self.model, api_base=self.settings.api_base, timeout_s=timeout
                )
                if failure.kind == "timeout" and timeout == left:
                    raise OutOfTime(failure.message) from error
                if not failure.may_pass:
                    raise failure.error() from error
                waited_s += self._wait(failure, attempt, wall_left(), note, error)
            else:
                if not response.choices:
                    empty = Failure(kind="transient", message=f"{self.model} answered without any choice")
                    waited_s += self._wait(empty, attempt, wall_left(), note, None)
                    continue
                completion = self._read(litellm, response, messages, time.monotonic() - started)
                self._spend(completion)
                return completion.model_copy(update={"waited_s": waited_s})

    def _refuse_if_spent(self) -> None:
        shared = run_budget.current()
        if shared is not None and (limit := shared.used_up()) is not None:
            raise RunBudgetSpent(f"the run has spent its {limit}: this trial was cut off and is not judged")

    def _spend(self, completion: Completion) -> None:
        shared = run_budget.current()
        if shared is None:
            return
        shared.spend(cost_usd=completion.cost_usd, tokens=completion.tokens)
        if completion.cost_usd is None and shared.most_cost_usd is not None:
            raise UsageError(
                f"the price of {self.model} is not known, so --netbench-max-cost cannot be kept: give its `price` in an"
                " agent file, or limit tokens with --netbench-max-tokens"
            )

    def _wait(
        self, failure: Failure, attempt: int, left: float | None, note: Callable[[str], None], cause: Exception | None
    ) -> float:
        """Wait before the next try and return for how long, or raise ProviderError if no retry is allowed."""
        wait_s = self._retries.wait_s(attempt, failure.retry_after_s)
        why_not = None
        if attempt >= self._retries.attempts:
            why_not = f"gave up after {attempt} requests"
        elif (failure.retry_after_s or 0.0) > self._retries.longest_wait_s:
            why_not = (
                f"it asks to wait {failure.retry_after_s:g} s, more than longest_wait={self._retries.longest_wait_s:g}s"
            )
        elif left is not None and wait_s >= left:
            why_not = f"waiting {wait_s:.1f} s for it would outlast the trial ({max(left, 0):.1f} s left)"
        if why_not is not None:
            raise ProviderError(f"{failure.message} — {why_not}") from cause
        note(f"request {attempt} of {self._retries.attempts} failed, next in {wait_s:.2f} s: {failure.message}")
        self._sleep(wait_s)
        return wait_s

    def _read(self, litellm: Any, response: Any, messages: Sequence[Message], duration_s: float) -> Completion:
        choice = response.choices[0]
        text = choice.message.content or ""
        calls = tuple(
            ToolCall(
                id=call.id or f"call_{index}", name=call.function.name or "", arguments=call.function.arguments or ""
            )
            for index, call in enumerate(choice.message.tool_calls or (), start=1)
        )
        prompt, completion, estimated = self._count(litellm, response, messages, text, calls)
        return Completion(
            text=text,
            thinking=getattr(choice.message, "reasoning_content", None) or "",
            thinking_blocks=tuple(dict(block) for block in getattr(choice.message, "thinking_blocks", None) or ()),
            tool_calls=calls,
            finish_reason=choice.finish_reason,
            prompt_tokens=prompt,
            completion_tokens=completion,
            tokens_estimated=estimated,
            cost_usd=self._cost(litellm, response, prompt, completion),
            duration_s=duration_s,
        )

    def _count(
        self, litellm: Any, response: Any, messages: Sequence[Message], text: str, calls: tuple[ToolCall, ...]
    ) -> tuple[int, int, bool]:
        usage = getattr(response, "usage", None)
        prompt = getattr(usage, "prompt_tokens", 0) or 0
        completion = getattr(usage, "completion_tokens", 0) or 0
        if prompt > 0:
            return prompt, completion, False
        written = text + "".join(call.name + call.arguments for call in calls)
        return (
            litellm.token_counter(model=self.model, messages=list(messages)),
            litellm.token_counter(model=self.model, text=written),
            True,
        )

    def _cost(self, litellm: Any, response: Any, prompt: int, completion: int) -> float | None:
        """US dollars, or ``None`` if the price is unknown: a model without a price is not free."""
        if self._price is not None:
            return self._price.cost_usd(prompt, completion)
        with Caught(Exception) as caught:  # a bare Exception is how litellm says that it has no price
            cost = litellm.completion_cost(completion_response=response, model=self.model)
        return float(cost) if caught.error is None else None


def raised_by_client(error: BaseException) -> bool:
    """Return whether ``error`` says that this module could not reach a model or use litellm.

    The class is not sufficient, because an agent may raise each class itself. The innermost frame of the traceback must
    be in this module.
    """
    if not isinstance(error, CassetteMiss | ProviderError | RunBudgetSpent | UsageError) or error.__traceback__ is None:
        return False
    *_, (innermost, _) = traceback.walk_tb(error.__traceback__)
    return innermost.f_globals is globals()


def load_litellm() -> Any:
    """Import litellm such that it stays offline, reads no ``.env`` file and prints nothing.

    Raises:
        UsageError: It is not installed.
    """
    first_time = "litellm" not in sys.modules
    try:
        with warnings.catch_warnings():
            if first_time:  # pydantic may warn of litellm's own models; a user cannot do anything about it
                warnings.simplefilter("ignore")
            litellm = import_litellm()
    except ImportError as error:
        raise _absent(str(error)) from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


def import_litellm() -> Any:
    """Import litellm such that it stays offline and quiet. May run in a thread: it leaves warning filters alone."""
    # Read by litellm while it is imported; someone who set them meant it.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    import litellm  # 2 to 3 s and 170 MB

    litellm.ModelResponse()  # its models are only built now
    return litellm


def _absent(why: str) -> UsageError:
    return UsageError(f"an agent that asks a model needs litellm ({why}). Fix: pip install 'pytest-netbench[llm]'")
