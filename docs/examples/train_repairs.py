"""Train a small policy to repair routing, and compare it with a random one: ``python train_repairs.py``.

The policy is a table: for each symptom, how much each repair is preferred. REINFORCE (Williams 1992) improves it. It
needs numpy, and the extra ``gym`` of pytest-netbench.
"""

import argparse
import json
import re

import numpy as np

from pytest_netbench import Turn
from pytest_netbench.gymnasium import VectorEpisode
from pytest_netbench.stats.paired import Pair, compare

TASKS = "repair-routing:level=1,subnets=2,hosts=2"
AT_ONCE = 10
TRAINING, HELD_OUT = 1_000, 900_000  # seeds: each of the episodes at once has a series of its own
REPAIRS = (
    ["ip link set eth0 up mtu 1500", "ip link set eth1 up mtu 1500"],
    [f"ip address {change} dev eth{n}" for n in (0, 1) for change in ("flush", f"add 10.0.{n + 1}.1/24")],
    [
        "ip route flush table main",
        *(f"ip route add 10.0.{n + 1}.0/24 dev eth{n} proto kernel scope link src 10.0.{n + 1}.1" for n in (0, 1)),
    ],
    ["sysctl -qw net.ipv4.ip_forward=1"],
    ["ip rule del priority 100"],
    ["nft delete table inet filter"],
    ["nft delete table inet firewall"],
)
SUBMIT = len(REPAIRS)
ACTIONS = [
    *(json.dumps({"method": "update-cfg", "params": {"device": "r0", "commands": repair}}) for repair in REPAIRS),
    json.dumps({"method": "submit"}),
]


def reward(turn: Turn) -> float:
    """1 for a network in which everything is right; each action costs a little."""
    return turn.solved - 0.05


def symptom(text: str) -> tuple[str, ...]:
    """What fails: pings to each LAN from the router, pings between the LANs, and TCP."""
    rows = {source: targets.split() for source, targets in re.findall(r"^(\w+) -> (.*)$", text, re.MULTILINE)}
    router = rows.pop("r0", [])
    between = [target for host, row in rows.items() for target in (row[1:3] if host[:2] == "h1" else row[:2])]
    lans = sorted((amount(router[:2]), amount(router[2:])))
    return (*lans, amount(between), "tcp" if "tcp port 80" in text.rpartition(" -> ")[2] else "")


def amount(targets: list[str]) -> str:
    """How many of them are not reached."""
    lost = targets.count("X")
    return "none" if not lost else "all" if lost == len(targets) else "some"


class Policy:
    """Chooses an action from the symptom and from what was tried in this episode."""

    def __init__(self, rate: float = 0.7) -> None:
        self.table: dict[tuple[str, ...], np.ndarray] = {}
        self.again = 0.0  # how much an action that was tried already is preferred
        self.rate = rate
        self.usual: dict[tuple[str, ...], float] = {}  # the mean return after each symptom

    def chances(self, seen: tuple[str, ...], tried: np.ndarray) -> np.ndarray:
        """The chance of each action."""
        preference = self.table.get(seen, np.zeros(len(ACTIONS))) + self.again * tried
        weights = np.exp(preference - preference.max())
        return weights / weights.sum()

    def learn(self, steps: list[tuple[tuple[str, ...], np.ndarray, int]], rewards: list[float]) -> None:
        """Prefer the actions of an episode more if it went better than usual, else less."""
        returns = np.cumsum(rewards[::-1])[::-1]
        for (seen, tried, chosen), gained in zip(steps, returns, strict=True):
            usual = self.usual.setdefault(seen, 0.0)
            self.usual[seen] += 0.1 * (gained - usual)
            gradient = np.eye(len(ACTIONS))[chosen] - self.chances(seen, tried)
            step = self.rate * (gained - usual) * gradient
            self.table[seen] = self.table.get(seen, np.zeros(len(ACTIONS))) + step
            self.again += float(step @ tried)


def play(episodes: VectorEpisode, policy: Policy, *, seed: int, each: int, learns: bool = False) -> dict[str, bool]:
    """Play ``each`` episodes at each place; return which tasks were passed."""
    draw = np.random.default_rng(seed)
    texts, infos = episodes.reset(seed=seed)
    tasks, passed = list(infos["task"]), [{} for _ in texts]
    steps, rewards, fresh = [[] for _ in texts], [[] for _ in texts], [False] * len(texts)
    while any(len(one) < each for one in passed):
        chosen = []
        for text, before in zip(texts, steps, strict=True):
            tried = np.array([any(action == one for *_, one in before) for action in range(len(ACTIONS))], dtype=float)
            seen = symptom(text)
            chosen.append((seen, tried, int(draw.choice(len(ACTIONS), p=policy.chances(seen, tried)))))
        texts, gains, terminated, truncated, infos = episodes.step([ACTIONS[action] for *_, action in chosen])
        for place, over in enumerate(terminated | truncated):
            if fresh[place]:  # this step began an episode
                fresh[place] = over
                if not over:
                    tasks[place] = infos["task"][place]
                continue
            steps[place].append(chosen[place])
            rewards[place].append(float(gains[place]))
            if not over:
                continue
            status = infos["status"][place]
            if status != "error":  # a lab that broke says nothing about the policy
                if learns:
                    policy.learn(steps[place], rewards[place])
                if len(passed[place]) < each:
                    passed[place][tasks[place]] = status == "passed"
            steps[place], rewards[place], fresh[place] = [], [], True
    return {task: ok for one in passed for task, ok in one.items()}


def main() -> None:
    """Train, then compare on tasks that were not seen before."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=25, help=f"training episodes at each of {AT_ONCE} places")
    parser.add_argument("--held-out", type=int, default=5, help=f"held-out tasks at each of {AT_ONCE} places")
    chosen = parser.parse_args()
    policy = Policy()
    with VectorEpisode(TASKS, n=AT_ONCE, reward=reward, budget={"calls": 6}) as episodes:
        trained = play(episodes, policy, seed=TRAINING, each=chosen.episodes, learns=True)
        print(f"trained on {len(trained)} tasks; passed {sum(trained.values())} of them meanwhile")
        at_random = play(episodes, Policy(), seed=HELD_OUT, each=chosen.held_out)
        by_policy = play(episodes, policy, seed=HELD_OUT, each=chosen.held_out)
    both = sorted(at_random.keys() & by_policy.keys())
    pairs = [Pair(first=(float(at_random[task]),), second=(float(by_policy[task]),)) for task in both]
    found = compare(pairs)
    print(f"{found.tasks} held-out tasks: random passes {found.first:.2f}, the policy {found.second:.2f}")
    if found.interval is not None:
        low, high = found.interval.low, found.interval.high
        print(f"difference {found.difference:+.2f}, 95 % interval {low:+.2f} to {high:+.2f}")


if __name__ == "__main__":
    main()
