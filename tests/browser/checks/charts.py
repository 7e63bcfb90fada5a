"""The charts of what is selected: complete, inside of their places, and those of `rangescope kernel`."""

import json
import subprocess

from .seen import PROGRAM, REPORTS, WITH_SOURCE, on, row_of, selected

KERNEL = "#kernel-charts"
REGION = "#panel-charts"
# The page has to stay small enough to be sent and opened.
MOST_BYTES = 15_000_000


def chart(browser, pane, name):
    return browser.text(f"{pane} .chart-{name}") or ""


def names(browser, pane, name):
    return browser.run(f"[...document.querySelectorAll('{pane} .chart-{name} .chart-name')].map((one) => one.textContent)")


def open_kernel(browser, name):
    browser.run(
        "[...document.querySelectorAll('.box.kernel')].find((box) => box.getAttribute('aria-label').includes(arguments[0])).click()",
        name,
    )
    browser.settle()
    browser.click("#kernel-tab-charts")


def picture_is_whole(browser, pane):
    """Words stand in their boxes, lines between them, and no number on another."""
    wrong = browser.run(
        """((pane) => {
          const wrong = [];
          const picture = document.querySelector(`${pane} .memory`);
          const all = picture.getBoundingClientRect();
          const inside = (one, box, by) => one.left >= box.left - by && one.right <= box.right + by && one.top >= box.top - by && one.bottom <= box.bottom + by;
          for (const group of picture.children) {
            const unit = group.querySelector('.unit')?.getBoundingClientRect();
            for (const text of group.querySelectorAll('text')) {
              if (!inside(text.getBoundingClientRect(), unit ?? all, 1)) wrong.push(text.textContent);
            }
          }
          const labels = [...picture.querySelectorAll('.flow-text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
          const units = [...picture.querySelectorAll('.unit')].map((unit) => ['', unit.getBoundingClientRect()]);
          labels.forEach(([one, box], at) => {
            for (const [other, around] of [...labels.slice(at + 1), ...units]) {
              if (box.left < around.right - 1 && around.left < box.right - 1 && box.top < around.bottom - 3 && around.top < box.bottom - 3) wrong.push(`${one} on ${other}`);
            }
          });
          return wrong;
        })(arguments[0])""",
        pane,
    )
    assert not wrong, wrong


@on("layers")
def a_kernel_has_its_charts(browser, _):
    open_kernel(browser, "gemm_mlp")
    heads = browser.run(f"[...document.querySelectorAll('{KERNEL} h3')].map((one) => one.textContent)")
    expected = ["Memory", "Warp states", "Pipes", "Instructions by opcode", "Over the time of a launch", "Occupancy", "Roofline", "Not collected"]
    assert heads == expected, heads
    assert names(browser, KERNEL, "states")[0] == "Long scoreboard" and names(browser, KERNEL, "states")[-1] == "Issuing"
    shares = browser.run(f"[...document.querySelectorAll('{KERNEL} .chart-states .chart-value:not(.muted)')].map((one) => parseFloat(one.textContent))")
    assert abs(sum(shares) - 100) < 0.5, shares
    assert shares[:-1] == sorted(shares[:-1], reverse=True), shares
    assert names(browser, KERNEL, "pipes")[0] == "tensor, floating point"
    assert "4 blocks per SM, limited by registers" in chart(browser, KERNEL, "occupancy")
    links = browser.count(f"{KERNEL} .memory .flow")
    browser.click(f"{KERNEL} .chart-memory summary")
    rows = browser.run(f"[...document.querySelectorAll('{KERNEL} .chart-memory tr')].map((row) => row.textContent)")
    table = browser.run(f"document.querySelector('{KERNEL} .chart-memory table').rows.length - 1")
    assert links >= 10 and table == links, (links, table, rows)
    assert any("device memory" in row and "GB" in row for row in rows), rows
    # What was not measured is drawn, and says so.
    assert browser.count(f"{KERNEL} .flow.unknown") == 2
    for width in (1100, 1440, 1920):
        browser.resize(width, 900)
        browser.settle()
        picture_is_whole(browser, KERNEL)
    browser.hover(f"{KERNEL} .memory g:last-child .unit")
    assert "other half of L2" in browser.text("#tooltip")


@on("layers")
def a_launch_is_shown_over_its_time(browser, _):
    open_kernel(browser, "gemm_mlp")
    assert browser.count(f"{KERNEL} .series") == 2, "a series without a number is none"
    paths = browser.run(f"[...document.querySelectorAll('{KERNEL} .series .area')].map((one) => one.getAttribute('d'))")
    assert [path.count("M") for path in paths] == [1, 2], "where there are no samples, there is a gap"
    assert all("NaN" not in path for path in paths)
    assert "max 90.0 %" in chart(browser, KERNEL, "samples") and "200.00 µs" in chart(browser, KERNEL, "samples")
    assert "HMMA" in chart(browser, KERNEL, "opcodes")
    open_kernel(browser, "rms_norm")
    assert chart(browser, KERNEL, "samples") == "", "the samples of another kernel"


