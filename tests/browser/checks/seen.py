"""What the checks look at: the parts of the page by what a user calls them."""

# Documents, advice, counts by line and reports by the name of their page, and the program; the lane fills them.
DOCUMENTS = {}
ADVICE = {}
SOURCES = {}
REPORTS = {}
PROGRAM = []

# Every page, and those whose advice or source the program was asked for.
EVERY = "*"
WITH_ADVICE = "advice"
WITH_SOURCE = "source of results"
CHECKS = []


def on(*pages):
    """A check is made on these pages. It gets a browser that has just opened one, and the page's path."""

    def add(check):
        CHECKS.extend((page, check) for page in pages)
        return check

    return add


REGIONS = "#view-tree .grid-body .grid-row:not(.kernel)"


def selected(browser):
    return browser.text(".panel h2")


def boxes(browser):
    return browser.run("[...document.querySelectorAll('.icicle .box')].map((box) => box.textContent)")


def panel_tabs(browser):
    return browser.run("[...document.querySelectorAll('.panel .tabs:not([hidden]) [role=tab]')].map((tab) => tab.dataset.tab)")


def rows(browser):
    """The rows of the tree: label, members, level."""
    return browser.run(
        f"[...document.querySelectorAll('{REGIONS}')].map((row) => [row.querySelector('.label').textContent, "
        "row.querySelector('.family')?.textContent.match(/\\d+/)[0] ?? null, Number(row.getAttribute('aria-level'))])"
    )


def row_of(browser, label):
    """A selector of the first row with that label."""
    found = browser.run(
        f"[...document.querySelectorAll('{REGIONS}')].find((row) => row.querySelector('.label').textContent === arguments[0])?.id ?? null",
        label,
    )
    assert found, (label, rows(browser))
    return f"#{found}"


def unfold(browser):
    """Shows the members of all families, and everything in them."""
    browser.click("#unfold-families")
    browser.click("#view-tree .toolbar button")
    browser.settle()
