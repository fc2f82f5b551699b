"""A worked example of an agent of your own: one class, no base class.

It only looks at the network and says what it saw. Replace ``run`` by what your agent does.

    pytest tasks/ --agent=external.survey:Survey
    pytest tasks/ --agent=survey                    # with the options of agents/survey.agent.yaml
"""

from __future__ import annotations

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import AgentInfo, Brief, Submission


class Survey:
    """Counts what there is.

    Args:
        read_configs: Read each device's running configuration as well.
    """

    def __init__(self, *, read_configs: bool = True) -> None:
        self._read_configs = read_configs

    @property
    def info(self) -> AgentInfo:
        """Who is evaluated. What can change a result belongs in ``settings``."""
        return AgentInfo(id="survey", strategy="survey", settings={"read_configs": self._read_configs})

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Work on one task. ``brief`` is all you are told, ``ani`` all you can do."""
        topology = ani.get_topology()["topology"]
        findings = [f"The network has {len(topology['nodes'])} devices and {len(topology['links'])} links."]
        accessible = [name for name in brief.devices if brief.control.get(name) != "foreign"]
        for device in accessible if self._read_configs else ():
            try:
                lines = ani.get_running_cfg(device)["running_config"].splitlines()
            except (
                AniError
            ) as error:  # this one request was refused; BudgetExhausted is best left alone: it ends the trial
                ani.note(f"{device} could not be read: {error}")
                continue
            findings.append(f"{device} has {len(lines)} configuration lines.")
        return Submission(reasoning=" ".join(findings))
