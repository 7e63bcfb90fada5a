"""What is copied works: patterns select just that region, commands can be pasted into a shell."""

import json
import shlex
import subprocess

from .seen import DOCUMENTS, PROGRAM, on, row_of, selected, unfold

# The clipboard of a page from disk is not to be had here; what is copied the old way is caught on its way.
CATCH = (
    "(() => { window.copied = []; const run = document.execCommand.bind(document); "
    "document.execCommand = (what) => { window.copied.push(document.activeElement.value); return run(what); }; "
    "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true }); })()"
)


def copied(browser, selector):
    browser.click(selector)
    browser.settle()
    assert browser.text("#announcer") == "Copied", browser.text("#announcer")
    return browser.run("window.copied.at(-1)")


def regions(report, pattern):
    """The outermost regions that a pattern selects, as the program tells it."""
    command = [*PROGRAM, "report", *report, "--region", pattern, "--format", "json", "--scope", "aggregate"]
    document = json.loads(subprocess.check_output(command))
    paths = [one["path"] for one in document["reports"][0]["regions"]]
    return [path for path in paths if path[:-1] not in paths]


@on("sample")
def a_pattern_selects_just_that_region(browser, _):
    browser.run(CATCH)
    unfold(browser)
    for label, depth in [("prefill", 1), ("layers.0", 2), ("attn", 3)]:
        browser.click(row_of(browser, label))
        pattern, path = copied(browser, "#copy-pattern"), selected_path(browser)
        assert path[-1] == label and len(path) == depth, path
        assert regions(["--sample"], pattern) == [path], (pattern, path)


def selected_path(browser):
    """The regions around the selected one, as the panel names them, and itself; families are no regions."""
    names = browser.run("[...document.querySelectorAll('.panel .crumb, .panel-title h2')].map((one) => one.textContent)")
    return [name for name in names if "×" not in name]


@on("sample")
def commands_can_be_pasted(browser, path):
    browser.run(CATCH)
    unfold(browser)
    browser.click(row_of(browser, "attn"))
    lines = [copied(browser, f"#commands li:nth-child({at}) .copy") for at in (1, 2, 3)]
    assert lines[0] == f"rangescope report sample.ncu-rep --region {'/'.join(selected_path(browser))}", lines
    assert lines[1].startswith("rangescope advice sample.ncu-rep --region "), lines
    focused = browser.run("document.activeElement.textContent")
    assert focused in {"Copy", "Copied"}, "the focus is where it was"
    words = shlex.split(lines[0])
    words[words.index("sample.ncu-rep")] = "--sample"
    subprocess.run([*PROGRAM, *words[1:]], check=True, stdout=subprocess.DEVNULL)
    # A kernel in it, with a name full of what a shell would take apart.
    browser.click(".box.kernel")
    line = copied(browser, "#kernel-commands li:nth-child(1) .copy")
    words = shlex.split(line)
    names = {one["kernel_name"] for one in DOCUMENTS[path.stem]["reports"][0]["totals"]["kernels"]}
    kernel = words[words.index("--kernel") + 1]
    assert kernel in names and kernel.startswith(selected(browser)) and "(" in kernel, line


@on("hostile")
def hostile_names_are_quoted(browser, _):
    """Every line is one command whose words hold nothing that acts on a terminal."""
    browser.run(CATCH)
    browser.click("#view-tree .toolbar button")
    browser.run("document.querySelector('#view-tree .grid').focus()")
    browser.press("Home")
    seen = set()
    for _ in range(40):
        section = "#kernel-commands" if browser.count("#kernel-overview:not([hidden])") else "#commands"
        line = copied(browser, f"{section} li:nth-child(1) .copy")
        words = shlex.split(line)
        assert words[:2] == ["rangescope", "report"], words
        assert not any(ord(one) < 32 or one in "\u202e\u200b\u2028" for one in line), line
        if "--region" in words:
            seen.add(words[words.index("--region") + 1])
        browser.run("document.querySelector('#view-tree .grid').focus()")
        browser.press("Down")
    assert len(seen) > 8, seen
