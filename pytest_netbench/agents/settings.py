"""Settings of a model in an agent file: plain values, never an API key."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from pytest_netbench.model.base import Model


class ModelSettings(Model):
    """Settings of the model. A value of ``None`` is not sent, so the provider's default applies."""

    temperature: float | None = Field(None, ge=0)
    max_tokens: int | None = Field(None, gt=0, description="most tokens of one completion")
    api_base: str | None = Field(None, description="URL of an OpenAI-compatible server, e.g. http://127.0.0.1:11434/v1")
    timeout_s: float = Field(120.0, gt=0, description="wall seconds for one request")
    seed: int | None = None
    extra: dict[str, Any] = Field(
        {}, description="further keyword arguments of litellm.completion, e.g. reasoning_effort"
    )

    def request(self) -> dict[str, Any]:
        """Keyword arguments of ``litellm.completion`` that are the same for every request."""
        given = self.model_dump(exclude={"timeout_s", "extra"}, exclude_none=True)
        return {**given, **self.extra}


class Price(Model):
    """US dollars per token, for models that litellm has no price of."""

    input_per_token: float = Field(ge=0)
    output_per_token: float = Field(ge=0)

    def cost_usd(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Price of one completion."""
        return self.input_per_token * prompt_tokens + self.output_per_token * completion_tokens
