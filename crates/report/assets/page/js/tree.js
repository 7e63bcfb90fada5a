// The regions and their kernels as a table with rows that open: the same tree as the icicle, with numbers.

/** Trees of more rows than this start closed. */
const OPEN_AT_MOST = 300;

class TreeTable {
  constructor(page) {
    this.page = page;
    this.leaf = null; // a kernel that is shown only because it is selected
    this.open = new Map(); // by tree: the rows that are open
    this.unfolded = new Set(); // families that were unfolded when last looked at
    this.grid = new Grid({
      label: 'Regions',
      columns: [],
      empty: 'No region',
      tree: {
        level: (node) => this.level(node),
        expanded: (node) => this.expanded(node),
        toggle: (node, open) => this.toggle(node, open),
      },
      onSelect: (node) => store.set({ selected: node }),
      onActivate: (node, how) => how === 'key' && !this.report.isLeaf(node) && store.set({ zoom: { node } }),
      rowClass: (node) => (this.report.isLeaf(node) ? 'kernel' : ''),
      onAct: (node) => unfoldFamily(this.report, node, !this.report.tree.unfolded.has(node)),
      onSort: (key, down) => setSort('tree', { key, down }),
    });
    store.on(['folds'], () => this.openUnfolded());
    store.on(['report', 'matches', 'folds', 'kernels', 'sorts', 'flat'], () => this.update());
    // Rows come and go with a search; what is selected stays in view.
    store.on(['matches'], () => this.grid.active >= 0 && this.grid.reveal(this.grid.active));
    store.on(['selected'], () => this.follow());
  }

  get report() {
    return this.page.reports[store.state.report];
  }

