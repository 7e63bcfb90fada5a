// The tab with the charts of a region or kernel: memory, warp states, pipes, opcodes, samples over time, occupancy, roofline.
// All numbers come with the data; here they are only put into words and pixels.

/** Amounts from here on have a prefix. */
const LARGE_AMOUNT = 1e4;
/** The part of a stacked bar in which its name fits. */
const NAMED_PART = 0.14;

class ChartsView {
  constructor(page) {
    this.page = page;
    this.root = el('div', { class: 'pane scroll charts', tabindex: '0', 'aria-label': 'Charts' });
    this.width = 0;
    const redraw = oncePerFrame(() => this.shown && this.root.clientWidth > 0 && this.show(...this.shown));
    store.on(['dark'], redraw);
    new ResizeObserver(() => this.root.clientWidth !== this.width && redraw()).observe(this.root);
  }

  show(report, node) {
    this.shown = [report, node];
    this.width = this.root.clientWidth;
    const isKernel = report.isLeaf(node);
    const { list, row, whole } = isKernel ? report.leaves.row(node) : { list: report.kernels(node), row: null, whole: true };
    const number = !isKernel ? report.details(node).charts : row === null ? -1 : list.charts(row);
    const chart = number < 0 ? null : decodeChart(this.page, number);
    const points = isKernel ? list.points().filter((point) => point.row === row) : report.roofline(node).points;
    fill(
      this.root,
      whole
        ? null
        : el('p', {
            class: 'muted small',
            text: `The regions inside launch it too: these charts are about all ${count(row === null ? report.results(node) : list.calls(row), 'launch', 'launches')} in this region.`,
          }),
      chart === null ? this.noChart(report, node, isKernel) : this.charts(chart),
      this.ofOneLaunch(report, node, isKernel ? [report.leaves.kernelOf(node)] : list.list.kernel),
      chart === null ? null : occupancyPart(chart.occupancy),
      rooflinePart(report, node, points),
      this.missingPart(report, node, chart, isKernel),
    );
  }

  charts(chart) {
    return [
      chart.memory === null ? null : memoryPart(chart.memory, this.width),
      chart.states === null ? null : statesPart(chart.states),
      chart.pipes.length === 0 ? null : pipesPart(chart.pipes),
    ];
  }

  noChart(report, node, isKernel) {
    return el(
      'section',
      {},
      el('p', {
        text: isKernel
          ? 'The page has no room for the charts of this kernel: it has those of the heaviest ones. This command shows them:'
          : 'The page has no room for the charts of this region: it has those of the heaviest ones. This command shows those of its heaviest kernel:',
      }),
      kernelCommand(this.page, report, node),
    );
  }

  /** What only single results hold, of the longest launch of a kernel. */
  ofOneLaunch(report, node, kernels) {
    const { launches } = this.page.data.charts;
    const byName = this.page.launchesByKernel();
    const kernel = kernels.find((id) => byName.has(this.page.data.kernels.names[id][0]));
    if (kernel === undefined) return null;
    const launch = launches[byName.get(this.page.data.kernels.names[kernel][0])];
    const isOwn = report.isLeaf(node);
    const what = `Result ${plain(launch.result)}, ${duration(launch.ns)}: the longest launch of ${isOwn ? 'this kernel' : this.page.shortName(kernel)}${isOwn ? ' in the run' : ', the heaviest kernel here that was looked into'}.`;
    return [opcodesPart(this.page, launch, what), samplesPart(this.page, launch, what, this.width)];
  }

  missingPart(report, node, chart, isKernel) {
    const { charts } = this.page.data;
    const lacking = [...(chart?.missing ?? []), ...charts.not_in_launches.map((one) => decodeMissing(this.page, one))];
    const notHere = isKernel && !charts.by_kernel;
    if (lacking.length === 0 && charts.launches !== null && !notHere) return null;
    return el(
      'section',
      { id: isKernel ? 'kernel-missing' : 'region-missing' },
      el('h3', { text: notHere ? 'Not on this page' : 'Not collected' }),
      notHere || charts.launches === null
        ? [
            el('p', {
              class: 'small',
              text: notHere
                ? 'This page was made from a report that holds only the key metrics of each kernel. Where more was collected, this command shows it:'
                : 'Samples over time and opcodes stand in single results, which this page was made without. Where they were collected, this command shows them:',
            }),
            kernelCommand(this.page, report, node),
          ]
        : null,
      el(
        'ul',
        { class: 'plain-list small' },
        lacking.map(({ what, sections }) =>
          el(
            'li',
            {},
            `${what}: `,
            sections.map((section, at) => [at > 0 ? ' or ' : '', el('code', { text: `--section ${section}` })]),
            ' of ncu',
          ),
        ),
      ),
    );
  }
}

