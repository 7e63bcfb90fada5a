"""Prints an apt source (deb822) for SUITE and COMPONENTS, at the mirror this machine takes its own
Debian release from, with the options (keys, trust) it uses there.

    apt_source.py SUITE COMPONENTS
"""

import re
import sys
from pathlib import Path

APT = Path("/etc/apt")
OWN = ("types", "suites", "components", "enabled")


def entries():
    """Every binary source as {field: value}, from both formats of apt."""
    folder = APT / "sources.list.d"
    for path in [APT / "sources.list", *sorted(folder.glob("*.list"))]:
        if path.exists():
            yield from one_line(path.read_text())
    for path in sorted(folder.glob("*.sources")):
        yield from deb822(path.read_text())


def one_line(text):
    pattern = r"^\s*deb\s+(?:\[([^]]*)\]\s*)?(\S+)\s+(\S+)\s+([^#\n]+)"
    for options, uri, suite, components in re.findall(pattern, text, re.MULTILINE):
        entry = {"uris": uri, "suites": suite, "components": components}
        for option in options.split():
            key, _, value = option.partition("=")
            key = {"arch": "architectures", "lang": "languages"}.get(key, key)
            entry[key] = value.replace(",", " ")
        yield entry


def deb822(text):
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    for stanza in re.split(r"\n\s*\n", text):
        # A value goes on over the following lines that start with a blank.
        fields = re.findall(r"^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)", stanza, re.MULTILINE)
        entry = {key.lower(): value for key, value in fields}
        if "deb" in entry.get("types", "").split() and entry.get("enabled", "yes") != "no":
            yield entry


def main():
    suite, components = sys.argv[1:]
    release = re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(), re.MULTILINE)
    names = {release[1] if release else "", "stable", "oldstable", "testing"}
    for entry in entries():
        if names & set(entry.get("suites", "").split()) and "main" in entry["components"].split():
            options = "".join(f"{k}: {v}\n" for k, v in entry.items() if k not in OWN)
            print(f"Types: deb\nSuites: {suite}\nComponents: {components}\n{options}", end="")
            return
    sys.exit("no Debian archive among the sources of apt")


if __name__ == "__main__":
    main()
