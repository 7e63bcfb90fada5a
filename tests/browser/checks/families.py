"""Families: one row for many members, unfolded in place."""

import re

from .seen import DOCUMENTS, REGIONS, boxes, on, row_of, rows, selected


FOLDED = [
    ["prefill", None, 1], ["layers.*", "12", 2], ["mlp", "12", 3], ["attn", "12", 3], ["qkv", "12", 4], ["out", "12", 4],
    ["norm", "12", 3], ["embed", None, 2],
]  # fmt: skip


@on("families")
def families_are_one_row(browser, _):
    assert rows(browser)[:8] == FOLDED, rows(browser)
    assert len(rows(browser)) == 15, rows(browser)
    assert browser.text("#view-tree .toolbar .muted") .startswith("12 families, 3 of 147 regions, ")
    labels = boxes(browser)
    assert sum(label.startswith("layers.* ×12") for label in labels) == 2, labels
    assert not any("layers.3" in label for label in labels), labels
    chip = browser.run(f"document.querySelector('{row_of(browser, 'decode')} ~ .grid-row .family').title")
    assert "12 members: " in chip and "1 stands out" in chip, chip
    heaviest = browser.text('#facts [data-fact="heaviest"]')
    assert "layers.*::mlp ×12" in heaviest and "layers.3" not in heaviest, heaviest


@on("families")
def families_unfold_in_place(browser, _):
    browser.click(f"{row_of(browser, 'layers.*')} .family")
    shown = rows(browser)
    assert shown[:2] == FOLDED[:2], shown
    assert [row[0] for row in shown[2:14]] == [f"layers.{layer}" for layer in reversed(range(12))], shown
    assert all(row[1:] == [None, 3] for row in shown[2:14]) and shown[14] == FOLDED[7], shown
    labels = boxes(browser)
    assert sum(label.startswith("layers.* ×12") for label in labels) == 2, "the family stays above its members"
    assert sum(bool(re.match(r"layers\.\d", label)) for label in labels) == 12, labels
    # What is below a member is exact.
    browser.click(f"{row_of(browser, 'layers.3')} .twist")
    assert [row[0] for row in rows(browser)[11:14]] == ["mlp", "attn", "norm"], rows(browser)
    browser.click(row_of(browser, "layers.3"))
    assert selected(browser) == "layers.3" and browser.count("#members") == 0
    crumbs = browser.text(".panel .crumbs")
    assert "layers.* ×12" in crumbs, crumbs
    browser.click(f"{row_of(browser, 'layers.*')} .family")
    assert rows(browser)[:8] == FOLDED, rows(browser)
    assert selected(browser) == "layers.* ×12", "the family stands for a member that is folded away"


@on("families")
def families_unfold_by_key_and_all_at_once(browser, _):
    browser.run("document.querySelector('#view-tree .grid').focus()")
    browser.press("Home", "Down", "u")
    assert selected(browser) == "layers.* ×12"
    assert [row[0] for row in rows(browser)][2:4] == ["layers.11", "layers.10"], rows(browser)
    assert browser.text("#announcer") == "12 members of prefill::layers.*"
    browser.press("Down", "u")
    assert selected(browser) == "layers.11", "u does nothing to a region"
    browser.press("Up", "u")
    assert rows(browser)[:8] == FOLDED
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Home", "Down", "Down")
    while not selected(browser).startswith("layers.*"):
        browser.press("Right")
    expanded = "document.querySelector('.box.active').getAttribute('aria-expanded')"
    assert browser.run(expanded) == "false"
    browser.press("u")
    assert browser.run(expanded) == "true"
    assert sum(bool(re.match(r"layers\.\d", label)) for label in boxes(browser)) == 12
    browser.click("#unfold-families")
    assert browser.count("#view-tree .family") == 2 and browser.text("#view-tree .toolbar .muted").startswith(
        "2 families, 27 of"
    ), browser.text("#view-tree .toolbar .muted")
    browser.click("#fold-families")
    assert rows(browser)[:8] == FOLDED
    browser.click("#flat")
    names = [row[0] for row in rows(browser)]
    assert "decode::layers.*::mlp" in names and not any("layers.3" in name for name in names), names