/** `rangescope kernel` for what is selected, with a button that copies it. */
function kernelCommand(page, report, node) {
  const command = commandsFor(page, report, node).at(-1);
  return el(
    'ul',
    { class: 'commands' },
    el(
      'li',
      {},
      el('code', { text: shorten(command, 2000), title: hint(command) }),
      copyButton(() => command, 'Copy', { 'aria-label': `Copy: ${shorten(command, 200)}` }),
    ),
  );
}

/** A number with whether it is exact and how many results have it if not all do; null for none. */
function decodeReading(value) {
  if (value === null) return null;
  const [number, exact, covered] = Array.isArray(value) ? value : [value, 1, null];
  return { value: number, exact: exact === 1, covered };
}

function decodeMissing(page, [what, sections]) {
  return { what: page.text(what), sections: sections.map((section) => page.text(section)) };
}

/** The charts of a number as objects. */
function decodeChart(page, number) {
  const { charts } = page.data;
  const { memory, states, pipes, occupancy, missing } = charts.all[number];
  const text = (id) => page.text(id);
  return {
    memory: memory && decodeMemory(page, memory),
    states: states && {
      cycles: decodeReading(states[0]),
      all: states[1].map(([state, share, cycles, samples]) => {
        const [name, meaning, isStall] = charts.states[state];
        const [cyclesRead, samplesRead] = [decodeReading(cycles), decodeReading(samples)];
        return { name: visible(shorten(text(name), 60)), meaning: text(meaning), isStall: isStall === 1, share, cycles: cyclesRead, samples: samplesRead };
      }),
    },
    pipes: pipes.map(([name, cycles, instructions]) => ({
      name: visible(shorten(text(name), 60)),
      cycles: decodeReading(cycles),
      instructions: decodeReading(instructions),
    })),
    occupancy: occupancy && {
      ...occupancy,
      achieved: decodeReading(occupancy.achieved),
      limits: occupancy.limits.map(([resource, least, most]) => ({ resource: text(resource), least, most })),
      limited_by: occupancy.limited_by.map(text),
    },
    missing: charts.missing[missing].map((one) => decodeMissing(page, one)),
  };
}

/** `1.23 M`, `456`. */
function amountText(value) {
  if (Math.abs(value) < LARGE_AMOUNT) return Number.isInteger(value) ? plain(value) : twoDecimals(value);
  const [factor, prefix] = PREFIXES.find(([factor]) => Math.abs(value) >= factor);
  return `${plain(Number((value / factor).toPrecision(3)))} ${prefix}`;
}

/** The number for people, `~` before what is not exact. */
function readingText(reading, unit) {
  if (reading === null) return ABSENT;
  const { value, exact } = reading;
  const text = unit === '%' ? `${value.toFixed(1)} %` : unit === '' ? amountText(value) : scaled(value, unit).join(' ');
  return `${exact ? '' : '~'}${text}`;
}

function coveredText(reading) {
  return reading?.covered ? `only ${count(reading.covered, 'result has', 'results have')} it` : null;
}

