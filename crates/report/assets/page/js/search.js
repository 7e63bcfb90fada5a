// Search: marks regions and kernels in the tree, where they are, and lists them. `/` goes to it.

const MOST_HITS = 200;
/** Kernels that are not in the tree are put there when they are found, unless it is in more places than this. */
const MOST_FOUND_LEAVES = 2000;

class Search {
  constructor(page) {
    this.page = page;
    this.input = el('input', {
      type: 'search',
      id: 'search',
      placeholder: 'Search regions and kernels  /',
      role: 'combobox',
      spellcheck: 'false',
      autocomplete: 'off',
      'aria-label': 'Search regions and kernels',
      'aria-expanded': 'false',
      'aria-controls': 'hits',
      'aria-autocomplete': 'list',
    });
    this.list = el('ul', { class: 'hits', id: 'hits', role: 'listbox', 'aria-label': 'Found', hidden: true });
    this.active = -1;
    this.hits = [];
    this.input.addEventListener('input', () => store.set({ query: this.input.value }));
    this.input.addEventListener('focus', () => this.draw());
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.input.addEventListener('blur', () => setTimeout(() => this.close(), 120));
    this.list.addEventListener('pointerdown', (event) => {
      const at = event.target.closest('li')?.dataset.at;
      event.preventDefault();
      if (at !== undefined) this.choose(Number(at));
    });
    store.on(['query', 'report', 'folds', 'kernels'], () => this.update());
  }

  element() {
    return el('div', { class: 'search' }, this.input, this.list);
  }

  update() {
    const report = this.page.reports[store.state.report];
    const query = store.state.query.trim().toLowerCase();
    if (this.input.value.trim().toLowerCase() !== query) this.input.value = store.state.query;
    if (query === '') {
      this.hits = [];
      store.set({ matches: null });
    } else {
      const matches = findRegions(report, query);
      const regions = [...matches.own].sort((a, b) => report.ns(b) - report.ns(a));
      const kernels = findKernels(report, query);
      addKernels(report, matches, kernels);
      const families = regions.filter((node) => report.tree.isFamily(node)).length;
      this.found = { families, regions: regions.length - families, kernels: kernels.length, places: matches.places };
      this.hits = [
        ...regions.slice(0, MOST_HITS).map((node) => ({ node })),
        ...kernels.slice(0, MOST_HITS).map((row) => ({ row })),
      ];
      store.set({ matches });
    }
    this.active = this.hits.length > 0 ? 0 : -1;
    this.draw();
  }

  draw() {
    const open = store.state.query.trim() !== '' && document.activeElement === this.input;
    this.list.hidden = !open;
    this.input.setAttribute('aria-expanded', String(open));
    if (!open) return;
    const report = this.page.reports[store.state.report];
    const kernels = report.kernels(ALL);
    const item = (hit, at) =>
      el(
        'li',
        { role: 'option', id: `hit-${at}`, 'data-at': String(at), 'aria-selected': String(at === this.active) },
        el('span', {
          class: 'hit-kind',
          text: hit.node === undefined ? 'kernel' : report.tree.isFamily(hit.node) ? 'family' : 'region',
        }),
        el('span', {
          class: hit.node === undefined ? 'label mono' : 'label',
          text:
            hit.node === undefined
              ? kernels.short(hit.row)
              : visible(shorten(report.name(hit.node), 200)) + report.times(hit.node),
          title: hint(hit.node === undefined ? kernels.name(hit.row) : report.name(hit.node)),
        }),
        hit.node === undefined && !this.page.bare
          ? el('span', { class: 'value', text: count(this.placesOf(report, hit.row).length, 'place') })
          : null,
        el('span', {
          class: 'value',
          text: duration(hit.node === undefined ? kernels.ns(hit.row) : report.ns(hit.node)),
        }),
      );
    const summary =
      this.hits.length === 0
        ? 'Nothing found'
        : [
            this.found.families > 0 ? count(this.found.families, 'family', 'families') : null,
            count(this.found.regions, 'region'),
            count(this.found.kernels, 'kernel') + (this.found.places > 0 ? ` in ${count(this.found.places, 'place')}` : ''),
          ]
            .filter((part) => part)
            .join(', ');
    fill(this.list, el('li', { class: 'hit-summary', role: 'presentation', text: summary }), this.hits.map(item));
    announce(summary);
    this.mark();
  }

  mark() {
    this.list
      .querySelectorAll('[role=option]')
      .forEach((item, at) => item.setAttribute('aria-selected', String(at === this.active)));
    const active = this.list.querySelector(`#hit-${this.active}`);
    active?.scrollIntoView({ block: 'nearest' });
    if (active) this.input.setAttribute('aria-activedescendant', active.id);
    else this.input.removeAttribute('aria-activedescendant');
  }

