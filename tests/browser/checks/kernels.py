"""Kernels as the leaves of the tree."""

import json

from .seen import DOCUMENTS, REGIONS, boxes, on, selected, unfold

KERNELS = "#view-tree .grid-row.kernel"
LEAVES = "[...document.querySelectorAll('.box.kernel')]"


@on("sample")
def kernels_are_leaves(browser, path):
    """Every kernel of every region, with its calls and its time, is that of the document: of a region without what is inside of it."""
    report = DOCUMENTS[path.stem]["reports"][0]
    expected = []
    for region in [*report["regions"], {**report["unlabeled"], "path": None, "exclusive_kernel_count": report["unlabeled"]["kernel_count"]}]:
        inside = [one for one in report["regions"] if region["path"] and one["path"][:-1] == region["path"]]
        own = 0
        for kernel in region["kernels"]:
            within = [one for child in inside for one in child["kernels"] if one["kernel_name"] == kernel["kernel_name"]]
            calls = kernel["calls"] - sum(one["calls"] for one in within)
            ms = kernel["total_ms"] - sum(one["total_ms"] for one in within)
            own += calls
            if calls > 0:
                expected.append((kernel["kernel_name"], calls, f"{ms:.3f}"))
        assert own == region["exclusive_kernel_count"], region["path"]
    assert len(expected) > 10
    unfold(browser)
    browser.resize(1440, 6000)
    browser.settle()
    shown = browser.run(
        f"[...document.querySelectorAll('{KERNELS}')].map((row) => [row.querySelector('.label').title, "
        "Number(row.children[4].textContent), row.children[1].textContent])"
    )
    assert sorted(map(tuple, shown)) == sorted(expected), (sorted(map(tuple, shown)), sorted(expected))
    assert browser.text("#kernels + span") == f"Kernels ({len(expected)})"


@on("small")
def kernels_look_and_sound_like_kernels(browser, _):
    assert browser.count(".box.kernel") > 5
    labels = browser.run(f"{LEAVES}.map((box) => box.getAttribute('aria-label'))")
    assert all(label.startswith("kernel ") or "narrow kernel" in label for label in labels), labels
    assert "directly in " in labels[0] and "launch" in labels[0], labels[0]
    heights = browser.run(
        "[document.querySelector('.box.kernel').offsetHeight, document.querySelector('.box:not(.kernel)').offsetHeight]"
    )
    assert heights[0] < heights[1], heights
    foot = f"{LEAVES}.map((box) => box.style.getPropertyValue('--foot'))"
    before = browser.run(foot)
    assert any(colour.startswith("rgb(") for colour in before), before
    browser.choose("#colour", "dram")
    assert browser.run(foot) != before, "the foot does not have the colour of the metric"
    row = browser.run(f"document.querySelector('{KERNELS}').textContent")
    assert row.startswith("kernel "), row


