"""What the page has to do, seen as a user sees it. Each check gets a browser that has just opened its page."""

import json
import re

REGIONS = "#view-tree .grid-body .grid-row"


def selected(browser):
    return browser.text(".panel h2")


def boxes(browser):
    return browser.run("[...document.querySelectorAll('.icicle .box')].map((box) => box.textContent)")


def panel_tabs(browser):
    return browser.run("[...document.querySelectorAll('.panel [role=tab]')].map((tab) => tab.dataset.tab)")


def first_screen(browser, _):
    assert browser.text("#origin") == "Simulated"
    assert "made-up GPU" in browser.text(".head-facts")
    assert browser.text("#total").endswith("results"), browser.text("#total")
    kinds = browser.run("[...document.querySelectorAll('#facts .fact')].map((fact) => fact.dataset.fact)")
    assert len(kinds) == 5 and set(kinds) == {"heaviest", "limiter", "advice", "uncovered", "unlabeled"}, (
        kinds
    )
    assert browser.run("document.title").startswith("made-up.ncu-rep")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def click_zooms_in_and_out(browser, _):
    before = boxes(browser)
    browser.click('.box[aria-level="3"]')
    assert selected(browser) == "step.0", selected(browser)
    name = selected(browser)
    width = "parseFloat(document.querySelector('.box.active').style.width) / document.querySelector('.icicle-canvas').clientWidth"
    assert browser.run(width) > 0.99, "the box did not get the whole width"
    assert browser.count(".icicle-part .crumb") >= 2
    browser.click(".box:nth-child(1)")
    assert selected(browser) == "Everything selected"
    assert boxes(browser) == before, f"zoomed out of {name} something else is shown"


def keys_move_and_zoom(browser, _):
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Down")
    first = selected(browser)
    assert first == "stage.0", first
    browser.press("Down")
    assert selected(browser) == "step.0"
    browser.press("Down")
    layer = selected(browser)
    assert layer == "layers.0", layer
    browser.press("Right")
    assert selected(browser) == "layers.1", selected(browser)
    browser.press("Left")
    assert selected(browser) == layer
    browser.press("Enter")
    assert browser.run("parseFloat(document.querySelector('.box.active').style.width)") > 1000
    assert browser.text("#announcer").startswith("Zoomed to")
    browser.press("Escape")
    browser.press("Backspace")
    assert selected(browser) == "step.0", "what was zoomed out of is selected"
    browser.press("Up")
    assert selected(browser) == "stage.0", selected(browser)
    assert browser.run("document.activeElement.getAttribute('aria-activedescendant')").startswith("box-")


def search_marks_and_lists(browser, _):
    browser.press("/")
    assert browser.run("document.activeElement.id") == "search"
    browser.type("layers.1")
    hits = browser.run(
        "[...document.querySelectorAll('#hits [role=option] .label')].map((hit) => hit.textContent)"
    )
    assert hits and all("layers.1" in hit for hit in hits), hits
    assert browser.count(".box.hit") >= 1 and browser.count(".box.dim") >= 1
    listed = browser.run(
        f"[...document.querySelectorAll('{REGIONS} .label')].map((label) => label.textContent)"
    )
    assert "layers.1" in listed and "layers.0" not in listed, listed
    browser.press("Down", "Up", "Enter")
    assert selected(browser) == "layers.1", selected(browser)
    browser.press("/", "Escape")
    assert browser.count(".box.hit") == 0 and browser.run("document.querySelector('#search').value") == ""
    browser.press("Escape", "/")
    browser.type("stage.0::layers.1 norm")
    hits = browser.run(
        "[...document.querySelectorAll('#hits [role=option] .label')].map((hit) => hit.textContent)"
    )
    assert hits == ["stage.0::step.0::layers.1::norm"], hits
    browser.press(*["Backspace"] * 40)
    browser.type("no such thing")
    assert browser.text("#hits") == "Nothing found"