@on("layers")
def regions_and_families_have_theirs(browser, _):
    browser.click("#panel-tab-charts")
    amounts = []
    for label in [None, "layers.*", "mlp"]:
        if label:
            browser.click(row_of(browser, label))
        assert "Long scoreboard" in chart(browser, REGION, "states"), selected(browser)
        amounts.append(browser.text(f"{REGION} .flow-text"))
        picture_is_whole(browser, REGION)
    assert len(set(amounts)) == 3, amounts
    assert "the heaviest kernel here" in chart(browser, REGION, "samples")
    assert "#" in browser.run("location.href") and "tab=charts" in browser.run("location.hash")


@on("small")
def what_was_not_collected_names_its_section(browser, _):
    browser.click("#panel-tab-charts")
    text = browser.text("#region-missing")
    for section in ["MemoryWorkloadAnalysis_Tables", "WarpStateStats", "ComputeWorkloadAnalysis", "Occupancy"]:
        assert f"--section {section} of ncu" in text, (section, text)
    assert "stand in single results" in text and "rangescope kernel" in text, text
    browser.click(".box.kernel")
    browser.click("#kernel-tab-charts")
    text = browser.text("#kernel-missing")
    assert "only the key metrics of each kernel" in text and "rangescope kernel" in text and "--kernel" in text, text


@on("kernels")
def the_heaviest_kernels_have_charts(browser, path):
    size = path.stat().st_size
    assert size <= MOST_BYTES, size
    browser.click(".panel [data-tab=charts]")
    assert browser.count(f"{REGION} .memory") == 1
    browser.click(row_of(browser, "region.0"))
    browser.click(".panel [data-tab=kernels]")
    browser.click("#panel-kernels .grid-body .grid-row")
    browser.click("#panel-kernels [data-to=charts]")
    assert browser.count(f"{KERNEL} .memory") == 1
    browser.click(".crumb:last-child")
    browser.run("document.querySelector('#panel-kernels .grid').focus()")
    browser.press("End")
    browser.click("#panel-kernels [data-to=charts]")
    text = browser.text(KERNEL)
    assert "no room for the charts of this kernel" in text and "rangescope kernel" in text, text
    assert browser.count(f"{KERNEL} .memory") == 0


@on("compared")
def the_roofline_shows_what_is_selected(browser, _):
    browser.click(".views [data-tab=roofline]")
    browser.click(".box.kernel")
    browser.click("#kernel-tab-charts")
    assert "DRAM" in chart(browser, KERNEL, "roofline") and "flop/s" in chart(browser, KERNEL, "roofline")
    browser.click(f"{KERNEL} [data-to=roofline]")
    assert browser.count("circle.dot.own") >= 1
    own = browser.run("document.querySelector('circle.dot.own').getAttribute('aria-label')")
    assert own.startswith(selected(browser)), (own, selected(browser))
    assert "points=kernels" in browser.run("location.hash")


@on("bare")
def a_kernel_without_regions_has_charts(browser, _):
    browser.click("#view-kernels [data-to=charts]")
    assert selected(browser).startswith("flash_fwd_kernel")
    assert "Occupancy" in browser.text(KERNEL)
    browser.click(".crumb")
    assert selected(browser) == "Everything selected"


@on(WITH_SOURCE)
def charts_are_those_of_the_command(browser, path):
    """What `rangescope kernel` says of the heaviest kernel."""
    report = REPORTS[path.stem]
    told = json.loads(subprocess.check_output([*PROGRAM, "kernel", report, "--format", "json"]))
    details = told["details"]
    if browser.count("#view-kernels [data-to=charts]") > 0:
        browser.click("#view-kernels [data-to=charts]")
    else:
        open_kernel(browser, "")
    states = [one["name"] for one in details["stalls"]["states"] if (one["share"] or 0) >= 0.001]
    assert names(browser, KERNEL, "states") == states
    assert [one["name"] for one in details["pipes"] if one["name"]][:3] == names(browser, KERNEL, "pipes")[:3]
    first = details["pipes"][0]["cycles_pct"] or details["pipes"][0]["instructions_pct"]
    assert f"{first['value']:.1f} %" in chart(browser, KERNEL, "pipes")
    busy = [one for one in details["memory"]["links"] if (one["amount"] or one.get("rate") or {"value": 1})["value"] > 0]
    assert browser.run(f"document.querySelector('{KERNEL} .chart-memory table').rows.length - 1") == len(busy)
    assert (told["pm_sampling"] is not None) == (browser.count(f"{KERNEL} .series") > 0)
