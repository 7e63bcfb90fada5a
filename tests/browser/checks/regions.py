"""The first screen, the icicle and the table of regions."""

from .seen import REGIONS, boxes, on, selected


@on("small")
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


@on("small")
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


@on("small")
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


@on("small")
def scope_can_be_switched(browser, _):
    labels = browser.run("[...document.querySelectorAll('#scope optgroup')].map((group) => group.label)")
    assert labels == ["Aggregate", "Ranks", "Devices"], labels
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Down", "Down")
    before = selected(browser)
    browser.choose("#scope", "1")
    assert selected(browser) == before, "the region is not selected any more"
    assert "rank 0" in browser.run("document.querySelector('#scope').selectedOptions[0].textContent")
    assert browser.text("#announcer").startswith("Scope rank 0")


@on("small")
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


@on("small")
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


@on("many")
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


@on("many")
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
