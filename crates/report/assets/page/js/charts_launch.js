// What only single results hold, of the longest launch of a kernel: its opcodes and its samples over time; and its points in the roofline.

/** Height of a series of samples. */
const SERIES_HEIGHT = 34;

/** Executed instructions by opcode, most first. */
function opcodesPart(page, { opcodes, opcodes_left_out: leftOut }, what) {
  if (opcodes.length === 0) return null;
  const most = opcodes[0][2];
  return el(
    'section',
    { class: 'chart chart-opcodes' },
    el('h3', { text: 'Instructions by opcode' }),
    el('p', { class: 'muted small', text: what }),
    el(
      'ul',
      { class: 'chart-rows' },
      opcodes.map(([opcode, instructions, share]) =>
        el(
          'li',
          {},
          el('span', { class: 'chart-name mono', text: visible(shorten(page.text(opcode), 40)) }),
          bar(most > 0 ? share / most : 0, 'kind-0'),
          el('span', { class: 'chart-value', text: percent(share) }),
          el('span', { class: 'chart-value muted', text: amountText(instructions) }),
        ),
      ),
    ),
    leftOut > 0 ? el('p', { class: 'muted small', text: `… ${plain(leftOut)} more` }) : null,
  );
}

/** Every sampled counter over the time of the launch, one below the other, each up to its largest sample. */
function samplesPart(page, { series, series_left_out: leftOut, unknown }, what, room) {
  if (series.length === 0) return null;
  const longest = Math.max(...series.map(({ ns }) => ns), 1);
  const width = Math.max(240, room - 30);
  return el(
    'section',
    { class: 'chart chart-samples' },
    el('h3', { text: 'Over the time of a launch' }),
    el('p', { class: 'muted small', text: `${what} Each counter has a scale of its own, up to its largest sample. ${visible(page.text(unknown))}` }),
    series.map((one, at) => {
      const label = visible(shorten(page.text(one.label), 80));
      const largest = `max ${one.unit === null ? plain(one.largest) : readingText({ value: one.largest, exact: true }, page.text(one.unit))}`;
      return el(
        'figure',
        { class: 'series' },
        el(
          'figcaption',
          { title: hint(page.text(one.metric)) },
          el('span', { class: 'label', text: label }),
          el('span', { class: 'value muted', text: largest }),
        ),
        seriesPicture(one, at, width, longest, `${label}: ${largest}, ${count(one.means.length, 'step')} of ${duration(one.ns / Math.max(1, one.means.length))}`),
      );
    }),
    el('p', { class: 'series-axis muted small' }, el('span', { text: '0' }), el('span', { text: 'time since the beginning' }), el('span', { text: duration(longest) })),
    leftOut > 0 ? el('p', { class: 'muted small', text: `… ${count(leftOut, 'more counter')}` }) : null,
  );
}

function seriesPicture({ means, ns, largest }, at, width, longest, label) {
  const step = (width * (ns / longest)) / Math.max(1, means.length);
  const height = (mean) => (largest > 0 ? Math.max(0, Math.min(1, mean / largest)) * (SERIES_HEIGHT - 1) : 0);
  // One area for each run of samples: where there are none, there is a gap.
  let path = '';
  means.forEach((mean, nth) => {
    if (mean === null) return;
    const [x, y] = [(nth * step).toFixed(1), (SERIES_HEIGHT - height(mean)).toFixed(1)];
    const isFirst = nth === 0 || means[nth - 1] === null;
    const isLast = nth === means.length - 1 || means[nth + 1] === null;
    path += `${isFirst ? `M${x},${SERIES_HEIGHT}` : ''}L${x},${y}L${((nth + 1) * step).toFixed(1)},${y}${isLast ? `V${SERIES_HEIGHT}Z` : ''}`;
  });
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${SERIES_HEIGHT}`, width, height: SERIES_HEIGHT, role: 'img', 'aria-label': label },
    svg('path', { class: `area kind-${(at % 2) * 4}`, d: path }),
    svg('line', { class: 'base', x1: 0, x2: width, y1: SERIES_HEIGHT - 0.5, y2: SERIES_HEIGHT - 0.5 }),
  );
}

/** The points of what is selected at every level of the memory, and the way to the picture. */
function rooflinePart(report, node, points) {
  const isKernel = report.isLeaf(node);
  const rows = points.flatMap((point) => Object.entries(point.levels).map(([level, traffic]) => ({ ...point, level, traffic })));
  return el(
    'section',
    { class: 'chart chart-roofline' },
    el('h3', { text: 'Roofline' }),
    rows.length === 0
      ? el('p', { class: 'muted small', text: 'Nothing to draw: its work and traffic were not both measured.' })
      : el(
          'div',
          { class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': 'Points in the roofline' },
          el(
            'table',
            { class: 'small' },
            tableHead([['Work'], ['Measured', 'numeric'], ['Traffic'], ['Op/byte', 'numeric'], ['Of its roof', 'numeric']]),
            el(
              'tbody',
              {},
              rows.map(({ precision, work, exact, level, traffic }) =>
                el(
                  'tr',
                  {},
                  el('td', { text: visible(shorten(precision, 40)) }),
                  el('td', { class: 'numeric', text: `${exact ? '' : '~'}${scaled(work, 'flop/s').join(' ')}` }),
                  el('td', { text: LEVELS[level] ?? level }),
                  el('td', { class: 'numeric', text: plain(Number(traffic.intensity.toPrecision(4))) }),
                  el('td', { class: 'numeric', text: traffic.attainable ? percent(work / traffic.attainable) : ABSENT }),
                ),
              ),
            ),
          ),
        ),
    button(rows.length === 0 ? 'What a roofline needs' : 'Show in the roofline', () => store.set({ view: 'roofline', points: isKernel ? 'kernels' : 'regions' }), {
      class: 'link',
      'data-to': 'roofline',
    }),
  );
}
