// The regions as a table that folds: the same tree as the icicle, with numbers.

/** Trees of more regions than this start folded. */
const UNFOLDED_AT_MOST = 300;

class TreeTable {
  constructor(page) {
    this.page = page;
    this.open = new Map(); // by report: the set of unfolded regions
    this.sort = { key: 'time', down: true };
    this.flat = false;
    this.grid = new Grid({
      label: 'Regions',
      columns: [],
      empty: 'No region',
      tree: {
        level: (node) => (this.flat || node < 0 ? 0 : this.report.depth(node)),
        expanded: (node) => this.expanded(node),
        toggle: (node, open) => this.toggle(node, open),
      },
      onSelect: (node) => store.set({ selected: node }),
      onActivate: (node, how) => how === 'key' && node !== UNLABELED && store.set({ zoom: node < 0 ? null : { node } }),
      onSort: (key, down) => {
        this.sort = { key, down };
        this.update();
      },
    });
    store.on(['report', 'matches'], () => this.update());
    store.on(['selected'], () => this.follow());
  }

  get report() {
    return this.page.reports[store.state.report];
  }

  element() {
    const flat = el('input', {
      type: 'checkbox',
      id: 'flat',
      on: {
        change: () => {
          this.flat = flat.checked;
          this.sort = { key: this.flat ? 'self' : 'time', down: true };
          this.update();
        },
      },
    });
    this.note = el('span', { class: 'muted' });
    return el(
      'div',
      { class: 'pane' },
      el(
        'div',
        { class: 'toolbar' },
        button('Unfold all', () => this.foldAll(true), { class: 'quiet' }),
        button('Fold all', () => this.foldAll(false), { class: 'quiet' }),
        el('label', { class: 'choice' }, flat, 'Flat list'),
        el('span', { class: 'gap' }),
        this.note,
      ),
      this.grid.root,
    );
  }

  opened() {
    const { report } = this;
    if (!this.open.has(report.at)) {
      const open = new Set();
      const few = report.size <= UNFOLDED_AT_MOST;
      if (few) for (const node of report.children.keys()) open.add(node);
      this.open.set(report.at, open);
    }
    return this.open.get(report.at);
  }

  expanded(node) {
    if (this.flat || node < 0 || this.report.childrenOf(node).length === 0) return null;
    return store.state.matches ? true : this.opened().has(node);
  }

  toggle(node, open) {
    if (open) this.opened().add(node);
    else this.opened().delete(node);
    this.update();
  }

  foldAll(open) {
    const set = this.opened();
    set.clear();
    if (open) for (const node of this.report.children.keys()) set.add(node);
    this.update();
  }

  columns() {
    const { report } = this;
    const { unit } = report;
    const numeric = (key, label, title, track, value, text) => ({
      key,
      label,
      title,
      track,
      numeric: true,
      sort: value,
      render: (node, cell) => {
        cell.textContent = text(value(node), node);
      },
    });
    const ofPeak = (value) => (Number.isFinite(value) ? value.toFixed(1) : ABSENT);
    const present = COLOURINGS.filter(
      ({ names, key }) =>
        ['sm', 'dram', 'occupancy', 'tensor'].includes(key) &&
        (Number.isFinite(report.value(ALL, names)) || report.values(names).some(Number.isFinite)),
    );
    return [
      {
        key: 'name',
        label: 'Region',
        track: 'minmax(130px, 1fr)',
        class: 'name',
        sort: (node) => report.own(node),
        render: (node, cell) => this.renderName(node, cell),
      },
      numeric(
        'time',
        `Time ${unit}`,
        'Inclusive GPU time',
        '78px',
        (node) => report.ns(node),
        (ns) => time(ns, unit),
      ),
      {
        key: 'share',
        label: '% of all',
        title: 'Share of the GPU time of this scope',
        track: '86px',
        numeric: true,
        class: 'with-bar',
        sort: (node) => report.ns(node),
        render: (node, cell) =>
          cell.append(bar(report.share(node)), el('span', { text: percent(report.share(node)).replace(' %', '') })),
      },
      numeric(
        'self',
        `Self ${unit}`,
        'Time of results whose innermost region this is',
        '72px',
        (node) => report.selfNs(node),
        (ns) => time(ns, unit),
      ),
      numeric('results', 'Results', 'Kernel launches and other results', '62px', (node) => report.results(node), plain),
      ...present.map(({ key, short, label, names }) =>
        numeric(key, short, `${label} in per cent of peak`, '56px', (node) => report.value(node, names), ofPeak),
      ),
      {
        key: 'bound',
        label: 'Limiter',
        title: this.page.data.bound_rule,
        track: '86px',
        sort: (node) => report.bound(node).class,
        render: (node, cell) => cell.append(boundChip(report.bound(node).class)),
      },
    ];
  }