/** All states in one bar, and each with what it means, most time first. */
function statesPart({ cycles, all }) {
  const colour = (at) => (all[at].isStall ? `kind-${at % 6}` : 'kind-quiet');
  const longest = Math.max(...all.map(({ share }) => share), 0);
  const bySamples = all.every((state) => state.cycles === null);
  const shares = all.map(({ name, share }) => `${name} ${percent(share)}`);
  return el(
    'section',
    { class: 'chart chart-states' },
    el('h3', { text: 'Warp states' }),
    el('p', {
      class: 'muted small',
      text: bySamples
        ? 'Shares of the samples of warps.'
        : cycles
          ? `A warp takes ${readingText(cycles, '')} cycles from one instruction to the next; shares of that.`
          : 'Shares of the cycles between two instructions of a warp.',
    }),
    el(
      'div',
      { class: 'mix states', role: 'img', 'aria-label': `Warp states: ${shares.join(', ')}` },
      all.map(({ name, share }, at) => {
        const piece = el('span', { class: colour(at), text: share > NAMED_PART ? name : '', title: shares[at] });
        piece.style.flexGrow = String(share);
        return piece;
      }),
    ),
    el(
      'ul',
      { class: 'chart-rows' },
      all.map((state, at) =>
        el(
          'li',
          {},
          el('span', { class: 'chart-name' }, el('span', { class: `swatch ${colour(at)}`, 'aria-hidden': 'true' }), state.name),
          bar(longest > 0 ? state.share / longest : 0, colour(at)),
          el('span', { class: 'chart-value', text: percent(state.share) }),
          el('span', {
            class: 'chart-value muted',
            text: state.cycles ? `${readingText(state.cycles, '')} cycles` : state.samples ? `${readingText(state.samples, '')} samples` : '',
            title: coveredText(state.cycles ?? state.samples),
          }),
          state.meaning === '' ? null : el('span', { class: 'chart-note muted small', text: state.meaning }),
        ),
      ),
    ),
  );
}

/** How busy each pipe was: its cycles and its instructions. */
function pipesPart(pipes) {
  return el(
    'section',
    { class: 'chart chart-pipes' },
    el('h3', { text: 'Pipes' }),
    el(
      'p',
      { class: 'muted small legend' },
      el('span', { class: 'key' }, el('span', { class: 'swatch kind-0' }), 'busy cycles'),
      el('span', { class: 'key' }, el('span', { class: 'swatch kind-1' }), 'instructions'),
      el('span', { text: 'of what is possible' }),
    ),
    el(
      'ul',
      { class: 'chart-rows' },
      pipes.map(({ name, cycles, instructions }) =>
        el(
          'li',
          {},
          el('span', { class: 'chart-name', text: name }),
          el(
            'span',
            { class: 'two-bars' },
            bar((cycles?.value ?? 0) / 100, cycles ? 'kind-0' : 'empty'),
            bar((instructions?.value ?? 0) / 100, instructions ? 'kind-1' : 'empty'),
          ),
          el('span', { class: 'chart-value', text: readingText(cycles, '%'), title: coveredText(cycles) }),
          el('span', { class: 'chart-value', text: readingText(instructions, '%'), title: coveredText(instructions) }),
        ),
      ),
    ),
  );
}

function extremesOf([least, most], show) {
  return most > least ? `${show(least)} … ${show(most)}` : show(least);
}

/** How full the multiprocessors were, and what kept more blocks away. */
function occupancyPart(occupancy) {
  if (occupancy === null) return null;
  const { achieved, possible, waves, limits, limited_by: limitedBy } = occupancy;
  const most = Math.max(...limits.map((limit) => limit.most), 0);
  const asPercent = (value) => `${value.toFixed(1)} %`;
  const meters = [
    achieved && ['Achieved', achieved.value, readingText(achieved, '%')],
    possible && ['The launch allows', possible[0], extremesOf(possible, asPercent)],
  ];
  return el(
    'section',
    { class: 'chart chart-occupancy' },
    el('h3', { text: 'Occupancy' }),
    limits.length === 0
      ? null
      : el('p', {
          text: `${extremesOf([limits[0].least, limits[0].most], plain)} ${limits[0].most <= 1 ? 'block' : 'blocks'} per SM, limited by ${limitedBy.join(' and ')}${waves ? `; ${extremesOf(waves, amountText)} waves` : ''}`,
        }),
    el(
      'ul',
      { class: 'chart-rows' },
      meters
        .filter((one) => one)
        .map(([name, value, text]) =>
          el('li', {}, el('span', { class: 'chart-name', text: name }), bar(value / 100, 'kind-0'), el('span', { class: 'chart-value', text })),
        ),
      limits.map(({ resource, least, most: highest }) =>
        el(
          'li',
          { class: limitedBy.includes(resource) ? 'limits' : null },
          el('span', { class: 'chart-name', text: `Blocks by ${resource}` }),
          bar(most > 0 ? least / most : 0, limitedBy.includes(resource) ? 'kind-1' : 'kind-quiet'),
          el('span', { class: 'chart-value', text: extremesOf([least, highest], plain) }),
        ),
      ),
    ),
  );
}
