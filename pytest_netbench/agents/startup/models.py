"""Whether a model can be asked: litellm is there, knows its provider, and there is a key."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any, Final

from pytest_netbench.agents.keys import VARIABLES, missing_key, provider_of
from pytest_netbench.catching import Caught
from pytest_netbench.errors import AgentCannotStart, UsageError

PROVIDERS: Final = frozenset(
    (
        *VARIABLES,
        *("azure", "azure_ai", "bedrock", "databricks", "github", "hosted_vllm", "huggingface", "litellm_proxy"),
        *("llamafile", "lm_studio", "ollama", "ollama_chat", "vertex_ai", "vllm", "watsonx"),
    )
)
"""Providers for which litellm, which imports slowly, is not asked whether it knows them."""


def check_model(model: str, *, spec: str, known: Sequence[str], request: dict[str, Any]) -> None:
    """Check that a model can be asked.

    Args:
        model: litellm's name of it.
        spec: The value of ``--agent``, for messages.
        known: Names of agents: a model without a provider may be one that is misspelled.
        request: Keyword arguments of each request, of which ``api_base`` and ``custom_llm_provider`` tell the provider.

    Raises:
        AgentCannotStart: litellm does not know whose model it is, or the key of its provider is missing.
        UsageError: litellm is not installed.
    """
    if find_spec("litellm") is None:
        raise UsageError(f"--agent={spec} asks a model, which needs litellm (fix: pip install 'pytest-netbench[llm]')")
    if not _is_plain(model, request) and not _is_known(model, request):
        raise AgentCannotStart(_unknown(model, spec, known), field="model")
    variables = missing_key(model)
    if variables:
        others = f" (or {', '.join(variables[1:])})" if variables[1:] else ""
        raise AgentCannotStart(f"{model} needs a key. Fix: export {variables[0]}=…{others}", field="model")


def _is_plain(model: str, request: dict[str, Any]) -> bool:
    provider, slash, name = model.partition("/")
    return (
        "custom_llm_provider" in request
        or provider_of(model) is not None
        or bool(slash and name and provider in PROVIDERS)
    )


def _is_known(model: str, request: dict[str, Any]) -> bool:
    """Ask litellm, which sends nothing for it."""
    from pytest_netbench.agents.llm import load_litellm  # imports pydantic

    litellm = load_litellm()
    if model.partition("/")[0] in {one["provider"] for one in litellm.custom_provider_map or ()}:
        return True
    with Caught(Exception) as caught:
        litellm.get_llm_provider(model=model, api_base=request.get("api_base"))
    # any other error: the provider is configured in another way, and its first request will tell
    return not isinstance(caught.error, litellm.BadRequestError)


def _unknown(model: str, spec: str, known: Sequence[str]) -> str:
    provider, slash, name = model.partition("/")
    if slash:
        near = get_close_matches(provider, sorted(PROVIDERS), n=1)
        hint = f" Did you mean {near[0]}/{name}?" if near else ""
        return (
            f"litellm does not know the provider {provider!r} of the model {model!r}"
            f" (https://docs.litellm.ai/docs/providers).{hint}"
        )
    agents = f" If an agent is meant, the known ones are: {', '.join(known)}." if spec == model else ""
    near = [one for one in known if model in one.split("-")] if spec == model else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return (
        f"litellm does not know whose model {model!r} is. Name its provider too, e.g. openai/{model}, or"
        f" ollama/{model} for a server of your own.{agents}{hint}"
    )
