// The head of the page: what was measured on what, which scope is shown, and the facts that matter.

class Header {
  constructor(page, search) {
    Object.assign(this, { page, search });
    this.facts = el('section', { class: 'facts', id: 'facts', 'aria-label': 'The facts that matter' });
    this.total = el('span', { id: 'total' });
    store.on(['report'], () => this.update());
    store.on(['dark'], () => this.drawTheme());
  }

  element() {
    const { data } = this.page;
    this.theme = button('', () => toggleTheme(), { class: 'quiet', id: 'theme' });
    this.drawTheme();
    return el(
      'header',
      { class: 'head' },
      el(
        'div',
        { class: 'head-run' },
        el('h1', {
          text: pageTitle(this.page),
          title: hint(data.sources.map((source) => source.file).join('\n')),
        }),
        data.simulated
          ? el('span', {
              class: 'badge simulated',
              id: 'origin',
              text: 'Simulated',
              title: 'Made by a simulated device: no GPU measured these numbers.',
            })
          : el('span', { class: 'badge real', id: 'origin', text: 'Measured', title: 'Measured on a GPU.' }),
      ),
      el('div', { class: 'head-tools' }, this.scopes(), this.search.element(), this.theme),
      el(
        'dl',
        { class: 'head-facts' },
        headFact('GPU time', this.total),
        headFact('Device', deviceNames(data)),
        data.generated_at
          ? headFact(
              'Captured',
              shorten(visible(data.generated_at), 60)
                .replace('T', ' ')
                .replace(/:\d\d(\.\d+)?Z$/, ' UTC'),
            )
          : null,
        headFact('Profiler', profilers(data)),
      ),
    );
  }

  /** The switch between scopes. */
  scopes() {
    const groups = [
      ['aggregate', 'Aggregate'],
      ['rank', 'Ranks'],
      ['process', 'Processes'],
      ['device', 'Devices'],
    ];
    const select = el('select', {
      id: 'scope',
      'aria-label': 'Scope',
      on: { change: () => switchScope(this.page, Number(select.value)) },
    });
    for (const [kind, label] of groups) {
      const reports = this.page.reports.filter((report) => scopeKind(report) === kind);
      if (reports.length === 0) continue;
      select.append(
        el(
          'optgroup',
          { label },
          reports.map((report) => el('option', { value: String(report.at), text: shorten(report.label, 100) })),
        ),
      );
    }
    select.value = String(store.state.report);
    this.select = select;
    return el('label', { class: 'choice' }, 'Scope', select);
  }

  drawTheme() {
    const next = store.state.dark ? 'light' : 'dark';
    this.theme.textContent = store.state.dark ? '☀' : '☾';
    this.theme.setAttribute('aria-label', `Switch to ${next} colours`);
    this.theme.title = `Switch to ${next} colours (t)`;
  }

  update() {
    const report = this.page.reports[store.state.report];
    this.select.value = String(store.state.report);
    this.total.textContent = `${duration(report.totalNs)} in ${count(report.results(ALL), 'result')}`;
    const facts = this.page.comparison
      ? differenceFacts(this.page, report)
      : report.facts().map((fact) => factCard(report, fact));
    fill(this.facts, facts, warnings(this.page.data));
    this.facts.hidden = this.facts.childElementCount === 0;
  }
}

const FACT_LABELS = {
  heaviest: 'Where the time goes',
  limiter: 'What limits it',
  advice: 'Best advice',
  uncovered: 'Not measured',
  unlabeled: 'Unlabeled',
};

function factCard(report, fact) {
  const label = el('span', { class: 'fact-label', text: FACT_LABELS[fact.kind] ?? fact.kind });
  if (fact.kind === 'heaviest' && fact.regions.length > 0) return heaviestCard(report, fact, label);
  const sentence = visible(shorten(fact.sentence, 1200));
  const content = [label, el('span', { class: 'fact-text', title: sentence }, prose(sentence, report.page))];
  const target = fact.regions[0] ?? (fact.kind === 'unlabeled' && report.results(UNLABELED) > 0 ? UNLABELED : null);
  if (target === null) return el('div', { class: 'fact', 'data-fact': fact.kind }, content);
  const tab = fact.kind === 'advice' ? 'advice' : 'overview';
  return el(
    'button',
    {
      type: 'button',
      class: 'fact',
      'data-fact': fact.kind,
      on: { click: () => store.set({ selected: target, tab }) },
    },
    content,
  );
}

