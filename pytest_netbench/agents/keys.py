"""API keys: the environment variables of providers, and how a key looks. A table, because litellm imports slowly.

The table holds providers that need exactly one key. For all others ``missing_key`` knows nothing, and a missing key is
found when the first request fails (``agents.failures``). ``tests/agents`` compares the table with litellm's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

VARIABLES: Mapping[str, tuple[str, ...]] = {
    "ai21": ("AI21_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY", "MISTRAL_AZURE_API_KEY"),
    "moonshot": ("MOONSHOT_API_KEY",),
    "nebius": ("NEBIUS_API_KEY",),
    "novita": ("NOVITA_API_KEY",),
    "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "replicate": ("REPLICATE_API_KEY", "REPLICATE_API_TOKEN"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
    "xai": ("XAI_API_KEY",),
}
"""Provider, as litellm spells it, to the variables that may hold its key; any one of them is enough."""

_BY_NAME: Mapping[str, re.Pattern[str]] = {
    "openai": re.compile(r"(gpt-[345]|chatgpt-4|o[134](-|$))"),
    "anthropic": re.compile(r"claude-"),
}
"""Providers whose models litellm knows without the provider's name before them."""

KEY_NAME: Final = re.compile(
    r"(^|[_-])(api[_-]?key|key|secret|password|passwd|authorization|credentials?|(api|access|auth|bearer|session)[_-]?token)$"
    r"|^token$",
    re.IGNORECASE,
)
"""Names of fields and variables that hold a key."""
KEY_VALUE: Final = re.compile(
    r"^(Bearer\s+\S{8,}|(sk|pk|rk|xai|gsk|ghp|hf|AIza|AKIA)[-_]?[A-Za-z0-9_-]{16,})$|://[^/\s@]+:[^/\s@]+@"
)
"""Texts that are a key, or a URL with a password."""


def provider_of(model: str) -> str | None:
    """The provider of ``model``, if it is in the table and its name is unambiguous."""
    provider, slash, _ = model.partition("/")
    if slash:
        return provider if provider in VARIABLES else None
    return next((name for name, pattern in _BY_NAME.items() if pattern.match(model)), None)


def missing_key(model: str, environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The variables of which one must be set and none is; empty if there is a key, or if nothing is known of the model.

    Args:
        model: litellm's name of it, e.g. ``openai/gpt-4o``.
        environment: Instead of this process's.
    """
    given = os.environ if environment is None else environment
    provider = provider_of(model)
    if provider is None:
        return ()
    variables = VARIABLES[provider]
    return () if any(given.get(name) for name in variables) else variables
