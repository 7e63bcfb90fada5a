"""The search field."""

from .seen import REGIONS, on, selected


@on("small")
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
