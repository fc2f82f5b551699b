"""What this machine supports for labs, and the command that fixes each lack.

Owns the questions `netbench doctor` answers and the one a task's requirements ask.
"""

from __future__ import annotations

import functools
import os
import platform
import re
from collections.abc import Iterable
from pathlib import Path

from pytest_netbench.backends.netns.machine import features
from pytest_netbench.backends.netns.machine.checks import (
    PROGRAMS,
    RPKI,
    TUN,
    cgroup_check,
    frr_checks,
    inotify_check,
    install_command,
    interpreter_check,
    memory_check,
    namespace_checks,
    native_checks,
    not_linux,
    os_ken_check,
    ovs_check,
    p4_check,
    program_check,
    rpki_check,
    scheduling_check,
    tun_check,
)
from pytest_netbench.lab.capabilities import CAPABILITIES
from pytest_netbench.lab.report import Check
from pytest_netbench.platforms.frr import daemons


def report() -> list[Check]:
    """All checks, the required ones first. On anything but Linux there is only one."""
    if platform.system() != "Linux":
        return [not_linux()]
    return [
        *namespace_checks(),
        *frr_checks(),
        *(program_check(name) for name in PROGRAMS),
        tun_check(),
        rpki_check(),
        interpreter_check(),
        ovs_check(),
        os_ken_check(),
        p4_check(),
        *native_checks(),
        memory_check(),
        inotify_check(),
        scheduling_check(),
        cgroup_check(),
        *_feature_checks(),
    ]


def lacks(requirements: Iterable[str], platforms: Iterable[str]) -> tuple[str, str | None] | None:
    """The one thing this machine lacks, and its remedy; ``None`` if it lacks nothing.

    Args:
        requirements: Kernel features (``netem``), programs (``iperf3``), FRR daemons (``pimd``), ``frr>=10``,
            ``lab-time``, ``tun``, ``bgpd-rpki``. Names of capabilities are left out: the backend knows what it offers.
        platforms: The platforms of a task's nodes.
    """
    if platform.system() != "Linux":
        missing = not_linux()
        return missing.detail, missing.remedy
    names = set(platforms)
    base = [*namespace_checks(), *(program_check(name) for name, about in PROGRAMS.items() if about[2])]
    if names & {"frr", "cisco_ios"}:
        base += frr_checks()
    wanted = [interpreter_check()] if names & {"cisco_ios", "openflow_controller"} else []
    wanted += [ovs_check()] if "openvswitch" in names else []
    wanted += [os_ken_check()] if "openflow_controller" in names else []
    wanted += [p4_check()] if "p4" in names else []
    for check in (*base, *wanted):
        if (check.required or check in wanted) and not check.ok:
            return check.detail, check.remedy
    for requirement in requirements:
        if requirement not in CAPABILITIES and (lack := _unmet(requirement)) is not None:
            return lack
    return None


# ---- kernel features ----


def no_redirection() -> tuple[str, str | None] | None:
    """Return the kernel feature without which no cable can be cut, and its remedy; ``None`` if there are all."""
    missing = next((name for name in features.REDIRECTION if name not in _features()), None)
    return None if missing is None else _feature_lack(missing)


@functools.cache
def _features() -> frozenset[str]:
    return features.kernel_features()


def _feature_checks() -> list[Check]:
    present = _features()
    found = [name for name in features.FEATURES if name in present]
    detail = ", ".join(found) or "none could be tried"
    checks = [Check("kernel features", "veth" in present, True, detail)]
    beyond: list[str] = []
    for name in features.FEATURES if found else ():
        if name in present:
            continue
        lack, remedy = _feature_lack(name)
        if name in features.SUBSTITUTES:
            checks.append(
                Check(name, False, False, f"{lack}; on links stands in: {features.SUBSTITUTES[name]}", remedy)
            )
        elif remedy:
            checks.append(Check(name, False, False, lack, remedy))
        else:
            beyond.append(name)
    if beyond:
        detail = f"built without {', '.join(beyond)}; tasks that require one of them are skipped"
        checks.append(Check("kernel lacks", False, False, detail))
    return checks


def _feature_lack(name: str) -> tuple[str, str | None]:
    module, release = features.MODULES[name], os.uname().release
    lack = f"the kernel has no {name}"
    if _module_exists(Path("/lib/modules") / release, module):
        return f"{lack} (module {module} is not loaded)", f"{'' if os.geteuid() == 0 else 'sudo '}modprobe {module}"
    if "ubuntu" in _distribution():
        return lack, install_command(f"linux-modules-extra-{release}")
    return f"{lack} ({release} was built without it)", None


def _module_exists(directory: Path, module: str) -> bool:
    pattern = re.compile(rf"/{re.escape(module).replace('_', '[-_]')}\.ko")
    try:
        return any(
            pattern.search(line.split(":", 1)[0]) for line in (directory / "modules.dep").read_text().splitlines()
        )
    except OSError:
        return False


def _distribution() -> str:
    try:
        return " ".join(platform.freedesktop_os_release().get(key, "") for key in ("ID", "ID_LIKE"))
    except OSError:
        return ""


# ---- requirements of a task ----


def _unmet(requirement: str) -> tuple[str, str | None] | None:
    check: Check | None = None
    if requirement in features.FEATURES:
        return None if requirement in _features() else _feature_lack(requirement)
    if requirement in PROGRAMS:
        check = program_check(requirement)
    elif requirement == TUN:
        check = tun_check()
    elif requirement == RPKI:
        check = rpki_check()
    elif requirement == "lab-time":
        check = native_checks()[0]
    elif requirement in _known_daemons():
        check = _daemon_check(requirement)
    elif match := re.fullmatch(r"frr\s*>=\s*(\d+(?:\.\d+)*)", requirement):
        check = _frr_version_check(match.group(1))
    if check is None:
        known = sorted({*features.FEATURES, *PROGRAMS, *CAPABILITIES, "lab-time", RPKI, TUN, "frr>=VERSION"})
        return f"unknown requirement {requirement!r} (known: {', '.join(known)}, and FRR's daemons)", None
    return None if check.ok else (check.detail, check.remedy)


def _known_daemons() -> set[str]:
    return set(daemons.installed()) | {
        "mgmtd",
        "ospfd",
        "ospf6d",
        "bgpd",
        "isisd",
        "ldpd",
        "pimd",
        "pim6d",
        "bfdd",
        "vrrpd",
    }


def _daemon_check(name: str) -> Check:
    if name in daemons.installed():
        return Check(name, True, True, f"{daemons.directory()}/{name}")
    version = daemons.version()
    detail = f"FRR {version} has no {name}" if version else "FRR is not installed"
    return Check(name, False, True, detail, None if version else install_command("frr"))


def _frr_version_check(wanted: str) -> Check:
    version = daemons.version()
    if version is None:
        return Check("FRR", False, True, "FRR is not installed", install_command("frr"))
    ok = _parts(version) >= _parts(wanted)
    return Check(
        "FRR", ok, True, f"FRR {version} is older than {wanted}", "https://deb.frrouting.org has newer packages"
    )


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.split("-", 1)[0]))


def _main() -> int:
    """For scripts/setup: print missing requirements and their remedies, one per line; nothing if all are met."""
    broken = [check for check in report() if check.required and not check.ok]
    for check in broken:
        print(f"{check.detail} (fix: {check.remedy})" if check.remedy else check.detail)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(_main())