def scope_can_be_switched(browser, _):
    labels = browser.run("[...document.querySelectorAll('#scope optgroup')].map((group) => group.label)")
    assert labels == ["Aggregate", "Ranks", "Devices"], labels
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Down", "Down")
    before = selected(browser)
    browser.choose("#scope", "0")
    assert selected(browser) == before, "the region is not selected any more"
    assert "rank 0" in browser.run("document.querySelector('#scope').selectedOptions[0].textContent")
    assert browser.text("#announcer").startswith("Scope rank 0")


def table_folds_sorts_and_follows(browser, _):
    rows = browser.count(REGIONS)
    browser.click(f"{REGIONS} .twist")
    assert browser.count(REGIONS) < rows
    assert browser.run(f"document.querySelector('{REGIONS}').getAttribute('aria-expanded')") == "false"
    browser.run("document.querySelector('#view-tree .grid').focus()")
    browser.press("Home", "Right")
    assert browser.count(REGIONS) == rows
    browser.press("Right")
    inner = selected(browser)
    assert inner == "step.0", inner
    browser.press("Left", "Left")
    assert browser.count(REGIONS) < rows
    browser.press("Enter")
    assert browser.count(".icicle-part .crumb") >= 2, "Enter did not zoom the picture"
    browser.click("#flat")
    browser.click("#view-tree .sort[data-key=results]")
    column = "[...document.querySelectorAll('#view-tree .grid-body .grid-row')].map((row) => Number(row.children[4].textContent.replaceAll(',', '')))"
    results = browser.run(column)
    assert results == sorted(results, reverse=True), results
    browser.click("#view-tree .sort[data-key=results]")
    results = browser.run(column)
    assert results == sorted(results), results
    head = browser.run(
        "document.querySelector('#view-tree .sort[data-key=results]').parentElement.getAttribute('aria-sort')"
    )
    assert head == "ascending", head


def panel_shows_everything(browser, _):
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Down")
    browser.click(".panel [data-tab=sections]")
    assert "GPU Speed Of Light Throughput" in browser.text("#view-sections")
    assert "time-weighted mean, not exact" in browser.text("#view-sections")
    browser.click(".panel [data-tab=metrics]")
    browser.click("#view-metrics .filter")
    browser.type("throughput")
    names = browser.run(
        "[...document.querySelectorAll('#view-metrics .grid-body .mono')].map((cell) => cell.textContent)"
    )
    assert len(names) == 3 and all("throughput" in name for name in names), names
    browser.click(".panel [data-tab=kernels]")
    shown = browser.run(
        "[...document.querySelectorAll('#view-kernels .grid-body .label')].map((cell) => [cell.textContent, cell.title])"
    )
    assert shown and all(
        short.startswith("fused_op<Tile<") and full.startswith("void model::kernels::fused_op<")
        for short, full in shown
    ), shown
    browser.click("#view-kernels .grid-body .grid-row")
    assert browser.text(".full-name").startswith("void model::kernels::")
    assert "× 1 × 1" in browser.text("#view-kernels .detail")
    browser.click("#view-kernels .sort[data-key=calls]")
    calls = browser.run(
        "[...document.querySelectorAll('#view-kernels .grid-body .grid-row')].map((row) => Number(row.children[3].textContent))"
    )
    assert calls == sorted(calls, reverse=True), calls
    browser.click("#view-kernels .filter")
    browser.type("nothing has this name")
    assert browser.text("#view-kernels .grid-empty") == "No kernel"
    browser.run("document.querySelector('.panel [data-tab=kernels]').focus()")
    browser.press("Right")
    assert (
        browser.run("document.querySelector('.panel [data-tab=sections]').getAttribute('aria-selected')")
        == "true"
    )


def roofline_names_what_is_missing(browser, _):
    browser.press("2")
    text = browser.text("#view-roofline")
    assert "does not hold what a roofline needs" in text and "profiling/ncu=" in text, text