  element() {
    this.flatBox = el('input', {
      type: 'checkbox',
      id: 'flat',
      on: {
        change: () => {
          const flat = this.flatBox.checked;
          store.set({ flat, sorts: { ...store.state.sorts, tree: { key: flat ? 'self' : 'time', down: true } } });
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
        button('Open all', () => this.openAll(true), { class: 'quiet' }),
        button('Close all', () => this.openAll(false), { class: 'quiet' }),
        el('label', { class: 'choice' }, this.flatBox, 'Flat list'),
        el('span', { class: 'gap' }),
        this.note,
      ),
      this.grid.root,
    );
  }

  get flat() {
    return store.state.flat;
  }

  get sort() {
    return store.state.sorts.tree ?? { key: 'time', down: true };
  }

  level(node) {
    return this.flat || node < 0 ? 0 : this.report.depth(node);
  }

  opened() {
    const { report } = this;
    if (!this.open.has(report.tree)) {
      const rows = report.tree.shown.reduce((sum, one) => sum + one, 0) + (store.state.kernels ? report.leaves.count() : 0);
      this.open.set(report.tree, new Set(rows <= OPEN_AT_MOST ? report.leaves.owners() : []));
    }
    return this.open.get(report.tree);
  }

  /** The members of a family that has just been unfolded are seen. */
  openUnfolded() {
    const { unfolded } = this.report.tree;
    for (const node of unfolded) if (!this.unfolded.has(node)) this.opened().add(node);
    this.unfolded = new Set(unfolded);
  }

  expanded(node) {
    if (this.flat || this.below(node).length === 0) return null;
    const { matches } = store.state;
    // Rows open down to what was found; kernels in very many places stay closed.
    const leads = matches && (matches.above.has(node) || matches.places <= MOST_FOUND_LEAVES);
    return leads || this.opened().has(node);
  }

  /** The rows below a node that the search leaves. */
  below(node) {
    const below = this.report.below(node);
    return store.state.matches ? below.filter((one) => this.wanted(one)) : below;
  }

  /** What was found and what is around it stays. */
  wanted(node) {
    const { matches } = store.state;
    if (!matches || isFound(this.report, matches, node)) return true;
    return matches.holding.has(node) || (!this.flat && matches.above.has(node));
  }

  toggle(node, open) {
    if (open) this.opened().add(node);
    else this.opened().delete(node);
    this.update();
  }

  openAll(open) {
    const set = this.opened();
    set.clear();
    if (open) for (const node of this.report.leaves.owners()) set.add(node);
    this.update();
  }

  columns() {
    const { report } = this;
    const { unit } = report;
    const spares = { self: 3, results: 2, sm: 4, dram: 5, occupancy: 6, tensor: 7 };
    const numeric = (key, label, title, track, value, text) => ({
      key,
      label,
      title,
      track,
      spare: spares[key],
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
        track: 'minmax(180px, 1fr)',
        class: 'name',
        sort: (node) => report.caption(node),
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
        track: '76px',
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
        spare: 1,
        sort: (node) => report.bound(node).class,
        render: (node, cell) => cell.append(boundChip(report.bound(node).class)),
      },
    ];
  }

  renderName(node, cell) {
    const { report } = this;
    const open = this.expanded(node);
    cell.style.paddingLeft = `${6 + Math.min(this.level(node), 40) * 14}px`;
    cell.append(
      el('span', {
        class: open === null ? 'no-twist' : 'twist',
        text: open === null ? '' : open ? '▾' : '▸',
        'aria-hidden': 'true',
      }),
    );
    const { matches } = store.state;
    const isFamily = report.tree.isFamily(node);
    const found = matches && isFound(report, matches, node);
    if (report.isLeaf(node)) {
      const { list, row } = report.leaves.row(node);
      cell.append(
        el('span', { class: 'kernel-mark', 'aria-hidden': 'true' }),
        el('span', { class: 'offscreen', text: 'kernel ' }),
        el('span', {
          class: `label mono${found ? ' hit' : ''}`,
          text: report.own(node),
          title: row === null ? null : hint(list.name(row)),
        }),
      );
      return;
    }
    const name = this.flat ? report.name(node) : isFamily ? report.own(node) : report.caption(node);
    cell.append(
      el('span', {
        class: `label${found ? ' hit' : matches?.holding.has(node) ? ' holds' : ''}`,
        text: visible(shorten(name, 300)),
        title: hint(report.name(node)),
      }),
    );
    if (isFamily) cell.append(this.familyChip(node));
  }

  /** How many members a family has; shows them or hides them. */
  familyChip(node) {
    const { report } = this;
    const open = report.tree.unfolded.has(node);
    const members = count(report.tree.members(node).length, 'member');
    const { outliers } = report.family(node);
    const out = outliers.length > 0 ? `; ${count(outliers.length, 'stands', 'stand')} out` : '';
    return el('button', {
      type: 'button',
      class: `family${outliers.length > 0 ? ' uneven' : ''}`,
      tabindex: '-1',
      'data-act': 'unfold',
      'aria-expanded': String(open),
      'aria-label': `${open ? 'Fold' : 'Unfold'} ${members}`,
      text: `${report.times(node).trim()} ${open ? '⊟' : '⊞'}`,
      title: `${members}: ${spreadOf(report, node)}${out}. Click or press u to ${open ? 'fold' : 'unfold'}.`,
    });
  }

  /** The rows in view of what is open, the order and the search. */
  rows() {
    const { report } = this;
    const compare = compareBy(sortedBy(this.grid.all, this.sort).sort, this.sort.down);
    const wanted = (node) => this.wanted(node);
    if (this.flat) {
      // The members of an unfolded family stand for it.
      const { shown, unfolded } = report.tree;
      const listed = (node) => shown[node] && !unfolded.has(node) && wanted(node);
      const all = Array.from({ length: report.tree.nodes }, (_, node) => node).filter(listed);
      if (report.results(UNLABELED) > 0 && wanted(UNLABELED)) all.push(UNLABELED);
      return all.sort(compare);
    }
    const rows = [];
    const waiting = rootsOf(report).filter(wanted).sort(compare).reverse();
    while (waiting.length > 0) {
      const node = waiting.pop();
      rows.push(node);
      if (this.expanded(node)) for (const one of [...this.below(node)].sort(compare).reverse()) waiting.push(one);
    }
    return rows;
  }

  update() {
    this.flatBox.checked = this.flat;
    const columns = this.columns();
    this.grid.setColumns(columns);
    this.grid.setSort(sortedBy(columns, this.sort).key, this.sort.down);
    const rows = this.rows();
    this.grid.setRows(rows, (node) => node === store.state.selected);
    const { size, tree } = this.report;
    const shown = rows.filter((node) => node >= 0 && node < size).length;
    const families = rows.filter((node) => tree.isFamily(node)).length;
    const kernels = rows.filter((node) => this.report.isLeaf(node)).length;
    this.note.textContent = [
      families > 0 ? count(families, 'family', 'families') : null,
      shown === size ? count(shown, 'region') : `${plain(shown)} of ${count(size, 'region')}`,
      kernels > 0 ? `${count(kernels, 'kernel')} in them` : null,
    ]
      .filter((part) => part)
      .join(', ');
  }

  /** Opens rows down to what was selected elsewhere. */
  follow() {
    const { selected, kernels } = store.state;
    // A kernel that is shown only because it is selected comes and goes.
    const leaf = !kernels && this.report.isLeaf(selected) ? selected : null;
    if (leaf !== this.leaf) {
      this.leaf = leaf;
      this.update();
    }
    if (selected !== ALL && !this.flat) {
      const closed = this.report
        .ancestry(selected)
        .slice(0, -1)
        .filter((node) => !this.opened().has(node));
      if (closed.length > 0) {
        for (const node of closed) this.opened().add(node);
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
