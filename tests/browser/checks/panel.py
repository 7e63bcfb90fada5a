"""The panel of what is selected, and the other views."""

from .seen import ADVICE, WITH_ADVICE, on, panel_tabs, selected


@on("small")
def panel_shows_everything(browser, _):
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Down")
    browser.click(".panel [data-tab=sections]")
    assert "GPU Speed Of Light Throughput" in browser.text("#panel-sections")
    assert "time-weighted mean, not exact" in browser.text("#panel-sections")
    browser.click(".panel [data-tab=metrics]")
    browser.click("#panel-metrics .filter")
    browser.type("throughput")
    names = browser.run(
        "[...document.querySelectorAll('#panel-metrics .grid-body .mono')].map((cell) => cell.textContent)"
    )
    assert len(names) == 3 and all("throughput" in name for name in names), names
    browser.click(".panel [data-tab=kernels]")
    shown = browser.run(
        "[...document.querySelectorAll('#panel-kernels .grid-body .label')].map((cell) => [cell.textContent, cell.title])"
    )
    assert shown and all(
        short.startswith("fused_op<Tile<") and full.startswith("void model::kernels::fused_op<")
        for short, full in shown
    ), shown
    browser.click("#panel-kernels .grid-body .grid-row")
    assert browser.text(".full-name").startswith("void model::kernels::")
    assert "× 1 × 1" in browser.text("#panel-kernels .detail")
    browser.click("#panel-kernels .sort[data-key=calls]")
    calls = browser.run(
        "[...document.querySelectorAll('#panel-kernels .grid-body .grid-row')].map((row) => Number(row.children[3].textContent))"
    )
    assert calls == sorted(calls, reverse=True), calls
    browser.click("#panel-kernels .filter")
    browser.type("nothing has this name")
    assert browser.text("#panel-kernels .grid-empty") == "No kernel"
    browser.run("document.querySelector('.panel [data-tab=kernels]').focus()")
    browser.press("Right")
    assert (
        browser.run("document.querySelector('.panel [data-tab=sections]').getAttribute('aria-selected')")
        == "true"
    )


@on("kernels")
def kernels_are_virtual(browser, _):
    browser.click(".panel [data-tab=kernels]")
    rows = "#panel-kernels .grid-body .grid-row"
    assert browser.count(rows) < 80
    assert browser.text("#panel-kernels .toolbar .muted") == "3,000 kernels"
    browser.run("document.querySelector('#panel-kernels .grid').focus()")
    browser.press("End")
    assert (
        browser.run("document.querySelector('#panel-kernels .grid-row.active').getAttribute('aria-rowindex')")
        == "3001"
    )
    browser.click("#panel-kernels .filter")
    browser.type("layout<float, 2999>")
    assert browser.count(rows) == 1


@on("small")
def roofline_names_what_is_missing(browser, _):
    browser.press("2")
    text = browser.text("#view-roofline")
    assert "does not hold what a roofline needs" in text and "profiling/ncu=" in text, text


@on("compared")
def roofline_is_drawn(browser, _):
    browser.click(".views [data-tab=roofline]")
    assert browser.count("#view-roofline circle.dot") > 40
    roofs = browser.run("[...document.querySelectorAll('.roof-name')].map((name) => name.textContent)")
    assert any("GB/s" in roof for roof in roofs) and any("flop/s" in roof for roof in roofs), roofs
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


@on("compared")
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
    assert "Compared with the base" in browser.text("#panel-overview")
    assert "~50 %" in browser.text("#panel-overview"), browser.text("#panel-overview")
    painted = browser.run(
        "[...document.querySelectorAll('.icicle .box[aria-level=\"2\"]')].map((box) => box.style.background)"
    )
    assert painted[0].startswith("rgb("), painted
    browser.choose("#scope", "1")
    assert browser.text("#view-changes .grid-empty") == "This scope was not compared"


@on("bare")
def without_regions_kernels_come_first(browser, _):
    assert "No NVTX range was open" in browser.text("#no-regions") and "--nvtx" in browser.text("#no-regions")
    assert browser.count("#icicle, #view-tree, [role=tree], [role=treegrid]") == 0
    tabs = browser.run("[...document.querySelectorAll('.views [role=tab]')].map((tab) => tab.textContent)")
    assert tabs == ["Kernels", "Roofline", "Advice", "About"], tabs
    names = browser.run("[...document.querySelectorAll('#view-kernels .grid-body .label')].map((one) => one.textContent)")
    assert names == ["flash_fwd_kernel<128, 64>", "reduce<float>"], names
    assert "flash_fwd_kernel" in browser.text("#view-kernels .detail"), "the heaviest kernel is open"
    assert "LongScoreboard" not in browser.text("#view-kernels .detail")
    panel = browser.text("#panel-overview")
    for part in ["Limiter", "GPU Speed Of Light Throughput", "LongScoreboard", "3.000 ms"]:
        assert part in panel, (part, panel)
    assert panel_tabs(browser) == ["overview", "sections", "metrics", "charts", "advice"]
    browser.click("#view-kernels .grid-body .grid-row:nth-child(2)")
    assert "LongScoreboard" in browser.text("#view-kernels .detail"), "the rule about this kernel"
    browser.click("#panel [data-tab=sections]")
    assert "Achieved Occupancy" in browser.text("#panel-sections")
    browser.click(".views [data-tab=about]")
    browser.press("/")
    browser.type("flash")
    browser.press("Enter")
    assert "flash_fwd_kernel" in browser.text("#view-kernels .detail") and browser.run(
        "document.querySelector('#view-kernels').hidden"
    ) is False


@on(WITH_ADVICE)
def advice_is_that_of_the_command(browser, path):
    """The page's findings are those of `rangescope advice --format json`, in the order in which it tells them."""
    advice = ADVICE[path.stem]
    findings = advice["findings"]
    browser.click(".views [data-tab=advice]")
    shown = browser.run(
        "[...document.querySelectorAll('#view-advice article')].map((card) => [card.querySelector('h4').textContent, card.querySelector('.severity').textContent])"
    )
    word = lambda one: "Note" if one["kind"] == "note" else one["severity"].capitalize()  # noqa: E731
    expected = [[one["title"], word(one)] for one in findings][:60]
    assert shown == expected, (shown, expected)
    assert expected, "nothing was compared"


@on("small", "many")
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
