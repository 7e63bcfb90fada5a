"""Lines of source and instructions with what was counted at them."""

import re

from .seen import SOURCES, WITH_SOURCE, on

LINES = "#view-source .listing .grid-body .grid-row"
CHOSEN = f"{LINES}.active"


def shown_lines(browser):
    return browser.run(f"[...document.querySelectorAll('{LINES}')].sort((a, b) => a.dataset.at - b.dataset.at).map((row) => row.textContent)")


def files(browser):
    return browser.run("[...document.querySelectorAll('#file option')].map((one) => one.textContent)")


def to_line(browser, path, fragment):
    browser.leave()
    browser.open(path, fragment)
    browser.settle()
    browser.settle()


def link(file, line):
    return f"#view=source&file={file.replace('/', '%2F')}&line={line}"


@on("source")
def lines_show_what_was_counted(browser, path):
    browser.click("#view-tab-source")
    assert [re.sub(r" · .*", "", one) for one in files(browser)] == [f"src/kernels/file_{number}.cu" for number in range(4)]
    assert browser.count(CHOSEN) == 0 and browser.run("document.querySelector('#source-detail').hidden"), "nothing was chosen"
    hottest = [row for row in shown_lines(browser) if "value[60]" in row]
    assert hottest, "the hottest line is not in view"
    assert "long scoreboard 66.7 %" in hottest[0] and "60.00 µs" in hottest[0] and "6,000" in hottest[0], hottest
    to_line(browser, path, link("/src/kernels/file_1.cu", 60))
    detail = browser.text("#source-detail")
    for text in ["/src/kernels/file_1.cu:60", "60 samples", "6,000 instructions executed", "long scoreboard", "40 · 66.7 %", "issuing", "20 · 33.3 %"]:
        assert text in detail, (text, detail)
    title = browser.run(f"document.querySelector('{CHOSEN} [title]').title")
    assert title.split("\n") == ["long scoreboard: 40 (66.7 %)", "issuing: 20 (33.3 %)"], title


@on("source")
def instructions_open_under_their_line(browser, path):
    to_line(browser, path, link("/src/kernels/file_0.cu", 4))
    browser.run("document.querySelector('#view-source .listing').focus()")
    before = len(shown_lines(browser))
    browser.press("Right")
    assert browser.run(f"document.querySelector('{CHOSEN}').ariaExpanded") == "true"
    assert browser.count(f"{LINES}.instruction") > 0 and len(shown_lines(browser)) >= before
    browser.press("Down")
    assert "+0x40" in browser.text(CHOSEN) and "fma.rn.f32 %f4" in browser.text(CHOSEN), browser.text(CHOSEN)
    assert "+0x40" in browser.text("#source-detail")
    browser.press("Left", "Left")
    assert browser.count(f"{LINES}.instruction") == 0
    browser.press("Enter")
    assert browser.count(f"{LINES}.instruction") > 0, "Enter opens too"


@on("source")
def what_is_selected_has_its_own_lines(browser, path):
    browser.click("#view-tab-source")
    whole = browser.text(".source-title")
    assert whole.startswith("All selected results"), whole
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Down")
    browser.settle()
    region = browser.text(".source-title")
    assert region != whole and "all results" not in region.lower().replace("all selected results", ""), region
    rows = [row for row in shown_lines(browser) if "value[" in row and "%" in row]
    assert rows and all(re.search(r"value\[[246]\]", row) for row in rows), rows
    browser.run("document.querySelector('.box.kernel').click()")
    browser.settle()
    browser.settle()
    assert "wherever it is launched" in browser.text(".source-title"), browser.text(".source-title")
    assert files(browser) == ["src/kernels/file_0.cu · 100.0 %"], files(browser)


@on("source")
def the_place_is_in_the_address(browser, path):
    browser.click("#view-tab-source")
    browser.choose("#file", "2")
    browser.run(f"[...document.querySelectorAll('{LINES}')].find((row) => row.textContent.includes('value[60]')).click()")
    browser.settle()
    address = browser.run("location.hash")
    assert address == link("/src/kernels/file_2.cu", 60), address
    to_line(browser, path, address)
    assert "value[60]" in browser.text(CHOSEN)
    assert browser.run("document.querySelector('#file').value") == "2"
    browser.run("document.querySelector('#view-source .listing').focus()")
    browser.press("Down", "Down")
    browser.wait("location.hash.includes('line=62')")
    for wrong in ["#view=source&file=%2Fno&line=x", "#view=source&file=&line=99999999999", "#line=5&file=constructor&view=source"]:
        to_line(browser, path, wrong)
        assert browser.count(LINES) > 0, wrong


@on("source")
def tables_of_source_have_names(browser, _):
    browser.click("#view-tab-source")
    tree = browser.cdp("Accessibility.getFullAXTree")["nodes"]
    named = {node.get("name", {}).get("value") for node in tree if not node.get("ignored")}
    assert {"Source file", "Lines of the file"} <= named, named
    browser.run("document.querySelector('#view-source .listing').focus()")
    browser.press("Home")
    active = browser.run("document.activeElement.getAttribute('aria-activedescendant')")
    assert active and browser.count(f"#{active}") == 1


@on("hostile")
def hostile_lines_stay_text(browser, path):
    browser.click("#view-tab-source")
    for _ in range(2):
        browser.run("document.querySelector('#view-source .listing').focus()")
        browser.press("Home")
        for _ in range(12):
            browser.press("Down", "Down", "Right", "Down", "Left")
            assert browser.run("document.documentElement.scrollWidth <= innerWidth")
        browser.press("End")
        browser.choose("#file", browser.run("document.querySelector('#file').lastElementChild.value"))
    assert browser.run("window.hacked ?? null") is None
    assert browser.count("img, iframe, object, embed, #app svg[onload], [onerror], [onmouseover]") == 0
    shown = browser.run("document.querySelector('#view-source').innerText")
    acting = re.findall("[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\x00-\x08\x1b]", shown)
    assert not acting, acting
    assert browser.run("Math.max(...[...document.querySelectorAll('#view-source .code-text')].map((one) => one.textContent.length))") < 5000


@on("small", "bare")
def without_a_look_at_instructions_there_is_no_view(browser, _):
    assert browser.count("#view-tab-source") == 0


@on(WITH_SOURCE)
def the_page_says_what_the_program_says(browser, path):
    source = SOURCES[path.stem]
    for file in source["files"][:3]:
        line = max(file["lines"], key=lambda one: one["counts"]["time_ms"])
        to_line(browser, path, link(file["path"], line["line"]))
        chosen, counts = browser.text("#source-detail"), line["counts"]
        assert f"{counts['samples']:,} sample" in chosen and f"{counts['metrics']['inst_executed']:,} instruction" in chosen, (chosen, counts)
        for reason, samples in counts["stalls"].items():
            assert f"{'issuing' if reason == 'selected' else reason.replace('_', ' ')}{samples:,} · " in chosen, (reason, chosen)
        assert line["text"].strip() in chosen, (line["text"], chosen)
    region = source["regions"][0]
    hottest = region["lines"][0]
    file = source["files"][hottest["file"]]["path"]
    to_line(browser, path, f"{link(file, hottest['line'])}&region={region['path'][0]}")
    assert f"{hottest['counts']['samples']:,} sample" in browser.text("#source-detail")