def colours_follow_the_metric_and_the_theme(browser, _):
    colour = "document.querySelectorAll('.icicle .box')[1].style.background"
    sm = browser.run(colour)
    browser.choose("#colour", "dram")
    dram = browser.run(colour)
    assert sm != dram
    browser.choose("#colour", "tensor")
    assert browser.run("document.querySelectorAll('.icicle .box')[1].classList.contains('plain')"), (
        "not measured has a colour"
    )
    browser.choose("#colour", "dram")
    browser.press("t")
    assert browser.run("document.documentElement.dataset.theme") == "dark"
    assert browser.run(colour) != dram
    browser.press("t")
    assert browser.run("document.documentElement.dataset.theme") == "light"
    browser.run("localStorage.clear()")
    browser.choose("#order", "time")
    widths = browser.run(
        "[...document.querySelectorAll('.icicle .box[aria-level=\"2\"]:not(.unlabeled)')].map((box) => parseFloat(box.style.width))"
    )
    assert widths == sorted(widths, reverse=True), widths


def many_regions_stay_quick(browser, _):
    assert browser.count(REGIONS) < 60, "the table is not virtual"
    assert browser.count(".icicle .box") < 3000
    browser.click("#view-tree .toolbar button")  # unfold all
    assert browser.text("#view-tree .toolbar .muted") == "5,000 regions"
    assert browser.count(REGIONS) < 80
    browser.run("document.querySelector('#view-tree .grid').focus()")
    browser.press("End")
    assert browser.run("document.querySelector('#view-tree .grid').scrollTop") > 100000
    assert browser.count(REGIONS) < 80
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Home", "Down", "Down", "Enter", "Down", "Right", "Enter")
    assert selected(browser).startswith("layers."), selected(browser)
    browser.press("/")
    browser.type("layers.7")
    assert "regions" in browser.text("#hits .hit-summary")
    assert browser.count("#hits li") <= 402


def narrow_regions_can_be_reached(browser, _):
    bundle = browser.run(
        "[...document.querySelectorAll('.box')].findIndex((box) => box.getAttribute('aria-label').includes('narrow region'))"
    )
    assert bundle >= 0, "nothing is narrow here"
    browser.click(f".box:nth-child({bundle + 1})")
    assert browser.count(".box.bundle") == 0
    level = browser.run(
        "Math.max(...[...document.querySelectorAll('.box')].map((box) => Number(box.getAttribute('aria-level'))))"
    )
    assert level >= 4, level


def kernels_are_virtual(browser, _):
    browser.click(".panel [data-tab=kernels]")
    rows = "#view-kernels .grid-body .grid-row"
    assert browser.count(rows) < 80
    assert browser.text("#view-kernels .toolbar .muted") == "3,000 kernels"
    browser.run("document.querySelector('#view-kernels .grid').focus()")
    browser.press("End")
    assert (
        browser.run("document.querySelector('#view-kernels .grid-row.active').getAttribute('aria-rowindex')")
        == "3001"
    )
    browser.click("#view-kernels .filter")
    browser.type("layout<float, 2999>")
    assert browser.count(rows) == 1


def hostile_names_do_nothing(browser, path):
    for key in ["1", "2", "3", "4"]:
        browser.press(key)
    browser.press("1")
    for tab in panel_tabs(browser):
        for node in range(1, 12):
            browser.run("document.querySelector('#icicle').focus()")
            browser.press("Down")
            browser.click(f".panel [data-tab={tab}]")
    browser.press("/")
    browser.type("<script>")
    browser.press("Enter")
    browser.hover(".box:nth-child(2)")
    assert browser.run("window.hacked ?? null") is None
    assert browser.count("img, iframe, object, embed, #app svg[onload], [onerror], [onmouseover]") == 0
    assert browser.count("script") == 3
    shown = browser.run("document.body.innerText")
    acting = re.findall("[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\x00-\x08\x1b]", shown)
    assert not acting, acting
    assert browser.run("Object.keys(Object.prototype).length") == 0
    source = path.read_text(encoding="utf-8")
    assert source.count("</script") == 3, "data ends its element"


