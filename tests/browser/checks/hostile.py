"""Names that would do harm in a careless page, and what a page may fetch."""

import json
import re

from .seen import EVERY, on, panel_tabs


@on("hostile")
def hostile_names_do_nothing(browser, path):
    for key in ["1", "2", "3", "4", "5"]:
        browser.press(key)
    browser.press("1")
    for _ in range(12):
        browser.run("document.querySelector('#icicle').focus()")
        browser.press("Down")
        for tab in panel_tabs(browser):
            browser.click(f".panel .tabs:not([hidden]) [data-tab={tab}]")
        browser.run("document.querySelector('#icicle').focus()")
        browser.press("Up", "Right")
    browser.press("/")
    browser.type("<script>")
    browser.press("Enter")
    browser.hover(".box:nth-child(2)")
    assert browser.run("window.hacked ?? null") is None
    assert browser.count("img, iframe, object, embed, #app svg[onload], [onerror], [onmouseover]") == 0
    assert browser.count("script") == 3
    shown = browser.run("document.body.innerText")
    acting = re.findall(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
        "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]",
        shown,
    )
    assert not acting, acting
    assert browser.run("Object.keys(Object.prototype).length") == 0
    source = path.read_text(encoding="utf-8")
    assert source.count("</script") == 3, "data ends its element"


@on("hostile")
def long_names_stay_out_of_the_way(browser, _):
    browser.press("/")
    browser.type("x<x<")
    browser.press("Enter")
    browser.click(".panel [data-tab=kernels]")
    browser.click("#panel-kernels .grid-body .grid-row")
    longest = browser.run(
        "Math.max(...[...document.querySelectorAll('[title]')].map((one) => one.title.length))"
    )
    assert longest <= 2000, longest
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert len(browser.text(".full-name")) >= 10000


@on(EVERY)
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


@on(EVERY)
def every_view_opens(browser, _):
    for key in ["1", "2", "3", "4", "5", "6", "1"]:
        browser.press(key)
    for tab in panel_tabs(browser):
        browser.click(f".panel [data-tab={tab}]")
    assert browser.run("window.hacked ?? null") is None


@on(EVERY)
def ids_are_used_once(browser, _):
    ids = browser.run("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids)), sorted(one for one in set(ids) if ids.count(one) > 1)
