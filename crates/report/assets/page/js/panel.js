// The panel of what is selected: a region or family, or a kernel in one. Each has its own tabs.

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
      ...(page.bare ? [] : [table('kernels', 'Kernels', new KernelsView(page))]),
      pane('sections', 'Sections', sectionsView),
      table('metrics', 'Metrics', new MetricsView(page)),
      table('charts', 'Charts', new ChartsView(page)),
      pane('advice', 'Advice', (...region) => regionAdvice(page, ...region)),
    ];
    this.kernelViews = [
      pane('overview', 'Overview', (...leaf) => kernelOverview(page, ...leaf)),
      table('charts', 'Charts', new ChartsView(page)),
      pane('metrics', 'Metrics', (...leaf) => kernelMetrics(page, ...leaf)),
    ];
    this.tabs = tabs('panel', 'About the selected region', this.views, store.state.tab, (tab) => store.set({ tab }));
    this.kernelTabs = tabs('kernel', 'About the selected kernel', this.kernelViews, store.state.kernelTab, (kernelTab) =>
      store.set({ kernelTab }),
    );
    store.on(['report', 'selected', 'tab', 'kernelTab', 'folds'], () => this.soon());
    store.on(['kernel', 'sorts'], () => store.state.tab === 'kernels' && this.soon());
    // Holding an arrow key selects many regions a second.
    this.soon = oncePerFrame(() => this.update());
  }

  element() {
    return el(
      'aside',
      { class: 'panel', id: 'panel', 'aria-label': 'Selected region or kernel' },
      this.heading,
      this.tabs.bar,
      this.kernelTabs.bar,
      [...this.views, ...this.kernelViews].map((view) => view.panel),
    );
  }

  update() {
    const report = this.page.reports[store.state.report];
    const { selected: node } = store.state;
    const isKernel = report.isLeaf(node);
    const tab = isKernel ? store.state.kernelTab : store.state.tab;
    const view = (isKernel ? this.kernelViews : this.views).find(({ key }) => key === tab);
    if (isKernel) this.drawKernelHeading(report, node);
    else this.drawHeading(report, node);
    this.tabs.show(isKernel ? null : tab);
    this.kernelTabs.show(isKernel ? tab : null);
    this.tabs.bar.hidden = isKernel;
    this.kernelTabs.bar.hidden = !isKernel;
    const shown = `${report.at} ${node} ${tab}`;
    if (this.shown !== shown) view.panel.scrollTop = 0;
    this.shown = shown;
    view.show(report, node);
  }

  drawKernelHeading(report, leaf) {
    const { list, row } = report.leaves.row(leaf);
    const kind = row === null || list.kind(row) === 'kernel' ? 'kernel' : visible(list.kind(row));
    const device = row === null ? null : list.device(row);
    fill(
      this.heading,
      this.crumbs(report, this.page.bare ? [ALL] : report.ancestry(report.parent(leaf))),
      el('h2', { class: 'kernel-title', text: report.own(leaf) }),
      row === null || list.name(row) === report.own(leaf) ? null : wholeName(list.name(row)),
      el('p', {
        class: 'muted small',
        text: [this.page.bare ? kind : `${kind} launched directly in this region`, device === null ? null : `device ${device}`]
          .filter((part) => part)
          .join(' · '),
      }),
    );
  }

  /** The regions around what is selected. */
  crumbs(report, above) {
    if (above.length === 0) return null;
    const shown = above.length > 4 ? [...above.slice(0, 1), null, ...above.slice(-2)] : above;
    return el(
      'nav',
      { class: 'crumbs', 'aria-label': 'Enclosing regions' },
      shown.map((one) =>
        one === null
          ? el('span', { text: '…' })
          : button(visible(shorten(report.caption(one), 40)), () => store.set({ selected: one }), {
              class: 'crumb',
              title: hint(report.name(one)),
            }),
      ),
    );
  }

  drawHeading(report, node) {
    const name =
      node === ALL
        ? 'Everything selected'
        : node === UNLABELED
          ? `${report.own(UNLABELED)}: ${report.own(UNLABELED) === '(unlabeled)' ? 'no range was open' : 'the report does not tell which ranges were open'}`
          : visible(shorten(report.caption(node), 400));
    const isFamily = report.tree.isFamily(node);
    const kind = node < 0 ? null : report.table.start_end[node] ? 'start/end range' : 'push/pop range';
    const domain = node < 0 ? null : report.page.text(report.table.domain[node]);
    const facts = [
      isFamily ? `family of ${kind}s` : kind,
      domain && domain !== DEFAULT_DOMAIN ? `domain ${visible(shorten(domain, 60))}` : null,
      node >= 0 && report.table.process[node] !== null ? `process ${report.table.process[node]}` : null,
      node >= 0 && report.table.device[node] !== null ? `device ${report.table.device[node]}` : null,
      node >= 0 && report.table.seen[node] !== report.results(node)
        ? `${plain(report.results(node))} of ${plain(report.table.seen[node])} results selected`
        : null,
    ];
    fill(
      this.heading,
      this.crumbs(report, node >= 0 ? report.ancestry(node).slice(0, -1) : []),
      el(
        'div',
        { class: 'panel-title' },
        el('h2', { text: name, title: hint(report.name(node)) }),
        isFamily ? unfoldButton(report, node) : null,
        patternButton(report, node),
      ),
      el('p', { class: 'muted small', text: facts.filter((fact) => fact).join(' · ') || report.label }),
    );
  }
}

/** Shows the members of a family, or the family alone. */
function unfoldButton(report, node) {
  const open = report.tree.unfolded.has(node);
  return button(open ? 'Fold' : 'Unfold', () => unfoldFamily(report, node, !open), {
    class: 'quiet',
    id: 'unfold-selected',
    'aria-expanded': String(open),
  });
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