def long_names_stay_out_of_the_way(browser, _):
    browser.press("/")
    browser.type("x<x<")
    browser.press("Enter")
    browser.click(".panel [data-tab=kernels]")
    browser.click("#view-kernels .grid-body .grid-row")
    longest = browser.run(
        "Math.max(...[...document.querySelectorAll('[title]')].map((one) => one.title.length))"
    )
    assert longest <= 2000, longest
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert len(browser.text(".full-name")) >= 10000


def prints_facts_and_regions(browser, _):
    pdf = browser.pdf()
    assert pdf.startswith(b"%PDF") and len(pdf) > 4000
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("getComputedStyle(document.querySelector('#app')).display") == "none"
    printed = browser.text("#print")
    assert "Region" in printed and "stage.0" in printed and "Where the time goes" in printed, printed[:300]
    assert "Simulated" in printed
    rows = browser.count("#print tbody tr")
    assert 20 <= rows <= 1001, rows
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.count("#print *") == 0
    browser.cdp("Emulation.setEmulatedMedia", media="")


def works_without_a_mouse(browser, _):
    stops = []
    browser.run("document.activeElement.blur()")
    for _ in range(60):
        browser.press("Tab")
        stop = browser.run(
            "(() => { const a = document.activeElement; if (a === document.body) return null; "
            "const s = getComputedStyle(a); return [a.id || a.className || a.tagName, a.matches(':focus-visible'), "
            "s.outlineStyle !== 'none' || a.matches('circle'), "
            "Boolean(a.getAttribute('aria-label') || a.textContent.trim() || a.labels?.length)]; })()"
        )
        if stop is None:
            break
        stops.append(stop)
    names = [stop[0] for stop in stops]
    for needed in [
        "scope",
        "search",
        "theme",
        "colour",
        "order",
        "icicle",
        "tab-tree",
        "flat",
        "tab-overview",
        "view-overview",
    ]:
        assert any(needed == name for name in names), (needed, names)
    for name, focused, ringed, named in stops:
        assert focused and ringed, f"no visible focus on {name}"
        assert named, f"no accessible name on {name}"


def roles_are_there(browser, _):
    tree = browser.cdp("Accessibility.getFullAXTree")["nodes"]
    roles = {node.get("role", {}).get("value") for node in tree if not node.get("ignored")}
    for needed in [
        "tree",
        "treeitem",
        "treegrid",
        "row",
        "gridcell",
        "columnheader",
        "tablist",
        "tab",
        "tabpanel",
        "combobox",
        "status",
        "main",
        "banner",
        "complementary",
    ]:
        assert needed in roles, (needed, sorted(filter(None, roles)))
    unnamed = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored")
        and node.get("role", {}).get("value")
        in {"button", "tab", "combobox", "treeitem", "searchbox", "checkbox", "tree", "treegrid"}
        and not node.get("name", {}).get("value")
    ]
    assert not unnamed, unnamed


def small_screens_do_not_scroll_sideways(browser, _):
    for width, height in ((800, 600), (480, 800), (1440, 900), (2560, 1300)):
        browser.resize(width, height)
        browser.settle()
        assert browser.run("document.documentElement.scrollWidth <= innerWidth"), f"at {width}"