  renderName(node, cell) {
    const { report } = this;
    const open = this.expanded(node);
    const level = this.flat || node < 0 ? 0 : report.depth(node);
    cell.style.paddingLeft = `${6 + Math.min(level, 40) * 14}px`;
    cell.append(
      el('span', {
        class: open === null ? 'no-twist' : 'twist',
        text: open === null ? '' : open ? '▾' : '▸',
        'aria-hidden': 'true',
      }),
    );
    const full = this.flat ? report.name(node) : report.own(node);
    cell.append(
      el('span', {
        class: `label${store.state.matches?.own.has(node) ? ' hit' : ''}`,
        text: visible(shorten(full, 300)),
        title: hint(report.name(node)),
      }),
    );
  }

  /** The rows in view of the folds, the order and the search. */
  rows() {
    const { report } = this;
    const column = this.grid.columns.find((one) => one.key === this.sort.key) ?? this.grid.columns[1];
    const compare = compareBy(column.sort, this.sort.down);
    const { matches } = store.state;
    const wanted = (node) => !matches || matches.own.has(node) || (!this.flat && matches.above.has(node));
    if (this.flat) {
      const all = Array.from({ length: report.size }, (_, node) => node).filter(wanted);
      if (report.results(UNLABELED) > 0 && wanted(UNLABELED)) all.push(UNLABELED);
      return all.sort(compare);
    }
    const rows = [];
    const roots = [...report.childrenOf(ALL)];
    if (report.results(UNLABELED) > 0) roots.push(UNLABELED);
    const waiting = roots.filter(wanted).sort(compare).reverse();
    while (waiting.length > 0) {
      const node = waiting.pop();
      rows.push(node);
      if (this.expanded(node)) waiting.push(...report.childrenOf(node).filter(wanted).sort(compare).reverse());
    }
    return rows;
  }

  update() {
    this.grid.setColumns(this.columns());
    this.grid.setSort(this.sort.key, this.sort.down);
    const rows = this.rows();
    this.grid.setRows(rows, (node) => node === store.state.selected);
    const shown = rows.filter((node) => node >= 0).length;
    this.note.textContent =
      shown === this.report.size ? count(shown, 'region') : `${plain(shown)} of ${count(this.report.size, 'region')}`;
  }

  /** Unfolds down to what was selected elsewhere. */
  follow() {
    const { selected } = store.state;
    if (selected >= 0 && !this.flat) {
      const folded = this.report
        .ancestry(selected)
        .slice(0, -1)
        .filter((node) => !this.opened().has(node));
      if (folded.length > 0) {
        for (const node of folded) this.opened().add(node);
        this.update();
      }
    }
    this.grid.follow((node) => node === selected);
  }
}

const BOUND_LABELS = {
  compute: 'Compute',
  memory: 'Memory',
  balanced: 'Balanced',
  latency: 'Latency',
  small_grid: 'Small grid',
  mixed: 'Mixed',
  unknown: 'Unknown',
};

/** Units that a limiter names; all others are pipes of the SM. */
const UNIT_LABELS = { dram: 'DRAM', l2: 'L2', l1: 'L1', tensor: 'tensor cores' };

function boundChip(bound) {
  return el('span', { class: `chip bound-${bound}`, text: BOUND_LABELS[bound] ?? bound });
}
