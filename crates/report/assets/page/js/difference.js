// What changed against the base, where the page holds a comparison.

/** The relative change at which the colour is full. */
const CHANGE_LIMIT = 0.2;

class Difference {
  constructor(page, data) {
    Object.assign(this, { page, data });
    this.scopes = new Map(
      data.scopes.map((scope) => [
        scope.report,
        {
          ...scope,
          byRegion: new Map(scope.regions.filter((row) => row.region >= 0).map((row) => [row.region, row])),
        },
      ]),
    );
  }

  text(id) {
    return this.data.texts[id];
  }

  /** What is known about a node; nothing in scopes that were not compared. */
  row(report, node) {
    const scope = this.scopes.get(report.at);
    if (!scope) return null;
    if (node === ALL) return scope.totals;
    return node === UNLABELED ? scope.unlabeled : (scope.byRegion.get(node) ?? null);
  }

  rows(report) {
    return this.scopes.get(report.at)?.regions ?? [];
  }

  verdict(row) {
    return this.text(row.verdict);
  }

  /** Where the relative change lies. */
  within([, , , , , , words]) {
    const text = this.text(words);
    return text ? `, ${text}` : '';
  }

  /** The relative change of a node's time: zero where none is shown, NaN where a side has no time. */
  change(report, node) {
    const row = this.row(report, node);
    if (!row) return NaN;
    const verdict = this.verdict(row);
    return verdict === 'undecided' || verdict === 'same' ? 0 : (row.time[2] ?? NaN);
  }

  /** For tooltips. */
  lines(report, node) {
    const row = this.row(report, node);
    if (!row) return ['not compared'];
    return [
      `${capital(this.verdict(row))}: ${duration(row.time[0])} → ${duration(row.time[1])} (${relativeText(row.time)}${this.within(row.time)})`,
    ];
  }
}

