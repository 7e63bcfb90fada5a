"""The ranks of a run: the answer, the heat map by mouse and keys, the table, and links to a cell."""

from .seen import DOCUMENTS, on, selected
from .state import opened, written

STORY = "#heat-story"


def shown(browser):
    browser.click("#view-tab-ranks")
    browser.settle()


def cell(browser, row, column):
    """Clicks the middle of a cell: a row of the map, and a column as a part of its width."""
    browser.run(
        "((row, part) => { const canvas = document.querySelector('.heat-canvas'); const box = canvas.getBoundingClientRect(); "
        "const names = Math.min(240, Math.floor(document.querySelector('#heat').clientWidth * 0.28)); "
        "canvas.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: box.left + names + (box.width - names) * part, clientY: box.top + row * 16 + 8 })) })(...arguments)",
        row,
        column,
    )
    browser.settle()


def pixel(browser, row, column):
    """The colour in the middle of a cell."""
    return browser.run(
        "(() => { const [row, part] = arguments; const canvas = document.querySelector('.heat-canvas'); const ratio = devicePixelRatio; "
        "const width = canvas.width / ratio; const names = Math.min(240, Math.floor(document.querySelector('#heat').clientWidth * 0.28)); "
        "const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true }); "
        "pen.drawImage(canvas, -Math.floor((names + (width - names) * part) * ratio), -Math.floor((row * 16 + 8) * ratio)); "
        "return [...pen.getImageData(0, 0, 1, 1).data].join() })()",
        row,
        column,
    )


@on("ranks")
def the_slow_rank_stands_out_in_the_map(browser, _):
    ranks = DOCUMENTS["ranks"]["ranks"]
    shown(browser)
    answer = browser.text(".heat-answer")
    assert answer.startswith(f"{ranks['count']:,} ranks: slow on rank {ranks['count'] * 3 // 4}"), answer
    assert f"rank {ranks['count'] * 3 // 4}" in browser.text(".heat-outliers")
    bins = len(ranks["heat_map"]["bins"])
    assert bins <= 256, bins
    slow = next(at for at, one in enumerate(ranks["heat_map"]["bins"]) if one["last"]["rank"] >= ranks["count"] * 3 // 4)
    place = (slow + 0.5) / bins
    # Rows with an even number are slow on one rank; the others have one colour throughout.
    assert pixel(browser, 2, place) != pixel(browser, 2, 0.1), "the slow rank has another colour"
    assert pixel(browser, 1, place) == pixel(browser, 1, 0.1)
    cell(browser, 2, place)
    story = browser.text(STORY)
    assert f"of rank {ranks['count'] * 3 // 4}." in story and "slow on rank" in story, story
    row = ranks["rows"][2]
    assert selected(browser) == row["region"]["path"][-1], (selected(browser), row["name"])


@on("ranks")
def keys_move_in_the_map_and_the_address_follows(browser, path):
    shown(browser)
    browser.run("document.querySelector('#heat').focus()")
    for key in ("Down", "Right", "Right"):
        browser.press(key)
    browser.settle()
    story, link = browser.text(STORY), written(browser)
    assert "view=ranks" in link and "cell=region:" in link and link.split("cell=")[1].split("&")[0].endswith(",2"), link
    browser.press("Enter")
    name = selected(browser)
    assert name == DOCUMENTS["ranks"]["ranks"]["rows"][1]["region"]["path"][-1], name
    opened(browser, path, written(browser))
    assert browser.text(STORY) == story and selected(browser) == name
    assert browser.count("#view-ranks .grid-row.active") == 1
    opened(browser, path, "#view=ranks&cell=region:nothing,9999")
    assert browser.text(STORY).startswith("Choose a cell")


@on("ranks")
def the_table_has_every_row_and_sorts(browser, _):
    shown(browser)
    rows = DOCUMENTS["ranks"]["ranks"]["rows"]
    assert browser.run("Number(document.querySelector('#view-ranks .grid').getAttribute('aria-rowcount'))") == len(rows) + 1
    browser.click("#view-ranks .sort[data-key=missing]")
    browser.settle()
    first = browser.run("document.querySelector('#view-ranks .grid-row[data-at=\"0\"]').textContent")
    missing = next(row for row in rows if row["missing"] > 0)
    assert first.startswith(missing["name"]), first
    assert "sort=ranks:missing:down" in written(browser)


@on("small")
def one_process_has_no_ranks(browser, _):
    assert browser.count("#view-tab-ranks") == 0
