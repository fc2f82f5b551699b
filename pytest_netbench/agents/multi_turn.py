"""MultiTurn: a model without tools that answers in turns and is told each time what its commands did."""

from __future__ import annotations

from pytest_netbench.agents import turns
from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.dialogue import Dialogue
from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.agents.llm import Llm
from pytest_netbench.agents.prompting import digests, paragraphs
from pytest_netbench.agents.reports import Reports
from pytest_netbench.agents.single_turn import SingleTurn
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, BudgetExhausted
from pytest_netbench.model.trial import AgentInfo, Brief, Submission


class MultiTurn:
    """A model that answers in turns. A task without devices has nothing to try, so it gets one answer.

    Args:
        file: Its agent file: name, model, settings.
    """

    def __init__(self, *, file: AgentFile) -> None:
        self._file = file
        self._llm = Llm(model=file.needed_model(), settings=file.settings, retries=file.retries, price=file.price)
        self._opening = Opening.of(file, system="multi-turn", question="single-turn-question")
        self._once = SingleTurn(file=file)

    @property
    def info(self) -> AgentInfo:
        return self._file.info(prompts=digests((*self._opening.prompts, *turns.prompts())))

    def prepare(self) -> None:
        """Load litellm, which takes seconds."""
        self._llm.prepare()

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Work until the model says that it is done, or has used up its budget.

        Raises:
            BudgetExhausted: With ``submission``: the reasoning so far.
            AgentError: Several answers in a row cannot be read, or the model cannot be asked; with ``submission``.
            ProviderError: The provider refused, or kept failing.
        """
        if not brief.devices:
            return self._once.run(brief, ani)
        dialogue = Dialogue(llm=self._llm, brief=brief, ani=ani)
        reports = Reports(wanted=self._file.report_reachability, brief=brief, ani=ani)
        work = turns.Turns(brief=brief, ani=ani, reports=reports)

        def submission(stop_reason: str) -> Submission:
            return Submission(reasoning=work.reasoning, stop_reason=stop_reason, usage=dialogue.usage)

        def ask(text: str) -> str:
            dialogue.say("user", text)
            return dialogue.ask().text

        try:
            dialogue.say("system", self._opening.system_text(brief))
            opening = paragraphs(self._opening.task_text(brief, how=""), reports.text())
            return submission(work.work(opening, ask))
        except AgentError as error:
            reason = f"budget: {error.limit}" if isinstance(error, BudgetExhausted) else "agent-error"
            error.submission = submission(reason)
            raise
