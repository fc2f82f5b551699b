"""STUB until helper netpol's package is merged."""

import ipaddress


class World:
    def __init__(self, objs):
        self.o = objs

    @classmethod
    def of(cls, objects):
        return cls(list(objects))


def sel(s, labels):
    if s is None:
        return False
    for k, v in (s.get("matchLabels") or {}).items():
        if labels.get(k) != v:
            return False
    for e in s.get("matchExpressions") or ():
        has = e["key"] in labels
        v = labels.get(e["key"])
        ok = {
            "In": has and v in (e.get("values") or ()),
            "NotIn": not (has and v in (e.get("values") or ())),
            "Exists": has,
            "DoesNotExist": not has,
        }[e["operator"]]
        if not ok:
            return False
    return True


def ruleset(world, machine):
    ns = {o["metadata"]["name"]: o["metadata"].get("labels") or {} for o in world.o if o["kind"] == "Namespace"}
    pods = [o for o in world.o if o["kind"] == "Pod" and (o.get("status") or {}).get("podIP")]
    pols = [o for o in world.o if o["kind"] == "NetworkPolicy"]
    lab = lambda p: p["metadata"].get("labels") or {}

    def peers(rule, key, pn):
        ps = rule.get(key)
        if not ps:
            return [""]
        out = []
        d = "saddr" if key == "from" else "daddr"
        for p in ps:
            if "ipBlock" in p:
                out.append(
                    f"ip {d} {p['ipBlock']['cidr']} "
                    + "".join(f"ip {d} != {e} " for e in p["ipBlock"].get("except") or ())
                )
                continue
            ips = [
                q["status"]["podIP"]
                for q in pods
                if (
                    sel(p["namespaceSelector"], ns.get(q["metadata"]["namespace"], {}))
                    if p.get("namespaceSelector") is not None
                    else q["metadata"]["namespace"] == pn
                )
                and (p.get("podSelector") is None or sel(p["podSelector"], lab(q)))
            ]
            if ips:
                out.append(f"ip {d} {{ {', '.join(sorted(ips))} }} ")
        return out

    def ports(rule):
        ps = rule.get("ports")
        if not ps:
            return [""]
        out = []
        for p in ps:
            proto = p.get("protocol", "TCP").lower()
            if "port" not in p:
                out.append(f"meta l4proto {proto} ")
            elif isinstance(p["port"], str):
                out.append(f"{proto} dport 1 ")
            else:
                out.append(f"{proto} dport {p['port']}" + (f"-{p['endPort']} " if "endPort" in p else " "))
        return out

    head = []
    chains = []
    for n, p in enumerate(
        sorted((q for q in pods if q["spec"].get("nodeName") == machine), key=lambda q: q["status"]["podIP"])
    ):
        ip = p["status"]["podIP"]
        pn = p["metadata"]["namespace"]
        mine = [q for q in pols if q["metadata"]["namespace"] == pn and sel(q["spec"].get("podSelector") or {}, lab(p))]
        for t, key, dirn, word in (("Egress", "to", "saddr", "egress"), ("Ingress", "from", "daddr", "ingress")):
            es = [
                q
                for q in mine
                if t in (q["spec"].get("policyTypes") or ["Ingress"] + (["Egress"] if "egress" in q["spec"] else []))
            ]
            if not es:
                continue
            name = f"{word}_{n}"
            head.append((word, f"ip {dirn} {ip} jump {name}"))
            rules = [
                f"{pe}{po}return"
                for q in es
                for r in q["spec"].get(word) or ()
                for pe in peers(r, key, pn)
                for po in ports(r)
            ]
            chains.append(f"chain {name} {{\n" + "\n".join(sorted(rules)) + "\ndrop\n}")
    t = "netbench-policies"
    return (
        f"table inet {t}\ndelete table inet {t}\ntable inet {t} {{\n"
        + "\n".join(chains)
        + "\nchain forward { type filter hook forward priority 0; policy accept;\nct direction reply ct state established,related accept\n"
        + "\n".join(l for w, l in sorted(head))
        + "\n}\n}\n"
    )
