"""What is seen is in the address: a link shows it, and Back goes back."""

import urllib.parse

from .seen import boxes, on, row_of, rows, selected


def fragment(browser):
    browser.wait("true")
    return browser.run("location.hash")


def opened(browser, path, text):
    """The page opened anew from a link."""
    browser.leave()
    browser.open(path, text)
    browser.settle()


def followed(browser, text):
    """A link followed in a page that is open: all of what it says is taken from the address, as in a page that is opened."""
    browser.run("void (location.hash = arguments[0])", text)
    browser.settle()
    browser.settle()


def seen(browser):
    """Everything that a link has to bring back; how far a table was scrolled is not in it."""
    browser.run("document.querySelector('#view-tree .grid').scrollTo(0, 0)")
    browser.settle()
    return browser.run(
        "({ title: document.querySelector('.panel h2').textContent, "
        "tabs: [...document.querySelectorAll('[role=tab][aria-selected=true]')].filter((tab) => tab.checkVisibility()).map((tab) => tab.id), "
        "boxes: [...document.querySelectorAll('.icicle .box')].map((box) => box.getAttribute('aria-label')), "
        "rows: [...document.querySelectorAll('#view-tree .grid-body .grid-row')].map((row) => row.ariaRowIndex.padStart(6) + row.textContent).sort(), "
        "scope: document.querySelector('#scope').value, search: document.querySelector('#search').value, "
        "colour: document.querySelector('#colour').value, order: document.querySelector('#order').value, "
        "sorted: [...document.querySelectorAll('[aria-sort]:not([aria-sort=none])')].map((head) => head.textContent) })"
    )


def written(browser):
    """Changes that are no step are written a little later."""
    browser.wait("new Promise((done) => setTimeout(() => done(true), 300))")
    return browser.run("location.hash")


@on("families")
def a_link_shows_what_was_seen(browser, path):
    assert browser.run("location.hash") == "", "a page that was just opened needs none"
    browser.click(f"{row_of(browser, 'layers.*')} .family")
    browser.click(row_of(browser, "layers.3"))
    browser.choose("#scope", "1")
    browser.choose("#order", "time")
    browser.choose("#colour", "dram")
    browser.click("#kernels")
    browser.click("#view-tree .sort[data-key=results]")
    browser.click("#panel [data-tab=sections]")
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Enter")
    browser.press("/")
    browser.type("mlp")
    browser.run("document.activeElement.blur()")
    link = written(browser)
    for part in ["scope=rank:0", "region=prefill/layers.3", "zoom=prefill/layers.3", "unfold=family:prefill/layers.*", "tab=sections",
                 "search=mlp", "kernels=off", "order=time", "colour=dram", "sort=tree:results:down"]:  # fmt: skip
        assert part in urllib.parse.unquote(link), (part, link)
    before = seen(browser)
    opened(browser, path, link)
    after = seen(browser)
    assert after == before, {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    assert browser.run("location.hash") == link


@on("sample")
def a_link_to_a_kernel_opens_it(browser, path):
    browser.click(".box.kernel")
    name, link = selected(browser), fragment(browser)
    assert "|" in link and link.startswith("#region="), link
    opened(browser, path, link)
    assert selected(browser) == name and browser.count(".box.kernel.active") == 1
    assert browser.count("#kernel-overview:not([hidden])") == 1


@on("small")
def back_goes_back(browser, _):
    start = boxes(browser)
    browser.click('.box[aria-level="3"]')
    browser.click("#panel [data-tab=metrics]")
    browser.choose("#scope", "1")
    assert selected(browser) == "step.0"

    def back():
        browser.run("history.back()")
        browser.settle()
        browser.settle()

    back()
    assert browser.run("document.querySelector('#scope').value") == "0" and browser.count("#panel-metrics:not([hidden])") == 1
    back()
    assert browser.count("#panel-overview:not([hidden])") == 1 and selected(browser) == "step.0"
    back()
    assert selected(browser) == "Everything selected" and boxes(browser) == start
    assert browser.run("location.hash") == ""
    browser.run("history.forward()")
    browser.settle()
    browser.settle()
    assert selected(browser) == "step.0"
    # Typing is no step, and neither is each of many arrow keys.
    length = browser.run("history.length")
    browser.press("/")
    browser.type("norm")
    assert "search=norm" in written(browser) and browser.run("history.length") == length
    browser.press("Escape", "Escape")
    browser.run("document.querySelector('#icicle').focus()")
    browser.press("Home", "Down", "Down", "Down", "Right", "Left")
    assert browser.run("history.length") - length <= 1


@on("small", "families", "bare", "hostile")
def what_a_fragment_gets_wrong_is_passed_over(browser, path):
    start = browser.run("document.querySelector('#app').innerText")
    for text in [
        "#", "#&&&===", "#region=no/such|kernel", "#region=%ZZ%00", "#region=<img src=x onerror=hacked=1>", "#search=%E0%A4%A",
        "#zoom=a,b,c", "#zoom=$unlabeled,$unlabeled", "#kernels=maybe&flat=no&order=up&colour=__proto__", "#view=__proto__&tab=constructor",
        "#sort=tree:__proto__:down,toString:x:up,,::", "#unfold=$everything,x", "#scope=process:99", "#__proto__=1&constructor=2",
        "#kernel=nothing&kernel-tab=x", "#" + "region=" + "a/" * 20000,
    ]:  # fmt: skip
        followed(browser, text)
        assert browser.run("document.querySelector('#app').innerText") == start, text
    assert browser.run("window.hacked ?? null") is None
    opened(browser, path, "#region=no/such&view=about&tab=metrics&zoom=nothing")
    assert browser.count("#view-about:not([hidden])") == 1 and browser.count("#panel-metrics:not([hidden])") == 1, "the rest is in force"


@on("hostile")
def every_node_has_a_link_of_its_own(browser, path):
    """Whatever a name holds, and however long it is, the link to its region leads to it."""
    browser.click("#view-tree .toolbar button")
    browser.resize(1440, 2000)
    browser.settle()
    links = {}
    rows = "document.querySelectorAll('#view-tree .grid-body .grid-row')"
    for at in range(min(40, browser.run(f"{rows}.length"))):
        browser.run(f"[...{rows}].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)[arguments[0]].click()", at)
        browser.settle()
        link = fragment(browser)
        title = browser.run("[document.querySelector('.panel h2').title, document.querySelector('.panel h2').textContent]")
        assert len(link) < 6000 and not set(link) & set("\"<>` '()\n"), link[:200]
        assert links.get(link, title) == title, (link, title, links[link])
        links[link] = title
    assert len(links) > 12, len(links)
    for at, (link, title) in enumerate(links.items()):
        (opened if at % 8 == 0 else lambda browser, _, link: followed(browser, link))(browser, path, link)
        found = browser.run("[document.querySelector('.panel h2').title, document.querySelector('.panel h2').textContent]")
        assert found == title, (link, found, title)


@on("bare")
def a_page_of_kernels_has_links_too(browser, path):
    browser.click("#view-kernels .grid-body .grid-row:nth-child(2)")
    link = fragment(browser)
    assert link.startswith("#kernel="), link
    opened(browser, path, link)
    assert "reduce" in browser.text("#view-kernels .detail .full-name")


@on("families")
def unfolded_families_are_in_the_link(browser, path):
    browser.click("#unfold-families")
    assert fragment(browser) == "#unfold=$all"
    before = rows(browser)
    opened(browser, path, "#unfold=$all")
    assert rows(browser) == before
