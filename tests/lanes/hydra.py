#!/usr/bin/env python3
"""Lane "Hydra": the same trees and overrides composed by rangescope and by hydra-core.

    hydra.py COMPOSE [--conf CONF] [--cases N] [--seed S] [--only KIND]

COMPOSE is `cargo build -p rangescope-config --example compose`, CONF the project's tree. Cases are made from the
seed: random small trees with random overrides, the grammars of values and interpolations, YAML
scalars, sweeps, and the project's own tree with the documented command lines. Compared are the
composed values (with their types and order), the resolved values, and which inputs are errors.
What rangescope leaves out on purpose (docs/configuration.md) is not generated.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

# This file has the name of the package it compares with.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

NOW = datetime.datetime(2026, 3, 7, 14, 5, 9, 1234)
ENV = {"RS_ONE": "1", "RS_TEXT": "some text", "RS_EMPTY": ""}
SHOWN = 10
KEYS = ["a", "b", "c", "d", "e-f", "g_h"]
GROUPS = ["db", "opt", "db/kind", "opt/deep/er"]
RELATIVE = {"db": "kind", "opt": "deep/er"}
OPTIONS = ["one", "two", "three.x"]

# --- values -----------------------------------------------------------------------------------

SCALARS = """1 0 -3 +7 1_000 010 0o10 08 0x1F -0b11 1:30 1:30.5 1e3 1.5e3 1. .5 -.5 .5e3 .5e+3 1_0.5
.inf -.inf .nan true True TRUE false yes No on OFF y n null ~ Null NULL 2024-01-01 text cuda:0 a.b
'quoted' "double" 'it''s' "line\\nbreak" '1' '' 'null' ??? a/b *x* 1e-5 12345678901 1.0 -0 0.1 '=' <<x
""".split()
SCALARS = [s for s in SCALARS if not s.startswith("*")] + ["two words", "'*'", "|-\n@block", ""]

INTERPOLATIONS = r"""${a} ${b} ${d.x} ${.a} ${..b} ${c.0} ${c[1]} ${.c[0]} ${d.a.b} x_${a}_y ${a}${b} ${d} ${c}
${oc.env:RS_ONE} ${oc.env:RS_NOPE,10} ${oc.env:RS_NOPE,null} ${oc.env:RS_TEXT,x} ${d.a} s_${d} s_${c} ${.d}
${oc.env:RS_NOPE,'q_${a}'} ${oc.env:RS_NOPE,1.50} ${oc.env:RS_NOPE,[1,a]} ${oc.env:RS_NOPE,${a}} ${d.${a}}
${now:%Y%m%d-%H%M%S} ${now:%A_%b_%j_%p_%I} ${hydra:runtime.cwd} ${hydra:runtime.cwd}/x ${oc.select:a.b,7}
${oc.select:nope,null} ${oc.select:.a} ${oc.decode:'[1,2,x]'} ${oc.decode:${oc.env:RS_ONE}} ${${a}} ${${b}}
\${a} \\${a} \\\${a} $a $${a} a${b}c ${oc.select:d,1} ${oc.env:RS_NOPE,{x:1,y:true}} ${oc.decode:${oc.env:RS_NOPE,null}}
""".split()
INTERPOLATIONS += ["${ a }", "${oc.env: RS_TEXT }", "${oc.env:RS_NOPE, 'a b' }", "x ${a} y ${b}", "${oc.decode:'{a: 1}'}"]
# Well-formed, but there is often nothing to find.
LOST = """${nope} ${a.nope.x} ${oc.nope:1} ${...c} ${e-f} ${pkg.a} ${pkg} ${db} ${a,b} ${_x} ${oc.env:RS_NOPE} ${a.${b}}
${a:} ${opt.deep.er.a} ${..d.a} ${now:} ${oc.env:} ${hydra:} ${now:1}
""".split()
MALFORMED = ["${", "${a", "${a$", "${}", "${.}", "${a.}", "${a b}", "${a'}", "${oc.env:'x}", "${a.b:c}x${", "${a[b}"]

VALUES = """1 -5 +5 1_000 007 0x10 1e3 1. .5 -.5e-3 inf -inf nan NaN true FALSE TrUe null NULL text a-b_c
a.b/c-d a:b cuda:0 *x* a@b%c$d?e|f+g 'x' "y" 'it\\'s' "q\\"q" 'a,b' '' "" '\\\\' 'a\\\\b' 'x=y' a\\,b a\\=b
a\\\\b \\(x\\) a\\:b [] [1,2] [a,[b,c],{d:1}] {} {a:1} {a:{b:[1,x]},c:null} {1:x,b:y} {a:1,a:2} [1,'x y']
${a} ${a}_x '${a}' ${oc.env:RS_ONE} [${a},1] {x:${b}} ??? = a=b a,b 1,2 [1 {a a} a] (x) a( choice(1,2)
str(1) int(3.7) float(1) bool(true) str(1.0) int('12') str([1,2]) bool(x) int(a) nope(1) a'b' 'x'y 'open
é a"b ~ ! # {a} {:1} [,] [1,] {a:1,} ${} ${a ${a.${b}} 1.5.3 1_ _1 --1 .. / \\ $ : -
{null:1} {'a':1} {a:'b c'} {a: 1, b : 2} nullx inf-x 1e5x
""".split()
VALUES += ["a b", " a", "a ", "[a b, c ]", "{a b: c}", "'a b' ", "[ 1 , 2 ]", "a : b", "str (1)", "", " ", "a\\ b", "\\t"]


GOOD = """1 -5 1_000 1e3 .5 true null text a-b_c a:b "q" [] [1,2] [a,[b,c]] {a:1} {a:{b:[1,x]},c:null} ??? 2,5
a\\,b str(1) int(3.7) 'a,b' '' {} {b:5} {q:5} [] 3 x b""".split() + ["'x y'", "[a b, c ]"]


def scalar(rng):
    return rng.choice(SCALARS) if rng.random() < 0.75 else interpolation(rng)


def interpolation(rng):
    roll = rng.random()
    text = rng.choice(MALFORMED if roll > 0.995 else LOST if roll > 0.9 else INTERPOLATIONS)
    return "'" + text.replace("'", "''") + "'"


def body(rng, depth=0):
    """Lines of a random YAML map."""
    lines = []
    for key in rng.sample(KEYS, rng.randint(1, 4)):
        roll = rng.random()
        if depth < 2 and roll < 0.3:
            lines += [f"{key}:"] + ["  " + line for line in body(rng, depth + 1)]
        elif roll < 0.42:
            items = [rng.choice(["1", "x", "'y z'", "true", "null", "'${a}'"]) for _ in range(rng.randint(0, 3))]
            lines.append(f"{key}: [{', '.join(items)}]")
        elif roll < 0.47:
            lines += [f"{key}:", "  - 1", "  - a: 2", "    b: '${..a}'"]
        elif roll < 0.5:
            lines.append(f"{key}: {{}}")
        else:
            value = scalar(rng).split("\n@")
            lines += [f"{key}: {value[0]}"] + ["  " + line for line in value[1:]]
    return lines


# --- trees ------------------------------------------------------------------------------------

FIXED = {"config.yaml": "a: x\nb: b\nc: [1, two, '${a}']\nd: {a: {b: 3}, x: '${..a}', b: '${.a.b}'}\nx: 1\n"}
PACKAGES = ["pkg", "pkg.sub", "_global_", "_here_", "_group_", "a", "_global_.x", "db"]


def default_entry(rng, own, earlier):
    """One entry of a file in the group `own`. Groups come after it, so that lists do not go round in circles, which
    Hydra finds out by running out of stack. Most lead somewhere."""
    later = GROUPS[GROUPS.index(own) + 1 :] if own else GROUPS
    group = "/" + rng.choice(later) if own or rng.random() < 0.2 else rng.choice(later)
    if own in RELATIVE and rng.random() < 0.4:
        group = RELATIVE[own]
    elif rng.random() < 0.02:
        group = group.lstrip("/")
    option = rng.choice(OPTIONS)
    roll = rng.random()
    package = f"@{rng.choice(PACKAGES)}" if rng.random() < 0.3 else ""
    if roll < 0.1:
        return f"{group}/{option}{package}"
    if roll < 0.14:
        return f"{group}{package}: null"
    if roll < 0.2:
        return f"{group}{package}: [{', '.join(rng.sample(OPTIONS, rng.randint(1, 2)))}]"
    if roll < 0.21:
        return f"{group}{package}: {rng.choice(['???', 'nope', '${nope}', '1'])}"
    if roll < 0.26 and (earlier or rng.random() < 0.2):
        return f"{group}{package}: {rng.choice(['${db}', '${opt}', '${db@pkg}', '${db/kind}'])}"
    if roll < 0.36:
        return f"optional {group}{package}: {rng.choice([option, 'nope'])}"
    if roll < 0.5:
        of_group = [entry.split(":")[0] for entry in earlier if ":" in entry and " " not in entry.split(":")[0]]
        if of_group or rng.random() < 0.1:
            return f"override {rng.choice(of_group) if of_group else group + package}: {option}"
    return f"{group}{package}: {option}"


def defaults(rng, own, chance):
    if rng.random() > chance or own == GROUPS[-1]:
        return []
    entries = []
    for _ in range(rng.randint(1, 3)):
        entries.append(default_entry(rng, own, entries))
    if rng.random() < 0.95:
        # Overrides come last, unless the order itself is to be wrong.
        entries.sort(key=lambda entry: entry.startswith("override"))
    if rng.random() < 0.8:
        first_override = next((i for i, e in enumerate(entries) if e.startswith("override")), len(entries))
        entries.insert(rng.randint(0, first_override), "_self_")
    return ["defaults:"] + [f"  - {entry}" for entry in entries]


def config(rng, own, chance):
    lines = []
    if rng.random() < 0.12:
        lines.append(f"# @package {rng.choice(['_global_', 'head', 'head.er', '_global_.z', 'a', '_group_'])}")
    lines += defaults(rng, own, chance)
    return "\n".join(lines + (body(rng) if rng.random() < 0.95 else [])) + "\n"


def primary(rng):
    """Half of the time with keys that interpolations and overrides find."""
    if rng.random() < 0.5:
        return config(rng, None, 0.85)
    return "\n".join(defaults(rng, None, 0.8)) + "\n" + FIXED["config.yaml"] + "e-f: " + scalar(rng).split("\n")[0] + "\n"


def tree(rng):
    files = {"config.yaml": primary(rng)}
    for group in GROUPS:
        for option in OPTIONS:
            if rng.random() < 0.97:
                files[f"{group}/{option}.yaml"] = config(rng, group, 0.35)
    return files


def override(rng, files):
    lines = files["config.yaml"].splitlines()
    keys = [line.split(":")[0] for line in lines if line[:1].isalpha() and not line.startswith("defaults")]
    path = ".".join(rng.sample(KEYS, rng.randint(1, 2)))
    path = rng.choice([path, *keys, *keys, *keys, f"pkg.{path}", f"db.{path}", "c.0", "d.a", "d.a.b", f"opt.deep.er.{path}"])
    value = rng.choice(VALUES) if rng.random() < 0.3 else rng.choice(GOOD + INTERPOLATIONS[:12])
    listed = [line[4:].split(":")[0].lstrip("/") for line in lines if line.startswith("  - ") and ":" in line]
    group = rng.choice(listed + [rng.choice(GROUPS)]).split(" ")[-1]
    if rng.random() < 0.15:
        group += f"@{rng.choice(['pkg', 'pkg.sub', '_global_', 'a'])}"
    option = rng.choice(OPTIONS * 3 + ["nope", "[one,two]", "null", "1"])
    return rng.choice([
        f"{path}={value}", f"{path}={value}", f"+{path}.new={value}", f"++{path}={value}", f"~{path}", f"+{path}={value}",
        f"~{path}={value}", f"{group}={option}", f"{group}={option}", f"{group}={option}", f"+new.{path}={value}",
        f"+{group}={option}", f"~{group}", f"~{group}={option}", f"++new.{path}={value}",
    ])  # fmt: skip


# --- kinds of cases ---------------------------------------------------------------------------


def random_text(rng, alphabet, longest):
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(1, longest)))


def case_tree(rng):
    files = tree(rng)
    overrides = [override(rng, files) for _ in range(rng.choice([0, 0, 1, 1, 1, 2]))]
    return {"files": files, "overrides": overrides}


def case_value(rng):
    if rng.random() < 0.6:
        text = rng.choice(VALUES)
    else:
        words = ["a", "b1", "1", "0", "1.5", "true", "null", ",", ":", "[", "]", "{", "}", "'", '"', "\\", " ", "=",
                 "$", "${a}", "-", "+", ".", "/", "\\,", "\\\\", "(", ")", "@", "_", "e3", "inf", "str("]  # fmt: skip
        text = random_text(rng, words, 6)
    sign = rng.choice(["", "", "+", "++", "~"])
    if sign in ("", "~") and rng.random() < 0.05:
        return {"files": FIXED, "overrides": [f"{sign}a/b={text}"]}
    key = rng.choice(["x", "x", "c", "d", "d.a", "c.1", "new", "a.b", "x.y", "d.a.b", "x@p", "$x", "1.a", "x "])
    return {"files": FIXED, "overrides": [f"{sign}{key}={text}"]}


def case_interpolation(rng):
    if rng.random() < 0.5:
        every = INTERPOLATIONS * 2 + LOST + MALFORMED
        text = rng.choice(every) + rng.choice(["", "", rng.choice(every)])
    else:
        words = ["${a}", "${", "}", "a", "b", ".", "c", "[", "]", "1", ":", ",", " ", "'", '"', "\\", "$", "oc.env:", "RS_ONE",
                 "${a}", "oc.select:", "{", "-"]  # fmt: skip
        text = "${" * rng.randint(0, 1) + random_text(rng, words, 7)
    lines = FIXED["config.yaml"] + "z:\n  a: in\n  y: '" + text.replace("'", "''") + "'\n"
    return {"files": {"config.yaml": lines}, "overrides": []}


def case_scalar(rng):
    alphabets = ["-+.0123456789eE_", "0123456789xobn_aF", "0123456789:._", "truefalsnoyTRUEnl~", "-+.infINFa"]
    texts = {k: random_text(rng, rng.choice(alphabets), 6) for k in "abcdef"}
    lines = [f"{key}: {text}" for key, text in texts.items() if plausible(text)]
    return {"files": {"config.yaml": "\n".join(lines) + "\n"}, "overrides": []}


def plausible(text):
    """Not a list item or a nested map by accident."""
    return text != "-" and not text.endswith(":") and len(text.replace("_", "")) < 18


def case_sweep(rng):
    values = """1,2 a,b,c choice(a,b) choice(1,'x,y') range(3) range(1,4) range(0,10,3) range(5,0,-2) range(0,1,0.25)
    [1,2],[3] {a:1},{b:2} x 'a b',c null,1 str(1,2) int(1.5,2) range(stop=3,start=1) a\\,b,c ${a},${b} true,false
    "x",'y' choice([1],{a:b}) glob(*) glob(t*,exclude=[two]) 1.0,2.5 a:b,c range(0) str(range(2)) 1,,2
    """.split()
    keys = ["x", "a", "+new", "++d.a", "db", "d.a.b"]
    overrides = [f"{rng.choice(keys)}={rng.choice(values)}" for _ in range(rng.randint(1, 3))]
    files = FIXED | {"db/one.yaml": "a: 1\n", "db/two.yaml": "a: 2\n", "db/three.yaml": "a: 3\n"}
    return {"files": files, "overrides": overrides + rng.choice([[], ["~a"], ["b='q'"]]), "sweep": True}


MODEL = ["model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default",
         "model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default"]  # fmt: skip
NCU = "pipeline.ncu.ncu_cli"
BASE = [*MODEL, "pipeline.ncu.enable=true", "pipeline.nsys.enable=false", f"{NCU}.replay_mode=range",
        f"{NCU}.nvtx.include=*", "device=cuda:0"]  # fmt: skip
DOCUMENTED = [
    [], BASE, [*BASE, f"{NCU}.sections=[SpeedOfLight,Occupancy]"], [*BASE, f"{NCU}.kernel_name=regex:.*conv.*"],
    [*BASE, f"{NCU}.kernel_exclude=[regex:memcpy.*,regex:memset.*]"], [*BASE, f"{NCU}.nvtx.include='A;B;A::A1'"],
    [*BASE, f"{NCU}.nvtx.include=decode*"], [*BASE, f"{NCU}.nvtx.include=LLM@*"],
]  # fmt: skip


def case_project(rng, conf, number):
    presets = [p.stem for p in sorted((conf / "profiling/ncu").glob("*.yaml"))]
    overrides = list(DOCUMENTED[number % len(DOCUMENTED)])
    if number >= len(DOCUMENTED):
        extra = [
            f"profiling/ncu@pipeline.ncu={rng.choice(presets)}", "~profiling/nsys@pipeline.nsys", f"{NCU}.set=full",
            f"{NCU}.metrics=[a,b]", f"{NCU}.metrics=null", "pipeline.workload.command=[python,-c,'print(1)']",
            "+pipeline.workload.env.X=1", "run.dir=${oc.env:RS_TEXT}/x", f"{NCU}.launch_count=5", "pipeline.nsys.trace='cuda,nvtx'",
            f"{NCU}.replay_mod=range", "pipeline.ncu={enable:true}", f"~{NCU}.set", "device=${run.dir}", "+vars.x.y=${device}",
            "profiling/ncu@pipeline.ncu=nope", "profiling/ncu=ncu.high", f"++{NCU}.extra_args=[--verbose]", f"{NCU}.nvtx={{include:x}}",
        ]  # fmt: skip
        overrides += rng.sample(extra, rng.randint(1, 3))
    return {"dir": str(conf), "overrides": overrides}


KINDS = {"tree": case_tree, "value": case_value, "interpolation": case_interpolation, "scalar": case_scalar, "sweep": case_sweep}
SHARES = {"tree": 0.45, "value": 0.25, "interpolation": 0.15, "scalar": 0.05, "sweep": 0.06}


def cases(seed, count, conf, only):
    made = []
    for kind, share in SHARES.items():
        for number in range(math.ceil(count * share)):
            rng = random.Random(f"{seed}/{kind}/{number}")
            made.append({"kind": kind, "name": f"{kind}-{number}", **KINDS[kind](rng)})
    for number in range(max(math.ceil(count * 0.04), len(DOCUMENTED)) if conf else 0):
        rng = random.Random(f"{seed}/project/{number}")
        made.append({"kind": "project", "name": f"project-{number}", **case_project(rng, conf, number)})
    return [case for case in made if only in (None, case["kind"])]


# --- the two sides ----------------------------------------------------------------------------


def plain(value):
    """Values as JSON has them; keys as text, floats that JSON lacks as YAML's words."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else json.dumps(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return value


def compose_with_hydra(case):
    from hydra import compose, initialize_config_dir
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.hydra_config import HydraConfig
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.types import RunMode
    from omegaconf import OmegaConf, open_dict

    warnings.simplefilter("ignore")
    os.environ.update(ENV)
    # `# @package _group_` has its meaning only for trees of that version.
    base = "1.1" if any("@package _group_" in text for text in case.get("files", {}).values()) else "1.3"
    try:
        with initialize_config_dir(case["dir"], version_base=base):
            OmegaConf.register_new_resolver("now", NOW.strftime, replace=True)
            loader = GlobalHydra.instance().config_loader()
            if case.get("sweep"):
                parsed = OverridesParser.create(config_loader=loader).parse_overrides(case["overrides"])
                return {"runs": BasicSweeper.split_arguments(parsed, None)[0]}
            cfg = compose("config", case["overrides"], return_hydra_config=True)
            found = loader.compute_defaults_list("config", case["overrides"], RunMode.RUN).defaults
            if shares_nodes(found):
                return None
            HydraConfig.instance().set_config(cfg)
            with open_dict(cfg):
                del cfg["hydra"]
            raw = plain(OmegaConf.to_container(cfg, resolve=False))
            try:
                resolved = {"value": plain(OmegaConf.to_container(cfg, resolve=True))}
            except Exception as error:
                resolved = {"error": first_line(error)}
            return {"raw": raw, "resolved": resolved}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {first_line(error)}"}


def shares_nodes(found):
    """Hydra merges a file that is loaded twice, once of them at the root, into itself."""
    count = collections.Counter(item.config_path for item in found)
    return any(count[item.config_path] > 1 and not item.package for item in found)


def first_line(error):
    return (str(error).strip() or repr(error)).splitlines()[0]


def same(theirs, ours):
    if "error" in theirs or "error" in ours:
        return "error" in theirs and "error" in ours
    if json.dumps(theirs.get("raw")) != json.dumps(ours.get("raw")) or theirs.get("runs") != ours.get("runs"):
        return False
    return "runs" in theirs or same_values(theirs["resolved"], ours["resolved"])


def same_values(theirs, ours):
    return ("error" in theirs) == ("error" in ours) and json.dumps(theirs.get("value")) == json.dumps(ours.get("value"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compose")
    parser.add_argument("--conf", type=Path)
    parser.add_argument("--cases", type=int, default=1500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only")
    args = parser.parse_args()
    made = cases(args.seed, args.cases, args.conf and args.conf.resolve(), args.only)
    with tempfile.TemporaryDirectory() as folder:
        for case in made:
            case["cwd"], case["env"], case["config"] = os.getcwd(), ENV, "config"
            if "files" in case:
                case["dir"] = str(Path(folder, case["name"]))
                for name, text in case["files"].items():
                    path = Path(case["dir"], name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
        lines = "".join(json.dumps(case) + "\n" for case in made)
        done = subprocess.run([os.path.abspath(args.compose)], input=lines, capture_output=True, encoding="utf-8")
        if done.returncode != 0:
            sys.exit(f"{args.compose} ended with {done.returncode}: {done.stderr[-600:]}")
        ours = [json.loads(line) for line in done.stdout.splitlines()]
        # Unlike multiprocessing.Pool this one notices when a process dies.
        with concurrent.futures.ProcessPoolExecutor() as pool:
            theirs = list(pool.map(compose_with_hydra, made, chunksize=8))
    return conclude(made, theirs, ours)


def conclude(made, theirs, ours):
    counts, differences = collections.Counter(), []
    for case, hydra, rangescope in zip(made, theirs, ours, strict=True):
        if hydra is None:
            counts["left out (a file merged into itself)"] += 1
            continue
        failed = "error" in hydra
        unresolved = "error" in hydra.get("resolved", {})
        counts[f"{case['kind']}: {'errors' if failed else 'composed, not resolvable' if unresolved else 'composed'}"] += 1
        counts["compared"] += 1
        if not same(hydra, rangescope):
            differences.append((case, hydra, rangescope))
    for kind, count in sorted(counts.items()):
        print(f"  {kind:<40}{count:>8,}")
    for case, hydra, rangescope in differences[:SHOWN]:
        print(f"--- {case['name']} {case['overrides']}")
        for name, text in case.get("files", {}).items():
            print(f"  {name}: {text!r}")
        print(f"  hydra:      {json.dumps(hydra)[:1500]}\n  rangescope: {json.dumps(rangescope)[:1500]}")
    print(f"hydra: {counts['compared']:,} cases compared, {len(differences):,} differences")
    composed = {name.split(":")[0] for name in counts if ": composed" in name}
    empty = sorted({case["kind"] for case in made} - composed)
    if empty:
        print(f"hydra: nothing was composed of: {', '.join(empty)}")
    return 1 if differences or empty or not made else 0


if __name__ == "__main__":
    sys.exit(main())
