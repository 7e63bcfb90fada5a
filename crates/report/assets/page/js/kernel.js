// One kernel of one region: what the panel says when a leaf of the tree is selected, and what the list of kernels says of a row.

/** The most shapes and the most places that are listed. */
const MOST_SHAPES = 30;
const MOST_PLACES = 40;

/** The first tab of a kernel's panel. */
function kernelOverview(page, report, leaf, root) {
  const region = report.parent(leaf);
  const { list, row, whole } = report.leaves.row(leaf);
  const ns = report.ns(leaf);
  const ofRegion = report.ns(region) > 0 && ns !== null ? `${percent(ns / report.ns(region))} of the region` : null;
  fill(
    root,
    el(
      'div',
      { class: 'figures' },
      figure('Here', duration(ns), ns === null ? 'not measured' : `${percent(report.share(leaf))} of all`),
      ofRegion ? figure('Share', ofRegion.replace(' of the region', ''), 'of the region') : null,
      figure('Launches', plain(report.results(leaf)), null),
      whole ? figure('Mean', duration(list.mean(row)), extremesText(list, row)) : null,
    ),
    row === null
      ? el('p', { class: 'muted', text: 'More about this kernel is only in report.json: the page had no room for it.' })
      : [
          whole
            ? null
            : el('p', {
                class: 'muted small',
                text: `The regions inside launch it too. What follows is about all ${count(list.calls(row), 'launch', 'launches')} in this region, ${duration(list.ns(row))} together; mean ${duration(list.mean(row))}, shortest ${duration(list.min(row))}, longest ${duration(list.max(row))}.`,
              }),
          el('section', { id: 'kernel-limits' }, el('h3', { text: 'Limiter' }), limitsPart(list.bound(row), list.limits(row))),
          kernelUtilisation(list, row),
          el('section', {}, el('h3', { text: 'Launch shapes' }), shapesTable(list.shapes(row))),
        ],
    placesPart(report, leaf),
    row === null ? null : rulesAbout(page, report.rules(region), row, false),
    commandsPart(page, report, leaf),
  );
}

/** All metrics of a kernel that the report has by kernel. */
function kernelMetrics(_page, report, leaf, root) {
  const { list, row } = report.leaves.row(leaf);
  const metrics = row === null ? [] : list.metrics(row);
  fill(root, metrics.length === 0 ? el('p', { class: 'message', text: 'No metric of this kernel.' }) : metricsTable(metrics));
}

function figure(label, value, note) {
  return el(
    'div',
    { class: 'figure' },
    el('span', { class: 'figure-label', text: label }),
    el('span', { class: 'figure-value', text: value }),
    note ? el('span', { class: 'figure-note', text: note }) : null,
  );
}

/** The shortest and the longest launch, where they differ. */
function extremesText(list, row) {
  const [shortest, longest] = [duration(list.min(row)), duration(list.max(row))];
  return shortest === longest ? null : `${shortest} to ${longest}`;
}

function kernelUtilisation(list, row) {
  const held = COLOURINGS.map(({ label, names }) => [label, names.map((name) => list.metric(row, name)).find((one) => one?.value != null)]);
  const measured = held.filter(([, metric]) => metric);
  if (measured.length === 0) return null;
  return el(
    'section',
    {},
    el('h3', { text: 'Utilisation' }),
    el(
      'div',
      { class: 'meters' },
      measured.map(([label, metric]) => meter(label, metric)),
    ),
  );
}

/** What limits launches: the class of all together, and what limits how many of them. */
function limitsPart(bound, limits) {
  return [
    el('p', { class: 'limiter' }, boundChip(bound), limits.length === 1 ? el('span', { class: 'muted', text: limitText(limits[0]) }) : null),
    limits.length > 1
      ? el(
          'ul',
          { class: 'plain-list' },
          limits.map((one) => el('li', {}, boundChip(one.limit), ` ${limitText(one)}`)),
        )
      : null,
  ];
}

function limitText({ unit, launches, ns }) {
  const of = unit ? `${UNIT_LABELS[unit] ?? `${visible(shorten(unit, 40))} pipe`}, ` : '';
  return `${of}${count(launches, 'launch', 'launches')}, ${duration(ns)}`;
}

