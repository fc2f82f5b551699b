"""Which key a model needs is known without litellm, and as litellm knows it."""

from __future__ import annotations

import os

import pytest

from pytest_netbench.agents.keys import VARIABLES, missing_key, provider_of


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("openai/gpt-4o", "openai"),
        ("gpt-4o-mini", "openai"),
        ("o3-mini", "openai"),
        ("claude-sonnet-4-5", "anthropic"),
        ("openrouter/anthropic/claude-3.5-sonnet", "openrouter"),
        ("ollama/llama3", None),
        ("hosted_vllm/qwen", None),
        ("bedrock/anthropic.claude-v2", None),
        ("my-own", None),
    ],
)
def test_a_provider_is_known_by_the_models_name_where_that_leaves_no_doubt(model, provider):
    assert provider_of(model) == provider


def test_any_of_the_variables_is_enough_and_an_empty_one_is_none():
    assert missing_key("gemini/gemini-2.0-flash", {}) == ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    assert missing_key("gemini/gemini-2.0-flash", {"GOOGLE_API_KEY": "x"}) == ()
    assert missing_key("openai/gpt-4o", {"OPENAI_API_KEY": ""}) == ("OPENAI_API_KEY",)
    assert missing_key("ollama/llama3", {}) == ()


@pytest.mark.parametrize("provider", VARIABLES)
def test_litellm_misses_one_of_the_same_variables_and_is_content_with_it(provider, monkeypatch):
    from pytest_netbench.agents.llm import load_litellm

    litellm = load_litellm()
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))]:
        monkeypatch.delenv(name)
    first, *_ = VARIABLES[provider]
    assert first in litellm.validate_environment(f"{provider}/some-model")["missing_keys"]
    monkeypatch.setenv(first, "x")
    assert litellm.validate_environment(f"{provider}/some-model")["missing_keys"] == []
