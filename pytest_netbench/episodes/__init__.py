"""Tasks as episodes of reinforcement learning: reset, act, reward, done. No pytest.

``Episode`` runs one task at a time on a stage, as a trial does. A reward is a function of the ``Turn``.
"""

from pytest_netbench.episodes.actions import SUBMIT
from pytest_netbench.episodes.episode import Episode
from pytest_netbench.episodes.observation import Observation
from pytest_netbench.episodes.reward import NetArenaReward, Reward
from pytest_netbench.episodes.turn import Turn

__all__ = ["SUBMIT", "Episode", "NetArenaReward", "Observation", "Reward", "Turn"]
