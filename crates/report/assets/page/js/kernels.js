// The kernels of a region: sortable, filterable, with everything about the chosen one below.

class KernelsView {
  constructor(page) {
    this.page = page;
    this.sort = { key: 'time', down: true };
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
      onSort: (key, down) => {
        this.sort = { key, down };
        this.update();
      },
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
    Object.assign(this, { report, node, kernels: report.kernels(node) });
    this.update();
  }

  columns() {
    const { kernels, report } = this;
    const { unit } = report;
    const numeric = (key, label, title, track, value, text) => ({
      key,
      label,
      title,
      track,
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
    this.grid.setSort(this.sort.key, this.sort.down);
    const wanted = this.filter.value.trim().toLowerCase();
    let rows = Array.from({ length: kernels.length }, (_, row) => row);
    if (wanted !== '')
      rows = rows.filter(
        (row) => includes(kernels.name(row), wanted) || kernels.short(row).toLowerCase().includes(wanted),
      );
    const column = columns.find((one) => one.key === this.sort.key);
    rows.sort(compareBy(column.sort, this.sort.down));
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

  drawDetail(row) {
    this.detail.hidden = row === null;
    if (row === null) return;
    const { kernels } = this;
    const name = kernels.name(row);
    const shown = shorten(visible(shorten(name, LONGEST_SHOWN)), LONGEST_SHOWN);
    const full = el('code', { class: 'full-name folded', text: shown });
    const unfold = button(
      'Whole name',
      () => {
        const folded = full.classList.toggle('folded');
        unfold.textContent = folded ? 'Whole name' : 'Less';
        unfold.setAttribute('aria-expanded', String(!folded));
      },
      { class: 'quiet', 'aria-expanded': 'false' },
    );
    const shapes = kernels.shapes(row);
    const device = kernels.device(row);
    fill(
      this.detail,
      el(
        'div',
        { class: 'detail-head' },
        full,
        el(
          'div',
          { class: 'detail-buttons' },
          shown.length > 160 ? unfold : null,
          copyButton(() => name),
        ),
      ),
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
      el('p', {}, boundChip(kernels.bound(row))),
      shapes.length === 0
        ? null
        : el(
            'table',
            { class: 'small' },
            el(
              'thead',
              {},
              el(
                'tr',
                {},
                ['Grid', 'Block', 'Launches'].map((text) => el('th', { text, scope: 'col' })),
              ),
            ),
            el(
              'tbody',
              {},
              shapes.slice(0, 30).map(({ grid, block, calls }) =>
                el(
                  'tr',
                  {},
                  [dimensions(grid), dimensions(block), plain(calls)].map((text) => el('td', { text })),
                ),
              ),
              shapes.length > 30
                ? el('tr', {}, el('td', { colspan: '3', text: `… ${count(shapes.length - 30, 'more shape')}` }))
                : null,
            ),
          ),
      el(
        'table',
        { class: 'small' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['Metric', 'Value', 'Unit', 'How'].map((text) => el('th', { text, scope: 'col' })),
          ),
        ),
        el(
          'tbody',
          {},
          kernels.metrics(row).map((metric) => {
            const [value, unit] = metricText(metric);
            return el(
              'tr',
              {},
              el('td', { class: 'mono', text: visible(shorten(metric.name, 120)) }),
              el('td', { class: 'numeric', text: value }),
              el('td', { text: unit }),
              el('td', { class: 'muted', text: metricMethod(metric), title: metricStory(metric) }),
            );
          }),
        ),
      ),
    );
  }
}

function dimensions(three) {
  return three === null ? ABSENT : three.join(' × ');
}

/** Whether a name holds a text, whatever the case. */
function includes(name, wanted) {
  return name.toLowerCase().includes(wanted);
}
