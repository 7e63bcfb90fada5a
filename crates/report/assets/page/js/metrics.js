// All metrics of a region, and its sections as ncu shows them.

class MetricsView {
  constructor(page) {
    this.page = page;
    this.exclusive = false;
    this.filter = el('input', {
      type: 'search',
      class: 'filter',
      placeholder: 'Filter metrics',
      'aria-label': 'Filter metrics by name',
      spellcheck: 'false',
      on: { input: () => this.update() },
    });
    this.which = el(
      'select',
      {
        'aria-label': 'Which results',
        on: {
          change: () => {
            this.exclusive = this.which.value === 'self';
            this.update();
          },
        },
      },
      el('option', { value: 'all', text: 'Inclusive' }),
      el('option', { value: 'self', text: 'Self only' }),
    );
    this.note = el('span', { class: 'muted' });
    const text = (key, label, track, value, more = {}) => ({
      key,
      label,
      track,
      ...more,
      render: (metric, cell) => {
        cell.textContent = value(metric);
        cell.title = `${hint(metric.name)}\n${metricStory(metric)}`;
      },
    });
    this.grid = new Grid({
      label: 'Metrics',
      empty: 'No metric',
      columns: [
        text('name', 'Metric', 'minmax(160px, 1fr)', (metric) => visible(shorten(metric.name, 200)), { class: 'mono' }),
        text('value', 'Value', '96px', (metric) => metricText(metric)[0], { numeric: true }),
        text('unit', 'Unit', '72px', (metric) => metricText(metric)[1]),
        text('method', 'Method', '98px', (metric) => (METHODS[metric.method] ?? metric.method).replace(' mean', ''), { spare: 1 }),
        text('exact', 'Exact', '44px', (metric) => (metric.exact ? 'yes' : 'no'), { spare: 2 }),
        text(
          'covered',
          'Covers',
          '54px',
          (metric) => (metric.covered === metric.of ? 'all' : `${plain(metric.covered)}/${plain(metric.of)}`),
          { numeric: true, spare: 3 },
        ),
      ],
    });
    this.reason = el('p', { class: 'detail small', hidden: true });
    this.grid.onSelect = (metric) => {
      this.reason.hidden = false;
      fill(
        this.reason,
        el('code', { text: visible(shorten(metric.name, 400)) }),
        ` ${metricText(metric).join(' ')}: ${metricStory(metric)} `,
        copyButton(() => metric.name, 'Copy name'),
      );
    };
    this.root = el(
      'div',
      { class: 'pane' },
      el('div', { class: 'toolbar' }, this.filter, this.which, el('span', { class: 'gap' }), this.note),
      this.grid.root,
      this.reason,
    );
  }

  show(report, node) {
    Object.assign(this, { report, node });
    this.reason.hidden = true;
    this.update();
  }

  update() {
    if (!this.report) return;
    const self = this.report.exclusiveMetrics(this.node);
    this.which.hidden = self === null;
    const set = this.exclusive && self ? self : this.report.metrics(this.node);
    const wanted = this.filter.value.trim().toLowerCase();
    const rows = [];
    for (let at = 0; at < set.length; at++) {
      const metric = set.at(at);
      if (wanted === '' || includes(metric.name, wanted)) rows.push(metric);
    }
    this.grid.setRows(rows);
    const all =
      rows.length === set.length
        ? count(set.length, 'metric')
        : `${plain(rows.length)} of ${count(set.length, 'metric')}`;
    this.note.textContent = set.leftOut > 0 ? `${all}; ${plain(set.leftOut)} more are in report.json` : all;
  }
}

function sectionsView(report, node, root) {
  fill(root, sectionParts(report, node));
}

/** The sections of a node, each as ncu's details page shows its header. */
function sectionParts(report, node) {
  const sections = report.sections(node).filter((section) => section.metrics.length > 0);
  const without = report.sections(node).length - sections.length;
  return [
    sections.length === 0
      ? el('p', { class: 'message', text: 'The report holds no section for these results.' })
      : null,
    sections.map((section) =>
      el(
        'section',
        { class: 'ncu-section' },
        el('h3', { text: visible(shorten(section.name || section.id, 200)), title: hint(section.id) }),
        section.covered < report.results(node)
          ? el('p', {
              class: 'muted small',
              text: `in ${plain(section.covered)} of ${count(report.results(node), 'result')}`,
            })
          : null,
        el(
          'table',
          { class: 'wide' },
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              ['Metric Name', 'Metric Unit', 'Metric Value', 'Method'].map((text, at) =>
                el('th', { text, scope: 'col', class: at === 2 ? 'numeric' : '' }),
              ),
            ),
          ),
          el(
            'tbody',
            {},
            section.metrics.map(({ label, metric }) => {
              const [value, unit] = metricText(metric);
              return el(
                'tr',
                { title: `${hint(metric.name)}\n${metricStory(metric)}` },
                el('td', { text: visible(shorten(label, 120)) }),
                el('td', { text: unit }),
                el('td', { class: 'numeric', text: value }),
                el('td', { class: 'muted', text: metricMethod(metric) }),
              );
            }),
          ),
        ),
      ),
    ),
    without > 0
      ? el('p', { class: 'muted small', text: `${count(without, 'further section')} without header metrics.` })
      : null,
  ];
}
