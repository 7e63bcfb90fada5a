// What to do: findings of the run and of a region, and ncu's rules as they were said.

/** One finding as a card. */
function adviceCard(report, finding, withRegion) {
  const { gain } = finding;
  const local = gain?.kind === 'local' ? ' An estimate of the unit that the rule is about, not of the time.' : '';
  const kernels = finding.kernel_count > 0 ? report.kernels(finding.node) : null;
  return el(
    'article',
    { class: `advice ${finding.severity}` },
    el(
      'header',
      {},
      el('span', {
        class: `severity ${finding.severity}`,
        text: finding.kind === 'note' ? 'Note' : { high: 'High', medium: 'Medium', low: 'Low' }[finding.severity],
      }),
      el('h4', { text: visible(shorten(finding.title, 300)) }),
      finding.amount
        ? el('span', {
            class: 'gain',
            text: finding.amount,
            title: gain ? `${percent(gain.region)} of the region, ${duration(gain.ns)}.${local}` : '',
          })
        : null,
      withRegion && finding.node !== ALL
        ? button(
            visible(shorten(report.name(finding.node), 80)) + report.times(finding.node),
            () => store.set({ selected: finding.node, tab: 'advice' }),
            { class: 'link', title: hint(report.name(finding.node)) },
          )
        : null,
    ),
    el('p', {}, prose(adviceText(finding, kernels))),
    el(
      'ul',
      { class: 'evidence' },
      finding.evidence
        .slice(0, 12)
        .map(({ label, value, unit }) =>
          el(
            'li',
            {},
            `${visible(shorten(label, 120))} `,
            el('b', { text: scaled(value, unit === '' ? '' : visible(unit)).join(' ') }),
          ),
        ),
    ),
    el(
      'p',
      { class: 'muted small' },
      kernels
        ? [
            `${count(finding.kernel_count, 'kernel')}: `,
            el('span', {
              class: 'mono',
              text:
                finding.kernels
                  .filter((row) => row < kernels.length)
                  .slice(0, 4)
                  .map((row) => kernels.short(row))
                  .join(', ') + (finding.kernel_count > 4 ? ' …' : ''),
            }),
          ]
        : null,
      kernels && finding.section ? ' · ' : null,
      finding.section ? `section ${visible(shorten(finding.section, 100))}` : null,
    ),
  );
}

/** The text of a finding with its kernels' names shortened. */
function adviceText(finding, kernels) {
  let { text } = finding;
  for (const row of finding.kernels) {
    if (kernels && row < kernels.length) text = text.replaceAll(kernels.name(row), () => `\`${kernels.short(row)}\``);
  }
  return visible(shorten(text.replaceAll('``', '`'), 4000));
}

/** One of ncu's rules as it was said. */
function ruleCard(page, rule) {
  const gain =
    rule.region_speedup === null
      ? ''
      : `${rule.speedup_kind === 'local' ? 'local ' : ''}speed-up ${rule.region_speedup.toFixed(1)} % of the region, ${(rule.max_speedup ?? 0).toFixed(1)} % of one result at most`;
  return el(
    'article',
    { class: 'advice rule' },
    el(
      'header',
      {},
      el('span', { class: 'severity low', text: visible(shorten(rule.kind, 20)) }),
      el('h4', { text: visible(shorten(rule.title || rule.name || rule.rule, 300)) }),
    ),
    gain ? el('p', { class: 'gain', text: gain }) : null,
    el('p', { text: visible(shorten(rule.message, 4000)) }),
    el(
      'p',
      { class: 'muted small' },
      `${visible(shorten(rule.rule, 80))}, section ${visible(shorten(rule.section, 80))}, ${count(rule.results, 'result')}, weighs most in `,
      el('span', { class: 'mono', text: page.shortOf(rule.kernel), title: hint(rule.kernel) }),
    ),
  );
}

/** The findings of the whole run, costliest first. */
class AdviceView {
  constructor(page) {
    this.page = page;
    this.root = el('div', { class: 'pane scroll', tabindex: '0', 'aria-label': 'Advice for the whole run' });
    store.on(['report', 'view'], () => this.update());
  }

  element() {
    return this.root;
  }

  update() {
    if (store.state.view !== 'advice') return;
    const report = this.page.reports[store.state.report];
    const findings = report.findings();
    const most = 60;
    fill(
      this.root,
      findings.length === 0
        ? el('p', { class: 'message', text: 'Nothing was found that the report supports with numbers.' })
        : null,
      findings.slice(0, most).map((finding) => adviceCard(report, finding, true)),
      findings.length > most
        ? el('p', {
            class: 'muted',
            text: `${count(findings.length - most, 'further finding')}: select a region to see its own.`,
          })
        : null,
    );
  }
}