@on("sample")
def a_kernel_is_described_in_the_panel(browser, path):
    report = DOCUMENTS[path.stem]["reports"][0]
    mlp = next(one for one in report["regions"] if one["path"] == ["prefill", "layers.0", "mlp"])
    kernel = mlp["kernels"][0]
    name = kernel["kernel_name"].split("(")[0]
    unfold(browser)
    browser.settle()
    at = browser.run(
        f"{LEAVES}.findIndex((box) => box.getAttribute('aria-label').startsWith(`kernel ${{arguments[0]}},`) && "
        "box.getAttribute('aria-label').includes('prefill::layers.0::mlp'))",
        name,
    )
    browser.run(f"{LEAVES}[{at}].dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
    browser.settle()
    assert selected(browser) == name
    assert browser.text(".panel .crumbs") == "prefilllayers.* ×4layers.0mlp"
    text = browser.text("#kernel-overview")
    shape = kernel["launch_shapes"][0]
    for part in [
        f"{kernel['share'] * 100:.1f} %", "Limiter", " × ".join(map(str, shape["grid"])), " × ".join(map(str, shape["block"])),
        "SM throughput", "Where it is launched",
    ]:  # fmt: skip
        assert part in text, (part, text)
    limits = kernel["limits"][0]
    assert limits["limit"].replace("_", " ") in browser.text("#kernel-limits .chip").lower(), limits
    # Where else it is, each a step away.
    places = browser.run("[...document.querySelectorAll('#places .label')].map((label) => label.textContent)")
    assert len(places) >= 2 and "prefill::layers.0::mlp" in places, places
    other = next(at for at, place in enumerate(places) if place != "prefill::layers.0::mlp")
    browser.click(f"#places .share-row:nth-child({other + 1})")
    assert selected(browser) == name
    assert browser.text("#places .here") == places[other]
    browser.click("#kernel-tab-metrics")
    assert browser.count("#kernel-metrics tbody tr") >= len(kernel["metrics"]) > 0
    browser.click(".panel .crumb:last-child")
    assert browser.count("#panel-overview:not([hidden])") == 1, "the region's panel is back"


@on("small")
def kernels_are_reached_by_keys(browser, _):
    browser.run("document.querySelector('#icicle').focus()")
    for _ in range(6):
        browser.press("Down")
        if browser.count(".box.kernel.active") > 0:
            break
    assert browser.count(".box.kernel.active") == 1, selected(browser)
    name = selected(browser)
    assert browser.text("#announcer").startswith(f"kernel {name}"), browser.text("#announcer")
    browser.press("Enter")
    assert browser.text("#announcer").endswith("described in the panel")
    assert browser.count(".icicle-part .crumb") == 0, "a kernel is not zoomed into"
    browser.press("Up")
    assert browser.count(".box.kernel.active") == 0
    browser.run("document.querySelector('#view-tree .grid').focus()")
    browser.press("Right", "Right")
    for _ in range(20):
        browser.press("Down")
        if browser.count(f"{KERNELS}.active") > 0:
            break
    assert browser.count(f"{KERNELS}.active") == 1 and browser.count("#kernel-overview:not([hidden])") == 1
    browser.press("Left")
    assert browser.count(f"{KERNELS}.active") == 0 and browser.count(f"{REGIONS}.active") == 1, "Left goes to the region"


@on("small")
def kernels_can_be_hidden(browser, _):
    before = boxes(browser)
    browser.click("#kernels")
    assert browser.count(".box.kernel") == 0 and browser.count(KERNELS) == 0
    assert len(boxes(browser)) < len(before)
    browser.click("#kernels")
    assert boxes(browser) == before


@on("kernels")
def many_kernels_stay_out_until_asked_for(browser, path):
    assert browser.run("document.querySelector('#kernels').checked") is False
    assert "more than 200" in browser.run("document.querySelector('#kernels').parentElement.title")
    assert browser.count(".box.kernel") == 0 and browser.count(KERNELS) == 0
    browser.click("#kernels")
    assert 0 < browser.count(".box.kernel") < 3000 and browser.count(KERNELS) < 80
    browser.click("#view-tree .toolbar button")
    assert browser.count(REGIONS) < 80, "the table is not virtual"
    assert browser.text("#view-tree .toolbar .muted") == "50 regions, 150,000 kernels in them"
    browser.click("#kernels")
    # One that is found is shown with the others hidden.
    browser.press("/")
    browser.type("layout<float, 2999>")
    assert browser.text("#hits .hit-summary") == "0 regions, 1 kernel in 50 places"
    browser.press("Enter")
    assert browser.count(f"{KERNELS}") > 0 and browser.count(".box.hit, .box.holds") > 0
    browser.press("/", "Escape", "Escape")
    assert browser.count(KERNELS) == 1, "the selected one stays"
    assert browser.text("#places h3") == "Where it is launched: 50 places"
    data = json.loads(path.read_text(encoding="utf-8").split('id="report">')[1].split("</script>")[0])
    assert set(data["regions"][0]["direct"]) == {-1}, "what is all of a list is not stored twice"


@on("families")
def a_family_has_the_kernels_of_its_members(browser, path):
    report = DOCUMENTS[path.stem]["reports"][0]
    browser.resize(1440, 3000)
    browser.settle()
    shown = browser.run(
        "[...document.querySelectorAll('#view-tree .grid-body .grid-row')].map((row) => [row.querySelector('.label').textContent, "
        "Number(row.getAttribute('aria-level')), Number(row.children[4].textContent), row.classList.contains('kernel')])"
    )
    at = next(at for at, row in enumerate(shown) if row[0] == "mlp" and not row[3])
    family = next(one for one in report["families"] if one["path"] == ["prefill", "layers.*", "mlp"])
    leaves = []
    for row in shown[at + 1 :]:
        if not row[3] or row[1] != shown[at][1] + 1:
            break
        leaves.append((row[0], row[2]))
    assert sorted(leaves) == sorted((one["kernel_name"], one["calls"]) for one in family["kernels"]), leaves
    # Its members have them when they are shown.
    browser.run(
        "[...document.querySelectorAll('#view-tree .grid-row')].find((row) => row.querySelector('.label')?.textContent === 'mlp').querySelector('.family').click()"
    )
    browser.settle()
    below = browser.run(
        "[...document.querySelectorAll('#view-tree .grid-body .grid-row')].map((row) => row.classList.contains('kernel'))"
    )
    assert below[at + 1] is False, "the family's own are gone while the members are shown"