  key(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (this.hits.length === 0) return;
      this.active = (this.active + (event.key === 'ArrowDown' ? 1 : -1) + this.hits.length) % this.hits.length;
      this.mark();
    } else if (event.key === 'Enter') {
      if (this.active >= 0) this.choose(this.active);
    } else if (event.key === 'Escape') {
      if (this.input.value === '') this.input.blur();
      this.input.value = '';
      store.set({ query: '' });
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  choose(at) {
    const hit = this.hits[at];
    const report = this.page.reports[store.state.report];
    if (hit.node !== undefined) {
      revealNode(report, hit.node);
      store.set({ selected: hit.node, zoom: this.zoomFor(report, hit.node) });
    } else {
      const kernel = report.kernels(ALL).id(hit.row);
      const [place] = this.placesOf(report, hit.row);
      // Where it takes the most time; the panel says where else it is.
      const leaf = place ? report.leaves.find(place[0], kernel) : null;
      if (leaf === null) store.set({ selected: ALL, ...this.page.kernelsPlace(), kernel });
      else store.set({ selected: leaf, kernelTab: 'overview' });
    }
    this.close();
    announce(`Selected ${hit.node === undefined ? 'a kernel' : visible(shorten(report.name(hit.node), 200))}`);
  }

  placesOf(report, row) {
    return this.page.bare ? [] : (report.leaves.places().get(report.kernels(ALL).id(row)) ?? []);
  }

  /** A found region is shown among its siblings. */
  zoomFor(report, node) {
    const parent = report.parent(node);
    return node === UNLABELED || parent === ALL || parent === null ? null : { node: parent };
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
  }
}

/**
 * The regions and families that match (`own`), those around them (`above`), and the folded families that hide a match (`inside`).
 * `addKernels` adds the kernels that match, the nodes that launch them (`holding`), in how many places that is, and the leaves to show
 * where kernels are not shown otherwise. Words before the last may match enclosing regions.
 */
function findRegions(report, query) {
  const words = query.split(/::|\/|\s+/).filter((word) => word !== '');
  const last = words.pop() ?? query;
  const own = new Set();
  const above = new Set();
  const inside = new Set();
  const { table, tree } = report;
  const matches = (node) => {
    const name = report.own(node).toLowerCase();
    if (name.includes(query)) return true;
    if (words.length === 0 || !name.includes(last)) return words.length === 0 && name.includes(last);
    let left = words.length;
    for (let at = table.parent[node]; left > 0 && at >= 0; at = table.parent[at]) {
      if (
        report
          .own(at)
          .toLowerCase()
          .includes(words[left - 1])
      )
        left--;
    }
    return left === 0;
  };
  for (let node = 0; node < tree.nodes; node++) {
    if (!matches(node)) continue;
    own.add(node);
    if (!tree.shown[node]) inside.add(tree.nearest(node));
    for (let at = report.parent(node); at !== ALL && at !== null && !above.has(at); at = report.parent(at))
      above.add(at);
  }
  if (report.own(UNLABELED).includes(query) && report.results(UNLABELED) > 0) own.add(UNLABELED);
  return { own, above, inside, holding: new Set(), kernels: new Set(), leaves: new Map(), places: 0 };
}

function addKernels(report, matches, rows) {
  if (report.page.bare) return;
  const all = report.kernels(ALL);
  const places = report.leaves.places();
  for (const row of rows) {
    const kernel = all.id(row);
    matches.kernels.add(kernel);
    for (const [node] of places.get(kernel) ?? []) {
      matches.places++;
      if (matches.holding.has(node)) continue;
      matches.holding.add(node);
      for (let at = report.parent(node); at !== ALL && at !== null && !matches.above.has(at); at = report.parent(at))
        matches.above.add(at);
    }
  }
  if (store.state.kernels || matches.places > MOST_FOUND_LEAVES) return;
  for (const node of matches.holding) {
    const found = report.leaves.of(node).filter((leaf) => matches.kernels.has(report.leaves.kernelOf(leaf)));
    matches.leaves.set(node, found);
  }
}

/** Whether a node is what was searched for. */
function isFound(report, matches, node) {
  if (report.isLeaf(node)) return matches.kernels.has(report.leaves.kernelOf(node));
  return matches.own.has(node) || matches.inside.has(node);
}

function findKernels(report, query) {
  const kernels = report.kernels(ALL);
  const rows = [];
  for (let row = 0; row < kernels.length; row++) if (includes(kernels.name(row), query)) rows.push(row);
  return rows;
}
