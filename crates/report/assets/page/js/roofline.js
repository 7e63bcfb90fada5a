// The roofline: measured work against what the device could do, as a picture and as a table.

const MOST_POINTS = 400;
const LEVELS = { dram: 'DRAM', l2: 'L2', l1: 'L1' };

class RooflineView {
  constructor(page) {
    this.page = page;
    this.level = null;
    this.precision = null;
    this.asTable = false;
    this.root = el('div', { class: 'pane roofline-pane' });
    store.on(['report', 'selected', 'dark', 'view', 'folds', 'points'], () => this.update());
    new ResizeObserver(oncePerFrame(() => this.update())).observe(this.root);
  }

  get report() {
    return this.page.reports[store.state.report];
  }

  get of() {
    return store.state.points;
  }

  element() {
    return this.root;
  }

  /** The points of the regions at and below the selected node, or of its kernels. */
  points() {
    const { report } = this;
    const selected = report.leaves.region(store.state.selected);
    if (this.of === 'kernels') {
      const kernels = report.kernels(selected);
      const leaves = new Map(report.leaves.of(selected).map((leaf) => [report.leaves.kernelOf(leaf), leaf]));
      return kernels.points().map((point) => ({
        ...point,
        ns: kernels.ns(point.row),
        name: kernels.short(point.row),
        full: kernels.name(point.row),
        choose: leaves.get(kernels.id(point.row)) ?? null,
      }));
    }
    const nodes = [selected];
    const points = [];
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at];
      nodes.push(...report.childrenOf(node));
      for (const point of report.roofline(node).points) {
        points.push({
          ...point,
          ns: report.ns(node),
          name: visible(shorten(report.name(node), 200)) + report.times(node),
          full: report.name(node),
          choose: node,
        });
      }
    }
    return points;
  }

  update() {
    if (store.state.view !== 'roofline' || this.root.clientWidth === 0) return;
    const { report } = this;
    const { selected } = store.state;
    const all = this.points();
    const { roofs } = report.roofline(selected);
    const hasAny = all.length > 0 || report.roofline(ALL).points.length > 0;
    if (!hasAny) {
      fill(this.root, this.missing());
      return;
    }
    const levels = [...new Set(all.flatMap((point) => Object.keys(point.levels)))];
    if (!levels.includes(this.level)) this.level = levels[0] ?? 'dram';
    const precisions = [...new Set(all.map((point) => point.precision))].sort();
    if (this.precision !== null && !precisions.includes(this.precision)) this.precision = null;
    const fitting = all.filter(
      (point) =>
        point.levels[this.level] &&
        point.work > 0 &&
        point.levels[this.level].intensity > 0 &&
        (this.precision === null || point.precision === this.precision),
    );
    // What is selected is drawn however light it is.
    const own = (point) => Number(point.choose !== null && point.choose === selected);
    const shown = fitting.sort((a, b) => own(b) - own(a) || b.ns - a.ns).slice(0, MOST_POINTS);
    fill(
      this.root,
      this.controls(levels, precisions, fitting.length, shown.length),
      fitting.length === 0 ? this.missing() : this.asTable ? this.table(fitting) : rooflinePicture(this, shown, roofs),
    );
  }

  controls(levels, precisions, found, shown) {
    const choose = (id, label, options, value, set) => {
      const select = el(
        'select',
        {
          id,
          on: {
            change: () => {
              set(select.value);
              this.update();
              byId(id)?.focus();
            },
          },
        },
        options.map(([key, text]) => el('option', { value: key, text, selected: key === value })),
      );
      return el('label', { class: 'choice' }, label, select);
    };
    const table = el('input', {
      type: 'checkbox',
      id: 'roofline-table',
      on: {
        change: () => {
          this.asTable = table.checked;
          this.update();
          byId('roofline-table')?.focus();
        },
      },
    });
    table.checked = this.asTable;
    return el(
      'div',
      { class: 'toolbar' },
      choose(
        'roofline-of',
        'Points',
        [
          ['regions', 'Regions'],
          ['kernels', 'Kernels'],
        ],
        this.of,
        (points) => store.set({ points }),
      ),
      levels.length > 0 &&
        choose(
          'roofline-level',
          'Traffic',
          levels.map((level) => [level, LEVELS[level] ?? level]),
          this.level,
          (value) => (this.level = value),
        ),
      precisions.length > 1
        ? choose(
            'roofline-precision',
            'Work',
            [['', 'All'], ...precisions.map((one) => [one, one])],
            this.precision ?? '',
            (value) => (this.precision = value || null),
          )
        : null,
      el('label', { class: 'choice' }, table, 'As table'),
      el('span', { class: 'gap' }),
      el('span', {
        class: 'muted',
        text:
          found > shown
            ? `the heaviest ${shown} of ${count(found, 'point')}`
            : `${count(found, 'point')}; area is time`,
      }),
    );
  }

  lines(point) {
    const level = point.levels[this.level];
    const mark = point.exact ? '' : '~';
    const lines = [
      shorten(visible(shorten(point.name, 400)), 160),
      `${point.precision}: ${mark}${scaled(point.work, 'flop/s').join(' ')}`,
      `${mark}${plain(Number(level.intensity.toPrecision(4)))} operations per ${LEVELS[this.level] ?? this.level} byte`,
      `${duration(point.ns)}`,
    ];
    if (level.attainable)
      lines.push(`${percent(point.work / level.attainable)} of what is attainable at this intensity`);
    return lines;
  }

  table(points) {
    const { level } = this;
    const unit = (column) => (point, cell) => (cell.textContent = column(point));
    const grid = new Grid({
      label: 'Roofline points',
      empty: 'No points',
      columns: [
        {
          key: 'name',
          label: this.of === 'kernels' ? 'Kernel' : 'Region',
          track: 'minmax(160px, 1fr)',
          render: (point, cell) => cell.append(el('span', { text: point.name, title: hint(point.full) })),
        },
        { key: 'precision', label: 'Work', track: '110px', render: unit((point) => point.precision) },
        {
          key: 'intensity',
          label: 'Op/byte',
          track: '90px',
          numeric: true,
          render: unit((point) => plain(Number(point.levels[level].intensity.toPrecision(4)))),
        },
        {
          key: 'work',
          label: 'Measured',
          track: '120px',
          numeric: true,
          render: unit((point) => scaled(point.work, 'flop/s').join(' ')),
        },
        {
          key: 'attainable',
          label: 'Attainable',
          track: '120px',
          numeric: true,
          render: unit((point) =>
            point.levels[level].attainable ? scaled(point.levels[level].attainable, 'flop/s').join(' ') : ABSENT,
          ),
        },
        {
          key: 'of',
          label: 'of it',
          track: '70px',
          numeric: true,
          render: unit((point) =>
            point.levels[level].attainable ? percent(point.work / point.levels[level].attainable) : ABSENT,
          ),
        },
        {
          key: 'time',
          label: `Time ${this.report.unit}`,
          track: '90px',
          numeric: true,
          render: unit((point) => time(point.ns, this.report.unit)),
        },
      ],
    });
    grid.setRows(points);
    return grid.root;
  }

  /** What to do when there is nothing to draw. */
  missing() {
    const missing = this.report.data.roofline_missing;
    return el(
      'div',
      { class: 'message' },
      el('h3', {
        text:
          this.of === 'kernels'
            ? 'These kernels do not hold what a roofline needs'
            : 'This report does not hold what a roofline needs',
      }),
      missing.length === 0 ? el('p', { text: 'No work was measured in the results shown here.' }) : null,
      missing.map(({ what, metrics, presets }) =>
        el(
          'div',
          { class: 'missing' },
          el('p', { text: `${visible(what)}: ${metrics.length === 0 ? 'not collected' : 'not collected are'}` }),
          el(
            'ul',
            { class: 'mono' },
            metrics.slice(0, 12).map((metric) => el('li', { text: visible(metric) })),
            metrics.length > 12 ? el('li', { text: `… ${count(metrics.length - 12, 'more', 'more')}` }) : null,
          ),
          presets.length > 0
            ? el(
                'p',
                {},
                'Collected by the preset ',
                presets
                  .map((preset, at) => [at > 0 ? ' or ' : '', el('code', { text: `profiling/ncu=${visible(preset)}` })])
                  .flat(),
                '.',
              )
            : null,
        ),
      ),
    );
  }
}
