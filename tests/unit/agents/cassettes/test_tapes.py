"""A recording and its replay: equal requests in their order, misses with what differs, and failures again."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from pytest_netbench.agents.cassettes import active_cassette
from pytest_netbench.agents.cassettes.cassette import Cassette
from pytest_netbench.agents.cassettes.question import Question
from pytest_netbench.agents.cassettes.secrets import Redaction
from pytest_netbench.agents.cassettes.tapes import NoTrial, Recording, Replay
from pytest_netbench.agents.completion import Completion, ToolCall
from pytest_netbench.agents.failures import ContextOverflow, OutOfTime
from pytest_netbench.agents.llm import Llm
from pytest_netbench.errors import AgentError, CassetteMiss, ProviderError

SYSTEM = {"role": "system", "content": "You are an engineer."}


def asked(*texts: str, model: str = "openai/a", **parameters: Any) -> Question:
    messages = [
        SYSTEM,
        *({"role": "user" if at % 2 == 0 else "assistant", "content": text} for at, text in enumerate(texts)),
    ]
    return Question.of(model=model, messages=messages, parameters=parameters, redaction=Redaction({}))


def cassette(recording: Recording, **changes: Any) -> Cassette:
    facts: dict[str, Any] = {"agent": "a", "task": "t", "task_digest": "d", "trial": 1, "out_of_time": False, **changes}
    made = recording.cassette(**facts)
    return Cassette.model_validate_json(made.model_dump_json(exclude_defaults=True))


def replay(recording: Recording, *, task_digest: str = "d", **changes: Any) -> Replay:
    return Replay(cassette(recording, **changes), where="tapes/a/t.1.json", task_digest=task_digest)


def texts(found: object) -> str:
    return found.answer.text  # type: ignore[attr-defined]


def test_equal_requests_get_their_answers_in_order_and_each_once():
    recording = Recording()
    for text in ("one", "two"):
        recording.keep(asked("which?"), answer=Completion(text=text, prompt_tokens=3, cost_usd=0.5))
    played = replay(recording)
    assert [texts(played.entry(asked("which?"))) for _ in range(2)] == ["one", "two"]
    miss = played.entry(asked("which?"))
    assert isinstance(miss, CassetteMiss)
    assert "it was recorded 2 times and is asked once more" in str(miss)
    assert played.missed is miss


def test_answers_come_in_any_order_of_requests_with_all_that_was_in_them():
    recording = Recording()
    call = ToolCall(id="call-1", name="update_cfg", arguments='{"device": "R1"}')
    whole = Completion(
        text="a", thinking="t", thinking_blocks=({"signature": "s"},), tool_calls=(call,), finish_reason="stop",
        prompt_tokens=1, completion_tokens=2, tokens_estimated=True, cost_usd=0.1, duration_s=0.2,
    )  # fmt: skip
    recording.keep(asked("first", tools=[{"a": 1}]), answer=whole)
    recording.keep(asked("first", "said", "second", tools=[{"a": 1}]), answer=Completion(text="b"))
    played = replay(recording)
    assert texts(played.entry(asked("first", "said", "second", tools=[{"a": 1}]))) == "b"
    assert played.entry(asked("first", tools=[{"a": 1}])).answer == whole
    stored = cassette(recording)
    assert [(entry.same, len(entry.messages)) for entry in stored.entries] == [(0, 2), (2, 2)]
    assert len(stored.tools) == 1


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (asked("which?", model="openai/b"), ["model differs:", "-openai/a", "+openai/b"]),
        (asked("which?", temperature=0.5), ["parameters differ:", '+ "temperature": 0.5']),
        (asked("which?", tools=[{"x": 1}]), ["tools differ:"]),
        (
            asked("which one?"),
            ["first difference in message 2 of 2 (recorded: 2), role user:", "-which?", "+which one?"],
        ),
        (asked("which?", "x", "y"), ["first difference in message 3 of 4 (recorded: 2), role assistant:", "+x"]),
    ],
)
def test_a_miss_shows_the_nearest_request_and_the_difference(other, words):
    recording = Recording()
    recording.keep(asked("something else entirely"), answer=Completion(text="0"))
    recording.keep(asked("which?"), answer=Completion(text="1"))
    miss = replay(recording).entry(other)
    assert isinstance(miss, CassetteMiss)
    said = str(miss)
    assert said.startswith("tapes/a/t.1.json has no answer to request 1 of the agent to openai/")
    assert "this trial is not scored" in said
    assert "the nearest is request 2 of 2:" in said
    for one in words:
        assert one in said


def test_a_miss_is_bounded():
    recording = Recording()
    recording.keep(asked("\n".join(f"line {number}" for number in range(900))), answer=Completion(text="1"))
    miss = replay(recording).entry(asked("\n".join(f"other {number} " + "x" * 900 for number in range(900))))
    assert "more lines" in str(miss)
    assert len(str(miss)) < 12_000


def test_a_miss_says_that_the_task_was_changed():
    recording = Recording()
    assert "The task has been changed since." in str(replay(recording, task_digest="e").entry(asked("x")))
    assert "The task has been changed since." not in str(replay(recording).entry(asked("x")))


@pytest.mark.parametrize("kind", [ContextOverflow, OutOfTime, AgentError, ProviderError])
def test_a_request_that_failed_fails_again(kind):
    recording = Recording()
    recording.keep(asked("which?"), error=kind(f"no: Bearer {'x' * 20}"))
    refusal = replay(recording).entry(asked("which?")).refusal
    assert type(refusal.error()) is kind
    assert "xxxx" not in str(refusal.error())


def test_a_trial_that_ran_out_of_time_does_so_where_its_recording_ends():
    recording = Recording()
    recording.keep(asked("which?"), answer=Completion(text="1"))
    played = replay(recording, out_of_time=True)
    assert isinstance(played.entry(asked("other")), CassetteMiss)
    played.entry(asked("which?"))
    assert isinstance(played.entry(asked("further")), OutOfTime)


def test_keys_in_messages_and_answers_are_not_recorded(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "the-value-of-my-key")
    recording = Recording()
    question = Question.of(
        model="openai/a",
        messages=[{"role": "user", "content": "the-value-of-my-key"}],
        parameters={"api_key": "the-value-of-my-key", "user": "the-value-of-my-key"},
        redaction=recording.redaction,
    )
    recording.keep(question, answer=Completion(text="It is the-value-of-my-key."))
    assert "the-value" not in cassette(recording).model_dump_json()


class Slept:
    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def inserted():
    recording = Recording()
    question = Question.of(
        model="openai/a", messages=[SYSTEM], parameters={"temperature": 0.0}, redaction=Redaction({})
    )
    recording.keep(question, answer=Completion(text="one", duration_s=4.0))
    played = replay(recording)
    active_cassette.use_in_process(played)
    yield played
    active_cassette.use_in_process(None)


def complete(llm: Llm, **changes: Any) -> Completion:
    from pytest_netbench.agents.settings import ModelSettings

    llm.settings = ModelSettings(temperature=0.0, api_base="http://127.0.0.1:9/v1")
    return llm.complete([SYSTEM], note=lambda _: None, wall_left=lambda: changes.get("left"))


def test_a_model_answers_from_the_tape_after_the_time_that_it_took(inserted, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "litellm", None)
    slept = Slept()
    llm = Llm(model="openai/a", sleep=slept)
    llm.prepare()
    assert complete(llm).text == "one"
    assert slept.seconds == [4.0]


def test_no_answer_takes_longer_than_the_time_that_is_left(inserted):
    slept = Slept()
    assert complete(Llm(model="openai/a", sleep=slept), left=1.5).text == "one"
    assert slept.seconds == [1.5]
    with pytest.raises(OutOfTime):
        complete(Llm(model="openai/a", sleep=slept), left=0)


def test_a_thread_that_the_agent_starts_replays_too_and_without_a_trial_nobody_is_asked(inserted):
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(complete(Llm(model="openai/a", sleep=Slept())).text))
    thread.start()
    thread.join()
    assert found == ["one"]
    active_cassette.use_in_process(NoTrial())
    with pytest.raises(CassetteMiss, match="no trial is under way"):
        complete(Llm(model="openai/a"))
