// The kernels of a region: sortable, filterable, with everything about the chosen one below.

/** The most rules that are shown of one kernel. */
const MOST_RULES = 20;

class KernelsView {
  constructor(page) {
    this.page = page;
    this.filter = el('input', {
      type: 'search',
      class: 'filter',
      placeholder: 'Filter kernels',
      'aria-label': 'Filter kernels by name',
      spellcheck: 'false',
      on: { input: () => this.update() },
    });
    this.grid = new Grid({
      label: 'Kernels',
      columns: [],
      empty: 'No kernel',
      onSelect: (row) => this.choose(row),
      onSort: (key, down) => setSort('kernels', { key, down }),
    });
    this.note = el('span', { class: 'muted' });
    this.detail = el('div', { class: 'detail', role: 'region', 'aria-label': 'The chosen kernel', tabindex: '0' });
    this.root = el(
      'div',
      { class: 'pane' },
      el('div', { class: 'toolbar' }, this.filter, el('span', { class: 'gap' }), this.note),
      this.grid.root,
      this.detail,
    );
  }

  show(report, node) {
    Object.assign(this, { report, node, kernels: report.kernels(node), rules: report.rules(node) });
    this.update();
  }

  columns() {
    const { kernels, report } = this;
    const { unit } = report;
    const spares = { share: 1, calls: 2, mean: 3, sm: 4, dram: 5, occupancy: 6 };
    const numeric = (key, label, title, track, value, text) => ({
      key,
      label,
      title,
      track,
      spare: spares[key],
      numeric: true,
      sort: value,
      render: (row, cell) => (cell.textContent = text(value(row))),
    });
    const ofPeak = (value) => (value === null ? ABSENT : value.toFixed(1));
    const present = COLOURINGS.filter(
      ({ key, names }) => ['sm', 'dram', 'occupancy'].includes(key) && names.some((name) => kernels.columns.has(name)),
    );
    return [
      {
        key: 'name',
        label: 'Kernel',
        track: 'minmax(140px, 1fr)',
        class: 'name mono',
        sort: (row) => kernels.short(row),
        render: (row, cell) =>
          cell.append(el('span', { class: 'label', text: kernels.short(row), title: hint(kernels.name(row)) })),
      },
      numeric(
        'time',
        `Time ${unit}`,
        'GPU time',
        '80px',
        (row) => kernels.ns(row),
        (ns) => time(ns, unit),
      ),
      numeric(
        'share',
        '%',
        'Share of the region',
        '50px',
        (row) => kernels.ns(row),
        (ns) => percent(kernels.totalNs > 0 ? ns / kernels.totalNs : 0).replace(' %', ''),
      ),
      numeric('calls', 'Calls', 'Launches', '52px', (row) => kernels.calls(row), plain),
      numeric(
        'mean',
        'Mean µs',
        'Mean time of a launch',
        '70px',
        (row) => kernels.mean(row),
        (ns) => time(ns, 'µs').replace(/(\.\d)\d\d$/, '$1'),
      ),
      ...present.map(({ key, short, label, names }) =>
        numeric(key, short, `${label} in per cent of peak`, '56px', (row) => kernels.number(row, names), ofPeak),
      ),
    ];
  }

  update() {
    if (!this.kernels) return;
    const { kernels } = this;
    const columns = this.columns();
    this.grid.setColumns(columns);
    const sort = store.state.sorts.kernels ?? { key: 'time', down: true };
    const column = sortedBy(columns, sort);
    this.grid.setSort(column.key, sort.down);
    const wanted = this.filter.value.trim().toLowerCase();
    let rows = Array.from({ length: kernels.length }, (_, row) => row);
    if (wanted !== '')
      rows = rows.filter(
        (row) => includes(kernels.name(row), wanted) || kernels.short(row).toLowerCase().includes(wanted),
      );
    rows.sort(compareBy(column.sort, sort.down));
    this.grid.setRows(rows, (row) => kernels.id(row) === store.state.kernel);
    if (this.grid.active >= 0) this.grid.reveal(this.grid.active);
    const all =
      rows.length === kernels.length
        ? count(rows.length, 'kernel')
        : `${plain(rows.length)} of ${count(kernels.length, 'kernel')}`;
    this.note.textContent =
      kernels.leftOut > 0 ? `${all}; ${plain(kernels.leftOut)} lighter ones are only in report.json` : all;
    this.drawDetail(this.grid.active >= 0 ? rows[this.grid.active] : null);
  }

  choose(row) {
    store.set({ kernel: this.kernels.id(row) });
    this.drawDetail(row);
  }

  /** The way to the charts of a kernel that is launched here itself. */
  chartsButton(kernel) {
    const leaf = this.report.leaves.find(this.page.bare ? UNLABELED : this.node, kernel);
    if (leaf === null) return null;
    return button('Charts of this kernel', () => store.set({ selected: leaf, kernelTab: 'charts' }), { class: 'link', 'data-to': 'charts' });
  }

  drawDetail(row) {
    this.detail.hidden = row === null;
    if (row === null) return;
    const { kernels } = this;
    const device = kernels.device(row);
    fill(
      this.detail,
      wholeName(kernels.name(row)),
      el('p', {
        class: 'muted small',
        text: [
          kernels.kind(row) === 'kernel' ? null : visible(kernels.kind(row)),
          count(kernels.calls(row), 'call'),
          `total ${duration(kernels.ns(row))}`,
          `mean ${duration(kernels.mean(row))}`,
          `shortest ${duration(kernels.min(row))}`,
          `longest ${duration(kernels.max(row))}`,
          device === null ? null : `device ${device}`,
        ]
          .filter((part) => part)
          .join(' · '),
      }),
      limitsPart(kernels.bound(row), kernels.limits(row)),
      this.chartsButton(kernels.id(row)),
      kernels.shapes(row).length === 0 ? null : shapesTable(kernels.shapes(row)),
      metricsTable(kernels.metrics(row)),
      rulesAbout(this.page, this.rules, row, this.page.bare),
    );
  }
}

/** Whether a name holds a text, whatever the case. */
function includes(name, wanted) {
  return name.toLowerCase().includes(wanted);
}
