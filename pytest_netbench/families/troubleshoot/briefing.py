"""The brief of troubleshooting: that of a diagnosis, and what follows it. Pure."""

from __future__ import annotations

from typing import Final

LOOK_FIRST: Final = (
    "Until you have called `submit-answer` you can look at the network, and send packets, and change nothing."
)
HAND_OVER: Final = (
    " What no command of a device can repair, a broken cable for example, is handed over with `open-ticket`: name it as"
    " in the answer. Taking all traffic off a faulty link instead, so that everything works over other paths, counts as"
    " well."
)
ANY_ORDER: Final = (
    "You can change the managed devices from the beginning: repair what is wrong, and nothing else. What shows only"
    " once something else is repaired counts as well."
)
MIXED: Final = (
    "When you have finished your investigation, call `submit-diagnosis` once, with your findings in your own words. Its"
    " answer lists the fault types and the resources that can be named. Then call `submit-answer` once: whether"
    " anything was wrong when you began, and for each cause its resource and its fault type, also of what you have"
    " repaired. Between the two calls no device answers. Afterwards devices answer again. If nothing is wrong, change"
    " nothing. Stop when everything works."
)
PHASES: Final = (
    "When you have finished your investigation, call `submit-diagnosis` once, with your findings in your own words. Its"
    " answer lists the fault types and the resources that can be named. Then call `submit-answer` once: whether"
    " anything is wrong, and for each cause its resource and its fault type. Between the two calls no device answers."
    " Afterwards devices answer again and the managed ones can be changed: repair what is wrong. If nothing is wrong,"
    " change nothing. Stop when everything works."
)
