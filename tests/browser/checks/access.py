"""Keyboard and screen readers."""

from .seen import on


@on("small")
def works_without_a_mouse(browser, _):
    stops = []
    browser.run("document.activeElement.blur()")
    for _ in range(60):
        browser.press("Tab")
        stop = browser.run(
            "(() => { const a = document.activeElement; if (a === document.body) return null; "
            "const s = getComputedStyle(a); return [a.id || a.className || a.tagName, a.matches(':focus-visible'), "
            "s.outlineStyle !== 'none' || a.matches('circle'), "
            "Boolean(a.getAttribute('aria-label') || a.textContent.trim() || a.labels?.length)]; })()"
        )
        if stop is None:
            break
        stops.append(stop)
    names = [stop[0] for stop in stops]
    for needed in [
        "scope",
        "search",
        "theme",
        "colour",
        "order",
        "icicle",
        "view-tab-tree",
        "flat",
        "panel-tab-overview",
        "panel-overview",
    ]:
        assert any(needed == name for name in names), (needed, names)
    for name, focused, ringed, named in stops:
        assert focused and ringed, f"no visible focus on {name}"
        assert named, f"no accessible name on {name}"


@on("small")
def roles_are_there(browser, _):
    tree = browser.cdp("Accessibility.getFullAXTree")["nodes"]
    roles = {node.get("role", {}).get("value") for node in tree if not node.get("ignored")}
    for needed in [
        "tree",
        "treeitem",
        "treegrid",
        "row",
        "gridcell",
        "columnheader",
        "tablist",
        "tab",
        "tabpanel",
        "combobox",
        "status",
        "main",
        "banner",
        "complementary",
    ]:
        assert needed in roles, (needed, sorted(filter(None, roles)))
    unnamed = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored")
        and node.get("role", {}).get("value")
        in {"button", "tab", "combobox", "treeitem", "searchbox", "checkbox", "tree", "treegrid"}
        and not node.get("name", {}).get("value")
    ]
    assert not unnamed, unnamed