/** The regions with the most time of their own, as a list. */
function heaviestCard(report, fact, label) {
  return el(
    'div',
    { class: 'fact', 'data-fact': fact.kind, title: hint(fact.sentence) },
    label,
    fact.regions.map((node) =>
      el(
        'button',
        {
          type: 'button',
          class: 'fact-row',
          title: hint(report.name(node)),
          on: { click: () => store.set({ selected: node, tab: 'overview' }) },
        },
        el('span', { class: 'label' }, el('bdi', { text: visible(shorten(report.name(node), 200)) + report.times(node) })),
        el('span', { class: 'value', text: duration(report.selfNs(node)) }),
        el('span', {
          class: 'value share',
          text: percent(report.totalNs > 0 ? report.selfNs(node) / report.totalNs : 0),
        }),
      ),
    ),
  );
}

/** Notes that a reader must not miss. */
function warnings(data) {
  const serious = data.notes.filter((note) => note.level === 'warning');
  if (serious.length === 0) return null;
  return el(
    'button',
    { type: 'button', class: 'fact warning', on: { click: () => store.set({ view: 'about' }) } },
    el('span', { class: 'fact-label', text: count(serious.length, 'warning') }),
    el('span', {
      class: 'fact-text',
      text: visible(shorten(serious[0].message, 400)),
      title: hint(serious[0].message),
    }),
  );
}

function scopeKind(report) {
  const { kind, rank } = report.data.scope;
  return kind === 'process' && rank !== null && rank !== undefined ? 'rank' : kind;
}

function headFact(label, value) {
  return el(
    'div',
    { class: 'head-fact' },
    el('dt', { text: label }),
    el('dd', { title: typeof value === 'string' ? shorten(value, 600) : null }, value),
  );
}

/** A title given, or the names of the files. */
function runTitle(data) {
  const files = data.sources.map((source) => source.file);
  const more = files.length > 2 ? ` and ${files.length - 2} more` : '';
  return files.length === 0 ? 'rangescope report' : visible(shorten(files.slice(0, 2).join(', '), 160)) + more;
}

/** The runs of a side. */
function sideTitle({ runs }) {
  const names = runs.map((run) => run.name);
  return (
    (visible(shorten(names.slice(0, 2).join(', '), 120)) || 'nothing') + (runs.length > 1 ? ` (${runs.length} runs)` : '')
  );
}

function baseTitle(comparison) {
  return sideTitle(comparison.data.base);
}

function pageTitle({ data, comparison }) {
  return comparison ? `${sideTitle(comparison.data.new)} compared with ${baseTitle(comparison)}` : runTitle(data);
}

function deviceNames(data) {
  const names = new Map();
  for (const { id, name } of data.devices) {
    const shown = name ? visible(shorten(name, 80)) : `device ${id}`;
    names.set(shown, (names.get(shown) ?? 0) + 1);
  }
  return [...names].map(([name, times]) => (times > 1 ? `${times} × ${name}` : name)).join(', ') || 'not stated';
}

function profilers(data) {
  const versions = new Set(
    data.sources
      .map((source) => source.profiler)
      .filter((version) => version)
      .map((version) =>
        visible(shorten(version, 80))
          .replace(/ \(.*$/, '')
          .replace(/^(?=\d)/, 'ncu '),
      ),
  );
  return [...versions].join(', ') || 'not stated';
}

/** Shows another scope; the selected region stays selected where it exists. */
function switchScope(page, to) {
  const [from, report] = [page.reports[store.state.report], page.reports[to]];
  const selected = from.counterpart(report, store.state.selected);
  store.set({ report: to, selected, zoom: null });
  announce(`Scope ${report.label}`);
}