/** Grid and block of launches, with their time and what limits them. */
function shapesTable(shapes) {
  if (shapes.length === 0) return el('p', { class: 'muted', text: 'Not stated.' });
  const rest = shapes.length - MOST_SHAPES;
  return el(
    'div',
    { class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': 'Launch shapes' },
    el(
      'table',
      { class: 'small shapes' },
      tableHead([['Grid'], ['Block'], ['Launches', 'numeric'], ['Time', 'numeric'], ['Limiter']]),
      el(
        'tbody',
        {},
        shapes.slice(0, MOST_SHAPES).map(({ grid, block, calls, ns, limits }) =>
          el(
            'tr',
            {},
            el('td', { text: dimensions(grid) }),
            el('td', { text: dimensions(block) }),
            el('td', { class: 'numeric', text: plain(calls) }),
            el('td', { class: 'numeric', text: duration(ns) }),
            el('td', {}, limits.length === 0 ? ABSENT : limits.map((one) => [boundChip(one.limit), limits.length > 1 ? ` ${plain(one.launches)} ` : null])),
          ),
        ),
        rest > 0 ? el('tr', {}, el('td', { colspan: '5', text: `… ${count(rest, 'more shape')}` })) : null,
      ),
    ),
  );
}

function metricsTable(metrics) {
  return el(
    'div',
    { class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': 'Metrics of the kernel' },
    el(
      'table',
      { class: 'small' },
      tableHead([['Metric'], ['Value', 'numeric'], ['Unit'], ['How']]),
      el(
        'tbody',
        {},
        metrics.map((metric) => {
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

function tableHead(columns) {
  return el(
    'thead',
    {},
    el(
      'tr',
      {},
      columns.map(([text, kind]) => el('th', { text, scope: 'col', class: kind ?? null })),
    ),
  );
}

/** All regions that launch the kernel themselves, heaviest first. */
function placesPart(report, leaf) {
  const places = report.leaves.places().get(report.leaves.kernelOf(leaf)) ?? [];
  if (places.length === 0) return null;
  const region = report.parent(leaf);
  const most = Math.max(...places.map(([, , ns]) => ns ?? 0));
  return el(
    'section',
    { id: 'places' },
    el('h3', { text: `Where it is launched: ${count(places.length, 'place')}` }),
    el(
      'div',
      { class: 'rows' },
      places.slice(0, MOST_PLACES).map(([node, calls, ns]) =>
        shareRow(
          visible(shorten(report.name(node), 200)) + report.times(node),
          `${hint(report.name(node))}: ${count(calls, 'launch', 'launches')}`,
          most > 0 ? (ns ?? 0) / most : 0,
          duration(ns),
          () => store.set({ selected: report.leaves.find(node, report.leaves.kernelOf(leaf)) ?? node }),
          node === region ? 'here' : '',
          `${plain(calls)}×`,
        ),
      ),
    ),
    places.length > MOST_PLACES
      ? el('p', { class: 'muted small', text: `${count(places.length - MOST_PLACES, 'more', 'more')} with less time` })
      : null,
  );
}

/** What ncu's rules said about a kernel among others. A message about several kernels has the words of the one that weighs most. */
function rulesAbout(page, rules, row, open) {
  const about = rules.filter((rule) => rule.kernels.includes(row));
  const [own, shared] = [true, false].map((alone) => about.filter((rule) => (rule.kernels.length === 1) === alone));
  const listed = (title, rules, open) =>
    rules.length === 0
      ? null
      : el(
          'details',
          { open },
          el('summary', { text: `${title} (${rules.length})` }),
          rules.slice(0, MOST_RULES).map((rule) => ruleCard(page, rule)),
        );
  return [
    listed("What ncu's rules said", own, open),
    listed("What ncu's rules said of it and of other kernels together", shared, false),
  ];
}

/** The whole name of a kernel, folded where it is long, with buttons to see and to copy it. */
function wholeName(name) {
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
  return el(
    'div',
    { class: 'detail-head' },
    full,
    el(
      'div',
      { class: 'detail-buttons' },
      shown.length > 160 ? unfold : null,
      copyButton(() => name, 'Copy name'),
    ),
  );
}

function dimensions(three) {
  return three === null ? ABSENT : three.join(' × ');
}
