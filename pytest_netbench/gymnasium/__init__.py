"""Episodes as environments of Gymnasium, one or several at once. Importing this package registers the environments.

It needs the extra ``gym``.
"""

from typing import Final

from pytest_netbench.errors import RequirementMissing

try:
    import gymnasium
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise RequirementMissing("gymnasium is not installed", "pip install 'pytest-netbench[gym]'") from error

from pytest_netbench.gymnasium.environment import LONGEST_ACTION, LONGEST_OBSERVATION, NetbenchEnv, text_of
from pytest_netbench.gymnasium.vector import VectorEpisode

__all__ = ["LONGEST_ACTION", "LONGEST_OBSERVATION", "PLAN", "REPAIR", "NetbenchEnv", "VectorEpisode", "text_of"]

REPAIR: Final = "pytest_netbench/Repair-v0"
PLAN: Final = "pytest_netbench/Plan-v0"

gymnasium.register(id=REPAIR, entry_point=f"{__name__}:NetbenchEnv", kwargs={"task": "repair-routing"})
gymnasium.register(id=PLAN, entry_point=f"{__name__}:NetbenchEnv", kwargs={"task": "plan"})
