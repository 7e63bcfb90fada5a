// The memory chart: units as boxes from the kernel to the memories, and what flows between them. Where everything stands comes with the data.

/** Narrower than this the amounts would not fit; then the picture scrolls. */
const NARROWEST_MEMORY = 560;
const COLUMNS_OF_MEMORY = 5;
/** About the widths of a letter and of a digit in the picture. */
const LETTER = 6.5;
const DIGIT = 5.9;
const LINE = 14;

function decodeMemory(page, { layout, links, boxes, idle }) {
  const { charts } = page.data;
  const placed = charts.layouts[layout];
  const text = (id) => page.text(id);
  const link = (number, at) => {
    const { from, to, flow, counted, suffix, metrics } = charts.links[number];
    const [amount, rate, peak] = links[at].map(decodeReading);
    const names = { from: text(from), to: text(to), flow: text(flow), counted: text(counted), suffix: text(suffix), metrics: metrics.map(text) };
    return { ...names, amount, rate, peak };
  };
  return {
    idle,
    height: placed.height,
    boxes: placed.boxes.map(([name, column, y, height], at) => {
      const [hit, busy] = boxes[at].map(decodeReading);
      return { name: text(name), column, y, height, hit, busy };
    }),
    flows: placed.flows.map(([number, left, right, y, isRightward], at) => ({ ...link(number, at), left, right, y, isRightward: isRightward === 1 })),
    elsewhere: placed.elsewhere.map((number, at) => link(number, placed.flows.length + at)),
  };
}

/** `1.23 M requests`, `12.3 MB`. */
function carried(link) {
  if (link.counted === 'bytes') return readingText(link.amount, 'byte');
  return link.amount === null ? ABSENT : `${readingText(link.amount, '')} ${link.counted}`;
}

function linkLines(link) {
  return [
    `${link.from} to ${link.to}, ${link.flow}`,
    link.amount === null && link.rate === null ? 'not measured' : carried(link),
    link.rate && readingText(link.rate, 'byte/s'),
    link.peak && `${readingText(link.peak, '%')} of its peak`,
    coveredText(link.amount ?? link.rate),
    ...link.metrics,
  ].filter((line) => line);
}