@on("families")
def nested_families_unfold_alone(browser, _):
    browser.click(row_of(browser, "mlp"))
    assert selected(browser) == "mlp ×12"
    browser.click("#unfold-selected")
    shown = rows(browser)
    assert [row[0] for row in shown[:5]] == ["prefill", "layers.*", "mlp", "layers.11::mlp", "layers.10::mlp"], shown
    assert [row[0] for row in shown[15:17]] == ["attn", "qkv"], shown
    browser.click(row_of(browser, "layers.10::mlp"))
    assert browser.run("document.querySelector('.panel h2').title") == "prefill::layers.10::mlp"


@on("families")
def panel_of_a_family_is_the_documents(browser, path):
    """Every number is compared with the document, which the page was not asked for."""
    document = DOCUMENTS[path.stem]
    families = document["reports"][0]["families"]
    family = next(one for one in families if one["path"] == ["decode", "layers.*"])
    browser.press("/")
    browser.type("decode layers.*")
    browser.press("Enter")
    browser.press("/", "Escape", "Escape")
    assert selected(browser) == "layers.* ×12", selected(browser)
    text = browser.text("#panel-overview")
    for part in [
        f"{family['total_ms']:.3f} ms", f"{family['share'] * 100:.1f} % of all", "decode::layers.7",
        f"{family['family']['min_ms'] * 1000:.2f} µs to {family['family']['max_ms']:.3f} ms each",
    ]:  # fmt: skip
        assert part in text, (part, text)
    browser.click("#panel [data-tab=kernels]")
    grid = browser.run(
        "[...document.querySelectorAll('#panel-kernels .grid-body .grid-row')].map((row) => [...row.children].map((cell) => cell.textContent))"
    )
    expected = [[one["kernel_name"], f"{one['total_ms']:.3f}", str(one["calls"])] for one in family["kernels"]]
    assert [[row[0], row[1], row[3]] for row in grid] == expected, (grid, expected)
    browser.click("#panel [data-tab=metrics]")
    browser.click("#panel-metrics .filter")
    browser.type("smsp__counter_3.sum")
    shown = browser.run("document.querySelector('#panel-metrics .grid-body .grid-row').children[1].textContent")
    metric = family["metrics"]["smsp__counter_3.sum"]
    assert shown == f"{metric:,.0f}", (shown, metric)
    browser.click("#panel [data-tab=sections]")
    assert "GPU Speed Of Light Throughput" in browser.text("#panel-sections")
    # The member that stands out is a click away, and unfolds the family.
    browser.click("#panel [data-tab=overview]")
    browser.click("#members .share-row")
    assert selected(browser) == "layers.7"
    assert ["layers.7", None, 3] in rows(browser), rows(browser)


@on("families")
def search_finds_members_and_families(browser, _):
    browser.press("/")
    browser.type("mlp")
    kinds = browser.run("[...document.querySelectorAll('#hits .hit-kind')].map((kind) => kind.textContent)")
    assert kinds.count("family") == 2 and kinds.count("region") == 24, kinds
    assert kinds[:2] == ["family", "region"] or kinds[:2] == ["family", "family"], kinds
    browser.press(*["Backspace"] * 3)
    browser.type("prefill layers.3 mlp")
    assert browser.text("#hits .label") == "prefill::layers.3::mlp"
    marked = browser.run(f"[...document.querySelectorAll('{REGIONS} .label.hit')].map((label) => label.textContent)")
    assert marked == ["mlp"], "the family that hides the hit is marked"
    assert browser.count(".box.hit") == 1
    browser.press("Enter")
    assert selected(browser) == "mlp"
    assert browser.run("document.querySelector('.panel h2').title") == "prefill::layers.3::mlp"
    browser.press("/", "Escape", "Escape")
    shown = rows(browser)
    assert ["layers.3", None, 3] in shown and ["mlp", None, 4] in shown, shown


@on("families")
def family_stays_when_the_scope_changes(browser, _):
    browser.click(row_of(browser, "attn"))
    browser.choose("#scope", "1")
    assert selected(browser) == "attn ×12", selected(browser)
    assert rows(browser)[:8] == FOLDED


@on("families")
def printed_as_folded(browser, _):
    browser.run("dispatchEvent(new Event('beforeprint'))")
    names = browser.run(
        "[...document.querySelectorAll('#print table tbody tr')].map((row) => row.firstChild.textContent)"
    )
    assert names[:4] == ["prefill", "embed", "layers.* ×12", "norm ×12"], names
    assert len(names) == 15, names
    browser.run("dispatchEvent(new Event('afterprint'))")
