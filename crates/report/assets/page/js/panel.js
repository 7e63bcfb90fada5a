// The panel of the selected region.

class Panel {
  constructor(page) {
    this.page = page;
    this.heading = el('div', { class: 'panel-head' });
    const pane = (key, label, draw) => {
      const panel = el('div', { class: 'pane scroll', tabindex: '0', 'aria-label': label });
      return { key, label, panel, show: (report, node) => draw(report, node, panel) };
    };
    const table = (key, label, view) => ({ key, label, panel: view.root, show: (...region) => view.show(...region) });
    this.views = [
      pane('overview', 'Overview', (...region) => overview(page, ...region)),
      table('kernels', 'Kernels', new KernelsView(page)),
      pane('sections', 'Sections', sectionsView),
      table('metrics', 'Metrics', new MetricsView(page)),
      pane('advice', 'Advice', (...region) => regionAdvice(page, ...region)),
    ];
    this.tabs = tabs('About the selected region', this.views, store.state.tab, (tab) => store.set({ tab }));
    store.on(['report', 'selected', 'tab'], () => this.soon());
    store.on(['kernel'], () => store.state.tab === 'kernels' && this.soon());
    // Holding an arrow key selects many regions a second.
    this.soon = oncePerFrame(() => this.update());
  }

  element() {
    return el(
      'aside',
      { class: 'panel', id: 'panel', 'aria-label': 'Selected region' },
      this.heading,
      this.tabs.bar,
      this.views.map((view) => view.panel),
    );
  }

  update() {
    const report = this.page.reports[store.state.report];
    const { selected: node, tab } = store.state;
    const view = this.views.find(({ key }) => key === tab);
    this.drawHeading(report, node);
    this.tabs.show(tab);
    const shown = `${report.at} ${node} ${tab}`;
    if (this.shown !== shown) view.panel.scrollTop = 0;
    this.shown = shown;
    view.show(report, node);
  }

  drawHeading(report, node) {
    const above = node >= 0 ? report.ancestry(node).slice(0, -1) : [];
    const shown = above.length > 4 ? [...above.slice(0, 1), null, ...above.slice(-2)] : above;
    const name =
      node === ALL
        ? 'Everything selected'
        : node === UNLABELED
          ? '(unlabeled): no range was open'
          : visible(shorten(report.own(node), 400));
    const kind = node < 0 ? null : report.table.start_end[node] ? 'start/end range' : 'push/pop range';
    const domain = node < 0 ? null : report.page.text(report.table.domain[node]);
    const facts = [
      kind,
      domain && domain !== '<default domain>' ? `domain ${visible(shorten(domain, 60))}` : null,
      node >= 0 && report.table.process[node] !== null ? `process ${report.table.process[node]}` : null,
      node >= 0 && report.table.device[node] !== null ? `device ${report.table.device[node]}` : null,
      node >= 0 && report.table.seen[node] !== report.results(node)
        ? `${plain(report.results(node))} of ${plain(report.table.seen[node])} results selected`
        : null,
    ];
    fill(
      this.heading,
      above.length > 0
        ? el(
            'nav',
            { class: 'crumbs', 'aria-label': 'Enclosing regions' },
            shown.map((one) =>
              one === null
                ? el('span', { text: '…' })
                : button(visible(shorten(report.own(one), 40)), () => store.set({ selected: one }), {
                    class: 'crumb',
                    title: hint(report.own(one)),
                  }),
            ),
          )
        : null,
      el(
        'div',
        { class: 'panel-title' },
        el('h2', { text: name, title: hint(report.name(node)) }),
        node >= 0 ? copyButton(() => report.path(node).join('/'), 'Copy path') : null,
      ),
      el('p', { class: 'muted small', text: facts.filter((fact) => fact).join(' · ') || report.label }),
    );
  }
}

function regionAdvice(page, report, node, root) {
  const findings = report.advice(node);
  const rules = report.rules(node);
  fill(
    root,
    findings.length + rules.length === 0
      ? el('p', { class: 'message', text: 'No advice about these results.' })
      : null,
    findings.map((finding) => adviceCard(report, finding, false)),
    rules.length > 0
      ? el(
          'details',
          { open: findings.length === 0 },
          el('summary', { text: `What ncu's rules said (${rules.length})` }),
          rules.map((rule) => ruleCard(page, rule)),
        )
      : null,
  );
}
