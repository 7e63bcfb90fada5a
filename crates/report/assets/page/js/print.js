// The page on paper: facts, the regions as one table, the best advice. Built when it is printed.

const MOST_PRINTED = 1000;

/** The changes on paper, costliest first. */
function printedChanges(page, report) {
  const { comparison } = page;
  const rows = comparison.rows(report).slice(0, 100);
  return [
    el('h2', { text: `Compared with ${baseTitle(comparison)}` }),
    el(
      'ul',
      {},
      comparison.data.notes.slice(0, 20).map((note) => el('li', { text: visible(shorten(note.message, 600)) })),
    ),
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ['Region', 'Base', 'New', 'Change', 'Verdict'].map((text) => el('th', { text, scope: 'col' })),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((row) =>
          el(
            'tr',
            {},
            [
              visible(shorten(comparison.text(row.name), 120)),
              duration(row.time[0]),
              duration(row.time[1]),
              relativeText(row.time),
              capital(comparison.verdict(row)),
            ].map((text) => el('td', { text })),
          ),
        ),
      ),
    ),
  ];
}

/** The tree from top to bottom, as it is folded. */
function inShownOrder(report) {
  const nodes = [];
  const waiting = [...report.childrenOf(ALL)].reverse();
  while (waiting.length > 0) {
    const node = waiting.pop();
    nodes.push(node);
    waiting.push(...[...report.childrenOf(node)].reverse());
  }
  return nodes;
}

function buildPrint(page) {
  const report = page.reports[store.state.report];
  const { data } = page;
  const { unit } = report;
  const regions = inShownOrder(report);
  const kept = new Set([...regions].sort((a, b) => report.ns(b) - report.ns(a)).slice(0, MOST_PRINTED));
  const present = COLOURINGS.filter(
    ({ key, names }) =>
      ['sm', 'dram', 'occupancy', 'tensor'].includes(key) && report.values(names).some(Number.isFinite),
  );
  const row = (node) => {
    const name = el('td', { text: visible(shorten(report.caption(node), 120)) });
    name.style.paddingLeft = `${Math.min(report.depth(node), 20) * 10 + 2}px`;
    const numbers = [
      time(report.ns(node), unit),
      percent(report.share(node)).replace(' %', ''),
      time(report.selfNs(node), unit),
      plain(report.results(node)),
      ...present
        .map(({ names }) => report.value(node, names))
        .map((value) => (Number.isFinite(value) ? value.toFixed(1) : ABSENT)),
    ];
    return el(
      'tr',
      {},
      name,
      numbers.map((text) => el('td', { class: 'numeric', text })),
      el('td', { text: BOUND_LABELS[report.bound(node).class] }),
    );
  };
  const heads = [
    'Region',
    `Time ${unit}`,
    '% of all',
    `Self ${unit}`,
    'Results',
    ...present.map(({ short }) => `${short} %`),
    'Limiter',
  ];
  const nodes = regions.filter((node) => kept.has(node));
  if (report.results(UNLABELED) > 0) nodes.push(UNLABELED);
  fill(
    byId('print'),
    el('h1', { text: pageTitle(page) }),
    el('p', {
      text: [
        data.simulated ? 'Simulated: no GPU measured these numbers' : 'Measured',
        deviceNames(data),
        profilers(data),
        `scope: ${report.label}`,
        `${duration(report.totalNs)} of GPU time in ${count(report.results(ALL), 'result')}`,
      ].join(' · '),
    }),
    page.comparison ? printedChanges(page, report) : null,
    el(
      'ul',
      {},
      report
        .facts()
        .map((fact) =>
          el(
            'li',
            {},
            el('strong', { text: `${FACT_LABELS[fact.kind] ?? fact.kind}: ` }),
            prose(visible(shorten(fact.sentence, 1200)), page),
          ),
        ),
    ),
    el('h2', {
      text:
        kept.size < regions.length ? `The heaviest ${plain(kept.size)} of ${plain(regions.length)} regions` : 'Regions',
    }),
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          heads.map((text, at) =>
            el('th', { text, scope: 'col', class: at > 0 && at < heads.length - 1 ? 'numeric' : '' }),
          ),
        ),
      ),
      el('tbody', {}, nodes.map(row)),
    ),
    report.findings().length > 0 ? el('h2', { text: 'Advice' }) : null,
    report.findings()
      .slice(0, 10)
      .map((finding) => adviceCard(report, finding, true)),
    data.notes.length > 0
      ? [
          el('h2', { text: 'Notes' }),
          el(
            'ul',
            {},
            data.notes.slice(0, 50).map((note) => el('li', { text: visible(shorten(note.message, 1000)) })),
          ),
        ]
      : null,
  );
}