def nothing_is_fetched(browser, path):
    assert browser.run("performance.getEntriesByType('resource').length") == 0
    policy = browser.run("document.querySelector('meta[http-equiv]').content")
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy, policy
    blocks = re.findall(
        r'<script type="application/json" id="(\w+)">(.*?)</script>',
        path.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert [name for name, _ in blocks] == ["report", "comparison"]
    for _, text in blocks:
        json.loads(text)
        assert "<" not in text


def every_view_opens(browser, _):
    for key in ["1", "2", "3", "4", "5", "1"]:
        browser.press(key)
    for tab in panel_tabs(browser):
        browser.click(f".panel [data-tab={tab}]")
    assert browser.run("window.hacked ?? null") is None


def changes_are_shown(browser, _):
    assert browser.run("document.querySelector('#colour').value") == "change"
    assert "compared with base.ncu-rep" in browser.text("h1")
    facts = browser.text("#facts")
    for part in ["The clocks were not locked <i>.", "Failed: time > 5%", "+11.1 %", "12 regions new, 1 gone"]:
        assert part in facts, (part, facts)
    rows = browser.run(
        "[...document.querySelectorAll('#view-changes .grid-body .grid-row')].map((row) => [...row.children].map((cell) => cell.textContent))"
    )
    verdicts = {row[5] for row in rows}
    assert "Higher, not judged" in verdicts and "Lower, not judged" in verdicts, verdicts
    assert any(row[0] == "gone <b>" and row[2] == "–" for row in rows), rows[:3]
    costs = "[...document.querySelectorAll('#view-changes .grid-body .grid-row')].map((row) => row.children[4].textContent)"
    browser.click("#view-changes .sort[data-key=relative]")
    relative = [float(text.replace("−", "-").replace(" %", "")) for text in browser.run(costs) if text != "–"]
    assert relative == sorted(relative, reverse=True) and relative[0] > 0, relative
    browser.click("#view-changes .grid-body .grid-row")
    assert "Compared with the base" in browser.text("#view-overview")
    assert "~50 %" in browser.text("#view-overview"), browser.text("#view-overview")
    painted = browser.run(
        "[...document.querySelectorAll('.icicle .box[aria-level=\"2\"]')].map((box) => box.style.background)"
    )
    assert painted[0].startswith("rgb("), painted
    browser.choose("#scope", "0")
    assert browser.text("#view-changes .grid-empty") == "This scope was not compared"


def roofline_is_drawn(browser, _):
    browser.click(".views [data-tab=roofline]")
    assert browser.count("#view-roofline circle.dot") > 40
    roofs = browser.run("[...document.querySelectorAll('.roof-name')].map((name) => name.textContent)")
    assert any("byte/s" in roof for roof in roofs) and any("flop/s" in roof for roof in roofs), roofs
    inside = "[...document.querySelectorAll('circle.dot')].every((dot) => Number.isFinite(Number(dot.getAttribute('cx'))) && Number(dot.getAttribute('cy')) > 0)"
    assert browser.run(inside), "a point is outside of the picture"
    browser.run("document.querySelector('circle.dot[tabindex=\"0\"]').focus()")
    tip = browser.text("#tooltip")
    assert "operations per DRAM byte" in tip and "attainable" in tip, tip
    browser.press("Right")
    assert browser.text("#tooltip") != tip
    points = browser.count("circle.dot")
    browser.press("Enter")
    assert selected(browser) != "Everything selected"
    assert browser.count("circle.dot") < points, "the picture does not follow the selection"
    browser.run("document.querySelector('.box').parentElement.firstChild.click()")
    browser.click("#roofline-table")
    assert browser.run("document.querySelector('#view-roofline .grid').getAttribute('aria-rowcount')") == str(
        points + 1
    )
    browser.click("#roofline-table")
    browser.choose("#roofline-of", "kernels")
    assert "fused_op<" in browser.run("document.querySelector('circle.dot').getAttribute('aria-label')")


CHECKS = [
    ("small", first_screen), ("small", click_zooms_in_and_out), ("small", keys_move_and_zoom), ("small", search_marks_and_lists),
    ("small", scope_can_be_switched), ("small", table_folds_sorts_and_follows), ("small", panel_shows_everything),
    ("small", roofline_names_what_is_missing), ("small", colours_follow_the_metric_and_the_theme), ("small", prints_facts_and_regions),
    ("small", works_without_a_mouse), ("small", roles_are_there),
    ("many", many_regions_stay_quick), ("many", narrow_regions_can_be_reached), ("many", prints_facts_and_regions),
    ("compared", changes_are_shown), ("compared", roofline_is_drawn), ("kernels", kernels_are_virtual), ("hostile", hostile_names_do_nothing), ("hostile", long_names_stay_out_of_the_way),
]  # fmt: skip
FOR_ALL = [every_view_opens, nothing_is_fetched, small_screens_do_not_scroll_sideways]