function memoryPart(memory, room) {
  const { idle, elsewhere } = memory;
  const scale = el('span', { class: 'scale' });
  scale.style.background = `linear-gradient(to right, ${scaleStops(false).join(', ')})`;
  return el(
    'section',
    { class: 'chart chart-memory' },
    el('h3', { text: 'Memory' }),
    el(
      'p',
      { class: 'muted small legend' },
      el('span', { class: 'scale-part', role: 'img', 'aria-label': 'Colour scale: 0 to 100 per cent of what is possible' }, '0', scale, '100 %'),
      el('span', { text: 'of what a link can carry, or a unit can do' }),
    ),
    el(
      'div',
      { class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': 'Memory chart' },
      memoryPicture(memory, Math.max(NARROWEST_MEMORY, room - 30)),
    ),
    elsewhere.length > 0
      ? el('p', {
          class: 'small',
          text: `Also ${elsewhere.map((link) => `${link.from} to ${link.to} (${link.flow}): ${carried(link)}`).join('; ')}`,
        })
      : null,
    idle > 0 ? el('p', { class: 'muted small', text: `${count(idle, 'link carries', 'links carry')} nothing and ${idle === 1 ? 'is' : 'are'} left out.` }) : null,
    memoryTable(memory),
  );
}

function memoryPicture({ height, boxes, flows }, width) {
  const boxWidth = Math.max(76, Math.round(width * 0.115));
  const step = (width - boxWidth - 2) / (COLUMNS_OF_MEMORY - 1);
  const left = (column) => 1 + Math.round(column * step);
  const picture = svg('svg', {
    class: 'memory',
    viewBox: `0 0 ${width} ${height + 2}`,
    width,
    height: height + 2,
    role: 'img',
    'aria-label': 'Memory chart: what flows between the units of the memory system. The same numbers are in the table below.',
  });
  for (const flow of flows) picture.append(flowShape(flow, left(boxes[flow.left].column) + boxWidth + 3, left(boxes[flow.right].column) - 3));
  for (const box of boxes) picture.append(boxShape(box, left(box.column), boxWidth));
  return picture;
}

/** Three digits, as many as fit above a line. */
function shortReading(reading, unit) {
  if (reading === null) return ABSENT;
  const text = amountText(reading.value);
  const gap = unit === '' || /[a-z]$/i.test(text) ? '' : ' ';
  return `${reading.exact ? '' : '~'}${text}${gap}${unit}`;
}

/** Shows lines while the pointer is on a shape. */
function withHint(shape, lines) {
  shape.addEventListener('pointermove', (event) => tooltip.show(event.clientX, event.clientY, lines));
  shape.addEventListener('pointerleave', () => tooltip.hide());
  return shape;
}

function flowShape(flow, from, to) {
  const isKnown = flow.amount !== null || flow.rate !== null;
  const y = flow.y + 1;
  const [tip, back] = flow.isRightward ? [to, to - 7] : [from, from + 7];
  const amount = flow.amount ? shortReading(flow.amount, flow.counted === 'bytes' ? 'B' : '') : shortReading(flow.rate, 'B/s');
  // Half a number would be another number.
  const text = [isKnown ? amount + flow.suffix : amount, amount].find((words) => words.length * DIGIT <= to - from + 2);
  // Light lines are hard to see, so that nothing is lighter than a third.
  const stroke = flow.peak === null ? null : colourOfPercent(Math.max(30, flow.peak.value)).fill;
  const line = svg('path', { class: `flow${isKnown ? '' : ' unknown'}`, d: `M${from},${y}H${to}M${back},${y - 4}L${tip},${y}L${back},${y + 4}` });
  if (stroke) line.style.stroke = stroke;
  return withHint(
    svg(
      'g',
      {},
      svg('rect', { class: 'flow-place', x: from, y: y - 16, width: Math.max(0, to - from), height: 22 }),
      line,
      text ? svg('text', { class: 'flow-text', x: (from + to) / 2, y: y - 5, text }) : null,
    ),
    linkLines(flow),
  );
}

function boxShape({ name, y, height, hit, busy }, x, width) {
  const paint = busy === null ? null : colourOfPercent(busy.value);
  const shape = svg('rect', { class: 'unit', x, y: y + 1, width, height, rx: 3 });
  if (paint) shape.style.fill = paint.fill;
  const facts = [hit && `hit ${readingText(hit, '%')}`, busy && `busy ${readingText(busy, '%')}`].filter((fact) => fact);
  // What does not fit is in the hint and in the table.
  const lines = [...wrapped(name, width - 6), ...facts].slice(0, Math.max(1, Math.floor((height - 2) / LINE)));
  const first = y + 1 + (height - LINE * lines.length) / 2 + 11;
  const texts = lines.map((text, at) => {
    const line = svg('text', { class: 'unit-text', x: x + width / 2, y: first + at * LINE, text });
    if (paint) line.style.fill = paint.ink;
    return line;
  });
  return withHint(svg('g', {}, shape, texts), [name, ...facts]);
}

/** The words of a name, as few lines as fit. */
function wrapped(name, room) {
  const lines = [];
  for (const word of name.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : null;
    if (longer !== null && longer.length * LETTER <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Everything that the picture shows, as a table. */
function memoryTable({ boxes, flows, elsewhere }) {
  const units = boxes.filter(({ hit, busy }) => hit !== null || busy !== null);
  return el(
    'details',
    {},
    el('summary', { text: 'As table' }),
    el(
      'div',
      { class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': 'Memory chart as table' },
      el(
        'table',
        { class: 'small' },
        tableHead([['From'], ['To'], ['By'], ['Amount', 'numeric'], ['Rate', 'numeric'], ['Of peak', 'numeric']]),
        el(
          'tbody',
          {},
          [...flows, ...elsewhere].map((link) =>
            el(
              'tr',
              { title: hint(link.metrics.join(', ')) },
              [link.from, link.to, link.flow].map((text) => el('td', { text })),
              [carried(link), link.rate && readingText(link.rate, 'byte/s'), link.peak && readingText(link.peak, '%')].map((text) =>
                el('td', { class: 'numeric', text: text ?? '' }),
              ),
            ),
          ),
        ),
      ),
      el(
        'table',
        { class: 'small' },
        tableHead([['Unit'], ['Hit rate', 'numeric'], ['Busy', 'numeric']]),
        el(
          'tbody',
          {},
          units.map(({ name, hit, busy }) =>
            el('tr', {}, el('td', { text: name }), [hit, busy].map((one) => el('td', { class: 'numeric', text: readingText(one, '%') }))),
          ),
        ),
      ),
    ),
  );
}
