"""Nothing is cut off and nothing scrolls sideways: every view and tab at every width."""

from .seen import EVERY, on

WIDTHS = ((390, 800), (768, 1024), (1100, 800), (1440, 900), (1920, 1080))

# What is wrong with the place of the elements that are seen. A box may leave the window only inside of something made to scroll; text may be cut only
# where an ellipsis says so; and nothing scrolls by a pixel or two.
MISPLACED = """(() => {
  const wrong = [];
  const say = (what, one) => wrong.push(`${what}: ${one.outerHTML.slice(0, 110)}`);
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}`);
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.offscreen, #print, #tooltip');
  // Whether something around is made to scroll, and between which edges the rest is seen; the same for all in one element.
  const seen = new Map([[null, { scrolls: false, left: -Infinity, right: Infinity }]]);
  const around = (one) => {
    if (!seen.has(one)) {
      let { scrolls, left, right } = around(one.parentElement);
      const { overflowX } = getComputedStyle(one);
      if (overflowX === 'auto' || overflowX === 'scroll') [scrolls, left, right] = [true, -Infinity, Infinity];
      else if (overflowX !== 'visible' && !scrolls) {
        const clip = one.getBoundingClientRect();
        [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
      }
      seen.set(one, { scrolls, left, right });
    }
    return seen.get(one);
  };
  for (const one of document.querySelectorAll('body *')) {
    if (!shown(one)) continue;
    const style = getComputedStyle(one);
    const box = one.getBoundingClientRect();
    const { scrolls, ...edges } = around(one.parentElement);
    const [left, right] = [Math.max(box.left, edges.left), Math.min(box.right, edges.right)];
    if (!scrolls && right > left && (left < -0.5 || right > innerWidth + 0.5)) say('outside of the window', one);
    for (const [overflow, size, room] of [[style.overflowX, one.scrollWidth, one.clientWidth], [style.overflowY, one.scrollHeight, one.clientHeight]]) {
      if ((overflow === 'auto' || overflow === 'scroll') && size > room && size - room <= 2) say(`scrolls by ${size - room}`, one);
    }
    const isText = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const isCut = isText && ['hidden', 'clip'].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
    if (isCut && style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none') say('cut without an ellipsis', one);
    if (one.matches('button, select, input') && !scrolls && one.clientWidth > 0 && box.width < 12) say('squeezed', one);
  }
  return [...new Set(wrong)].slice(0, 12);
})()"""


# Opens every view and every tab of what is selected, then every tab of a kernel; gives what is wrong in each.
EVERYWHERE = f"""(async () => {{
  const wrong = [];
  const tabs = (group) => [...document.querySelectorAll(`[role=tab][id^='${{group}}-tab-']`)].filter((tab) => tab.checkVisibility());
  const look = async (tab) => {{
    tab.click();
    await settle();
    const found = {MISPLACED};
    if (found.length > 0) wrong.push([tab.id, found]);
  }};
  for (const tab of [...tabs('view'), ...tabs('panel')]) await look(tab);
  document.querySelector('[role=tab][id^=view-tab-]').click();
  const kernel = document.querySelector('.box.kernel');
  if (kernel) {{
    kernel.click();
    await settle();
    for (const tab of tabs('kernel')) await look(tab);
    document.querySelector('.box').click();
    await settle();
  }}
  return wrong;
}})()"""


@on(EVERY)
def everything_has_its_place_at_every_width(browser, _):
    for width, height in WIDTHS:
        browser.resize(width, height)
        browser.settle()
        wrong = browser.later(EVERYWHERE)
        assert not wrong, (width, wrong)
        browser.run("document.querySelector('#search').focus()")
        browser.type("a")
        wrong = browser.run(MISPLACED)
        assert not wrong, (width, "search", wrong)
        browser.press("Escape", "Escape")