/** `+5.2 %`; nothing where a side has no value. */
function relativeText([, , relative]) {
  if (relative === null) return ABSENT;
  const value = relative * 100;
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(1)} %`;
}

/** Nothing where a side has no value. */
function absolute([base, now]) {
  return base === null || now === null ? null : now - base;
}

/** For sorting: what only one side has costs all of it. */
function cost(both) {
  return Math.abs(absolute(both) ?? both[0] ?? both[1] ?? 0);
}

/** A difference of time with its sign. */
function signedDuration(ns) {
  if (ns === null) return ABSENT;
  return ns === 0 ? '0' : `${ns > 0 ? '+' : '−'}${duration(Math.abs(ns))}`;
}

function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function verdictChip(verdict) {
  return el('span', { class: `chip verdict-${verdict.replace(/\W+/g, '-')}`, text: capital(verdict) });
}

/** How many runs would settle what is undecided. */
function settlingText([, , , , , runs]) {
  return runs === null ? null : ` about ${plain(runs)} runs a side would settle it`;
}

/** The smallest and largest value of several runs. */
function spreadText([, , , , extremes], text) {
  if (!extremes) return null;
  const side = (low, high) => (low === null ? ABSENT : `${text(low)} … ${text(high)}`);
  return `base ${side(extremes[0], extremes[1])}, new ${side(extremes[2], extremes[3])}`;
}

/** The facts of a comparison, before those of the report. */
function differenceFacts(page, report) {
  const { comparison } = page;
  const totals = comparison.row(report, ALL);
  const cards = [];
  const card = (label, kind, ...content) =>
    cards.push(
      el(
        'div',
        { class: `fact ${kind}`, 'data-fact': 'difference' },
        el('span', { class: 'fact-label', text: label }),
        content,
      ),
    );
  const serious = comparison.data.notes.filter((note) => note.severity !== 'info');
  if (serious.length > 0) {
    card(
      serious[0].severity === 'incomparable' ? 'Not comparable' : 'Mind',
      'warning',
      el('span', {
        class: 'fact-text',
        text:
          visible(shorten(serious[0].message, 400)) + (serious.length > 1 ? ` (and ${serious.length - 1} more)` : ''),
        title: hint(serious.map((note) => note.message).join('\n')),
      }),
    );
  }
  const { gates } = comparison.data;
  if (gates) {
    const failed = gates.gates.filter((gate) => gate.status !== 'passed');
    const open = failed.filter((gate) => gate.status === 'not_judged').length;
    card(
      'Gates',
      gates.failed ? 'warning' : '',
      el('span', {
        class: 'fact-text',
        text: gates.failed
          ? `Failed: ${failed.map((gate) => visible(shorten(gate.gate, 100))).join('; ') || 'the runs are not comparable'}`
          : open > 0
            ? `${open} of ${gates.gates.length} could not be judged`
            : `All ${gates.gates.length} passed`,
      }),
    );
  }
  if (totals) {
    card(
      'GPU time',
      '',
      el(
        'span',
        { class: 'fact-text' },
        `${duration(totals.time[0])} → ${duration(totals.time[1])} (${relativeText(totals.time)}) `,
        verdictChip(comparison.verdict(totals)),
      ),
    );
  }
  const having = (verdict) => comparison.rows(report).filter((row) => comparison.verdict(row) === verdict);
  for (const [judged, unjudged, sign] of [
    ['slower', 'higher, not judged', 1],
    ['faster', 'lower, not judged', -1],
  ]) {
    // With one run a side nothing is judged.
    const verdict = having(unjudged).length > 0 ? unjudged : judged;
    const own = (row) => (absolute(row.self ?? row.time) ?? 0) * sign;
    const rows = having(verdict)
      .sort((a, b) => own(b) - own(a))
      .slice(0, 3);
    card(
      capital(verdict),
      '',
      rows.length === 0
        ? el('span', { class: 'fact-text muted', text: `no region is ${verdict}` })
        : rows.map((row) =>
            el(
              'button',
              {
                type: 'button',
                class: 'fact-row',
                title: hint(comparison.text(row.name)),
                on: { click: () => row.region >= 0 && store.set({ selected: row.region, tab: 'overview' }) },
              },
              el('span', { class: 'label' }, el('bdi', { text: visible(shorten(comparison.text(row.name), 200)) })),
              el('span', { class: 'value', text: signedDuration(absolute(row.time)) }),
              el('span', { class: 'value share', text: relativeText(row.time) }),
            ),
          ),
    );
  }
  const number = (verdict) => having(verdict).length;
  card(
    'New and gone',
    '',
    el('span', { class: 'fact-text', text: `${count(number('new'), 'region')} new, ${plain(number('gone'))} gone` }),
  );
  return cards;
}

/** What changed about the selected node, for the panel. */
function differencePart(page, report, node) {
  const row = page.comparison?.row(report, node);
  if (!row) return null;
  const { comparison } = page;
  const line = (label, both, text, title) =>
    el(
      'tr',
      { title: spreadText(both, text) ?? title },
      el('td', { text: label }),
      el('td', { class: 'numeric', text: both[0] === null ? ABSENT : text(both[0]) }),
      el('td', { class: 'numeric', text: both[1] === null ? ABSENT : text(both[1]) }),
      el('td', { class: 'numeric', text: relativeText(both) + comparison.within(both) }),
      el('td', { class: 'muted', text: comparison.text(both[3]) }),
    );
  const kernel = (label, { name, verdict, time, calls, per_call }) =>
    el(
      'tr',
      { title: hint(comparison.text(name)) },
      el('td', { class: 'mono', text: label }),
      el('td', { class: 'numeric', text: time[0] === null ? ABSENT : duration(time[0]) }),
      el('td', { class: 'numeric', text: time[1] === null ? ABSENT : duration(time[1]) }),
      el('td', { class: 'numeric', text: relativeText(time) + comparison.within(time) }),
      el(
        'td',
        {},
        verdictChip(comparison.text(verdict)),
        absolute(calls) ? ` ${plain(calls[0])} → ${plain(calls[1])} calls, ${relativeText(per_call)} by call` : null,
      ),
    );
  const kernelRows = (one) => [
    kernel(page.shortOf(comparison.text(one.name)), one),
    ...one.shapes.map((shape) => kernel(`\u00a0\u00a0${comparison.text(shape.name)}`, shape)),
  ];
  const head = (first) =>
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        [first, 'Base', 'New', 'Change', ''].map((text, at) =>
          el('th', { text, scope: 'col', class: at > 0 && at < 4 ? 'numeric' : '' }),
        ),
      ),
    );
  return el(
    'section',
    {},
    el('h3', { text: 'Compared with the base' }),
    el(
      'p',
      { class: 'limiter' },
      verdictChip(comparison.verdict(row)),
      settlingText(row.time),
      row.renamed_from.length > 0
        ? el('span', {
            class: 'muted',
            text: `also called ${row.renamed_from.map((name) => visible(shorten(comparison.text(name), 60))).join(', ')}`,
          })
        : null,
    ),
    el(
      'table',
      { class: 'wide compared' },
      head(''),
      el(
        'tbody',
        {},
        line('Time', row.time, duration),
        row.self ? line('Self', row.self, duration) : null,
        line('Results', row.calls, plain),
        line('Time by result', row.per_call, duration),
        row.metrics.map(([name, unit, exact, both]) =>
          line(
            visible(shorten(comparison.text(name), 80)),
            both,
            (value) =>
              (exact ? '' : '~') +
              scaled(value, comparison.text(unit) === '' ? '' : visible(comparison.text(unit))).join(' '),
          ),
        ),
      ),
    ),
    row.kernels.length > 0
      ? el(
          'table',
          { class: 'wide' },
          head(
            `Kernels by what they cost${row.kernel_count > row.kernels.length ? ` (${row.kernels.length} of ${plain(row.kernel_count)})` : ''}`,
          ),
          el('tbody', {}, row.kernels.slice(0, 10).flatMap(kernelRows)),
        )
      : null,
  );
}
