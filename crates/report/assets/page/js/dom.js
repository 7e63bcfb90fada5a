// Building the document. Text from the report enters it as text nodes only.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An element. `class`, `text` and `on` (listeners) are special; other properties become attributes,
 * `true` an empty one, and absent or `false` ones none.
 */
function el(tag, properties = {}, ...children) {
  return furnish(document.createElement(tag), properties, children);
}

/** An SVG element, likewise. */
function svg(tag, properties = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), properties, children);
}

function furnish(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'text') element.textContent = value;
    else if (name === 'on') for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
}

function button(text, run, properties = {}) {
  return el('button', { type: 'button', text, on: { click: run }, ...properties });
}

/** Says something to readers that do not see the page. */
function announce(text) {
  byId('announcer').textContent = text;
}

/** Runs at most once a frame. */
function oncePerFrame(run) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      run();
    });
  };
}

/** Copies a text; a page from disk may not use the clipboard's interface. Whether it worked. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const area = el('textarea', { class: 'offscreen', 'aria-hidden': 'true', tabindex: '-1' });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    focused?.focus({ preventScroll: true });
    return copied;
  }
}

/** A button that copies a text. */
function copyButton(text, label = 'Copy', properties = {}) {
  const made = button(
    label,
    async () => {
      const said = (await copy(text())) ? 'Copied' : 'Not copied';
      announce(said);
      made.textContent = said;
      setTimeout(() => (made.textContent = label), 1200);
    },
    { class: 'quiet copy', ...properties },
  );
  return made;
}

/** A group of tabs; its name begins the ids. `list` holds `{ key, label, panel }`; arrows move between them. */
function tabs(group, label, list, chosen, choose) {
  const buttons = list.map(({ key, label: text }) =>
    el('button', {
      type: 'button',
      role: 'tab',
      id: `${group}-tab-${key}`,
      text,
      'aria-controls': `${group}-${key}`,
      'data-tab': key,
      on: { click: () => choose(key) },
    }),
  );
  const show = (key) => {
    list.forEach((tab, at) => {
      const on = tab.key === key;
      buttons[at].setAttribute('aria-selected', String(on));
      buttons[at].tabIndex = on ? 0 : -1;
      tab.panel.hidden = !on;
    });
  };
  for (const tab of list) {
    tab.panel.id = `${group}-${tab.key}`;
    tab.panel.setAttribute('role', 'tabpanel');
    tab.panel.setAttribute('aria-labelledby', `${group}-tab-${tab.key}`);
  }
  const bar = el(
    'div',
    {
      class: 'tabs',
      role: 'tablist',
      'aria-label': label,
      on: {
        keydown: (event) => {
          const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
          if (!step) return;
          event.preventDefault();
          event.stopPropagation();
          const at = buttons.indexOf(document.activeElement);
          const next = (at + step + buttons.length) % buttons.length;
          buttons[next].focus();
          choose(list[next].key);
        },
      },
    },
    buttons,
  );
  show(chosen);
  return { bar, show, buttons };
}

/** A sentence in which `names` stand between backticks; those of kernels are shortened. */
function prose(sentence, page) {
  return sentence.split('`').map((part, at) => {
    if (at % 2 === 0) return part;
    return page?.isKernel(part)
      ? el('code', { text: page.shortOf(part), title: hint(part) })
      : el('code', { text: part });
  });
}

/** A bar of 0 to 1. */
function bar(share, kind = '') {
  const inner = el('span', { class: 'bar-in' });
  inner.style.width = `${Math.max(0, Math.min(1, share || 0)) * 100}%`;
  return el('span', { class: `bar ${kind}`, 'aria-hidden': 'true' }, inner);
}

/** The floating hint of the pictures. */
const tooltip = {
  show(x, y, lines) {
    const tip = byId('tooltip');
    fill(
      tip,
      lines.map((line, at) => el('div', { class: at === 0 ? 'tip-title' : 'tip-line', text: line })),
    );
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
    tip.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
  },
  hide() {
    byId('tooltip').hidden = true;
  },
};
