// The ranks beside each other: a heat map of ranks and regions, and the regions with what each rank is slow in.

const CELL_HEIGHT = 16;
const NAMES_SHARE = 0.28;
const MOST_NAMES_WIDTH = 240;
/** Differences from the mean of a row have their full colour from here on, unless none is as large. */
const FULL_COLOUR = 1;
const LEAST_COLOUR = 0.1;
const SLOW_ON = {
  alike: 'all alike',
  one_member: 'one',
  few_members: 'a few',
  one_host: 'one host',
  spread: 'spread',
  stages: 'see its stages',
  only_one: 'only one has it',
  unknown: 'no time',
};

class RanksView {
  constructor(page) {
    this.page = page;
    this.data = page.data.ranks;
    this.map = this.data.heat_map;
    [this.one, this.many] = this.data.members === 'ranks' ? ['rank', 'ranks'] : ['process', 'processes'];
    this.limit = this.largest();
    this.canvas = el('canvas', { class: 'heat-canvas', role: 'presentation' });
    this.heat = el(
      'div',
      {
        class: 'heat',
        id: 'heat',
        tabindex: '0',
        role: 'application',
        'aria-label': `Time by ${this.one} and region`,
        'aria-describedby': 'heat-help',
      },
      this.canvas,
    );
    this.heat.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('click', (event) => this.choose(this.at(event)));
    this.canvas.addEventListener('pointermove', (event) => this.hover(event));
    this.canvas.addEventListener('pointerleave', () => tooltip.hide());
    this.story = el('p', { class: 'heat-story', id: 'heat-story' });
    this.columns = this.tableColumns();
    this.grid = new Grid({
      label: `${this.data.members === 'ranks' ? 'Ranks' : 'Processes'} by region`,
      columns: this.columns,
      empty: 'Nothing to compare',
      onSelect: (row) => this.chooseRow(this.data.rows.indexOf(row)),
      onSort: (key, down) => setSort('ranks', { key, down }),
    });
    this.root = el(
      'div',
      { class: 'pane ranks-pane' },
      el('div', { class: 'toolbar heat-head' }, this.answers(), this.outliers(), this.legend()),
      this.heat,
      this.story,
      this.grid.root,
      el('p', {
        class: 'offscreen',
        id: 'heat-help',
        text: `Arrow keys move between ${this.many} and regions, Enter selects the region. What is under the mark is said below the picture.`,
      }),
    );
    new ResizeObserver(oncePerFrame(() => this.appear())).observe(this.heat);
    store.on(['view', 'dark', 'cell'], () => this.draw());
    store.on(['cell'], () => this.grid.follow((row) => row === this.data.rows[this.chosenRow()]));
    store.on(['sorts'], () => this.fillTable());
    this.fillTable();
  }

  element() {
    return this.root;
  }

  /** The largest difference from the mean of its row, which has the full colour. */
  largest() {
    let largest = LEAST_COLOUR;
    for (const row of this.map.rows) {
      const mean = this.data.rows[row.row].time?.mean;
      row.mean_ms.forEach((_, bin) => {
        const change = this.value(row, bin) / mean - 1;
        if (Number.isFinite(change)) largest = Math.max(largest, Math.abs(change));
      });
    }
    return Math.min(largest, FULL_COLOUR);
  }

  /** The longest time of a bin; not a number where nobody has one. */
  value(row, bin) {
    return row.max?.length ? (row.max[bin]?.[0] ?? NaN) : (row.mean_ms[bin] ?? NaN);
  }

  answers() {
    const totals = this.data.rows.filter(({ what }) => what === 'total');
    return totals.map((total) =>
      el('strong', { class: 'heat-answer', text: `${count(this.data.count, this.one, this.many)}: ${visible(shorten(total.sentence, 600))}`, title: hint(this.data.rule) }),
    );
  }

  outliers() {
    const list = this.data.standing_out ?? [];
    if (list.length === 0) return null;
    const said = list.map(({ member, rows }) => `${this.name(member)} in ${plain(rows)}`).join(', ');
    return el('span', { class: 'muted heat-outliers', text: visible(shorten(`Stand out: ${said}`, 400)) });
  }

  legend() {
    const scale = el('span', { class: 'scale', 'aria-hidden': 'true' });
    this.recolour = () => (scale.style.background = `linear-gradient(90deg, ${scaleStops(true).join(', ')})`);
    const binned = this.map.bins.some(({ members }) => members > 1);
    const what = binned ? `the slowest ${this.one} of each column` : `each ${this.one}`;
    const range = percent(this.limit).replace(' %', '');
    return el('span', { class: 'legend scale-part' }, `−${range}`, scale, `+${range} % of the mean of its row, of ${what}; empty: ran nothing`);
  }

  name({ rank, process_id: process, host }) {
    const number = this.data.members === 'ranks' ? rank : process;
    return `${this.one} ${number ?? 'unknown'}${host === null ? '' : ` (${host})`}`;
  }

  rowName(row) {
    return row.what === 'total' ? 'All' : row.name;
  }

  tableColumns() {
    const ms = (get) => (row) => get(row) === undefined ? null : get(row) * 1e6;
    const numeric = (key, label, title, track, spare, sort, text) => ({
      key, label, title, track, spare, sort, numeric: true, render: (row, cell) => (cell.textContent = text(sort(row))),
    });
    const factor = (value) => (isAbsent(value) ? ABSENT : value.toFixed(2));
    return [
      {
        key: 'name',
        label: 'Region or kernel',
        track: 'minmax(130px, 1fr)',
        class: 'name',
        sort: (row) => row.name,
        render: (row, cell) =>
          cell.append(el('span', { class: 'label', text: visible(shorten(this.rowName(row), 300)), title: hint(row.sentence) })),
      },
      numeric('cost', 'Cost', 'The time of the slowest beyond the mean', '76px', 0, ms((row) => row.time && row.time.max.value - row.time.mean), duration),
      numeric('mean', 'Mean', 'Mean time', '76px', 3, ms((row) => row.time?.mean), duration),
      numeric('max', 'Max', 'Longest time', '76px', 2, ms((row) => row.time?.max.value), duration),
      numeric('factor', 'Max/mean', 'Longest time over mean', '96px', 0, (row) => row.time?.max_over_mean ?? null, factor),
      numeric('missing', 'Missing', `${this.many} that ran nothing of it`, '80px', 5, (row) => row.missing, plain),
      {
        key: 'slowest',
        label: 'Slowest',
        track: '110px',
        spare: 1,
        class: 'name',
        render: (row, cell) =>
          cell.append(el('span', { class: 'label', text: row.time ? visible(shorten(this.name(row.time.max.member), 60)) : ABSENT })),
      },
      {
        key: 'verdict',
        label: 'Slow on',
        track: '90px',
        spare: 4,
        sort: (row) => SLOW_ON[row.verdict],
        render: (row, cell) => (cell.textContent = SLOW_ON[row.verdict] ?? ABSENT),
      },
    ];
  }

  fillTable() {
    const { ranks: sort = { key: 'cost', down: true } } = store.state.sorts;
    const column = sortedBy(this.columns, sort);
    this.grid.setSort(column.key, sort.down);
    this.grid.setRows([...this.data.rows].sort(compareBy(column.sort, sort.down)), (row) => row === this.data.rows[this.chosenRow()]);
  }

  /** Position among the rows of what is chosen, -1 if nothing is. */
  chosenRow() {
    return store.state.cell?.row ?? -1;
  }

  /** Where the map is drawn: the room for names and the size of a cell. */
  measure() {
    const width = this.heat.clientWidth;
    const names = Math.min(MOST_NAMES_WIDTH, Math.floor(width * NAMES_SHARE));
    return { width, names, cell: (width - names) / Math.max(1, this.map.bins.length) };
  }

  /** Draws for a new size; what was chosen while the view was hidden is brought into sight. */
  appear() {
    this.draw();
    const { active } = this.grid;
    if (active < 0) return;
    this.grid.reveal(active);
    this.grid.draw();
  }

  draw() {
    if (store.state.view !== 'ranks' || this.heat.clientWidth === 0) return;
    this.recolour();
    const { width, names, cell } = this.measure();
    const height = this.map.rows.length * CELL_HEIGHT;
    const ratio = devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    const pen = this.canvas.getContext('2d');
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.root);
    pen.font = `11px ${style.fontFamily}`;
    pen.textBaseline = 'middle';
    this.map.rows.forEach((row, at) => {
      const about = this.data.rows[row.row];
      const top = at * CELL_HEIGHT;
      pen.fillStyle = style.color;
      pen.fillText(visible(shorten(this.rowName(about), 40)), 2, top + CELL_HEIGHT / 2, names - 8);
      this.map.bins.forEach((_, bin) => {
        const painted = colourOfChange(this.value(row, bin) / about.time?.mean - 1, this.limit);
        if (!painted) return;
        pen.fillStyle = painted.fill;
        pen.fillRect(names + bin * cell, top + 1, Math.max(1, cell - (cell > 6 ? 1 : 0)), CELL_HEIGHT - 2);
      });
    });
    this.mark(pen, names, cell, style.color);
    this.tell();
  }

  /** A frame around the chosen cell, or around the whole row. */
  mark(pen, names, cell, colour) {
    const { cell: chosen } = store.state;
    const at = this.map.rows.findIndex(({ row }) => row === chosen?.row);
    if (at < 0) return;
    const whole = chosen.bin === null;
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.strokeRect(names + (whole ? 0 : chosen.bin * cell), at * CELL_HEIGHT + 1, whole ? cell * this.map.bins.length : cell, CELL_HEIGHT - 2);
  }

  /** What is chosen, in words. */
  tell() {
    const { cell } = store.state;
    const row = cell && this.data.rows[cell.row];
    const where = cell?.bin === null || !row ? '' : `${this.cellWords(cell)} `;
    fill(
      this.story,
      row
        ? [el('b', { text: visible(shorten(this.rowName(row), 200)) }), `: ${visible(shorten(`${where}${row.sentence}`, 900))}`]
        : el('span', { class: 'muted', text: `Choose a cell or a row: the answer for it is said here.${this.leftOut()}` }),
    );
  }

  leftOut() {
    const rows = this.data.rows_left_out > 0 ? ` ${count(this.data.rows_left_out, 'more row')} with smaller differences ${this.data.rows_left_out === 1 ? 'is' : 'are'} left out.` : '';
    const results = this.data.results_left_out > 0 ? ` ${count(this.data.results_left_out, 'result')} had no room.` : '';
    return rows + results;
  }

  /** `rank 3 (node02) 14.2 ms.`, or of a bin its mean and who is slowest. */
  cellWords({ row, bin }) {
    const heat = this.map.rows.find((one) => one.row === row);
    const { first, last, members } = this.map.bins[bin] ?? {};
    if (!heat || !first) return '';
    const mean = heat.mean_ms[bin];
    const time = (ms) => (isAbsent(ms) ? 'ran nothing of it' : duration(ms * 1e6));
    if (members === 1) return `${this.name(first)}: ${time(mean)}.`;
    const [slowest, who] = heat.max?.[bin] ?? [null, null];
    const of = `${this.name(first)} to ${this.name(last ?? first)}`;
    return isAbsent(mean) ? `${of}: ${time(mean)}.` : `${of}: mean ${time(mean)}, longest ${time(slowest)} of ${this.one} ${who ?? 'unknown'}.`;
  }

  at(event) {
    const { names, cell } = this.measure();
    const box = this.canvas.getBoundingClientRect();
    const row = this.map.rows[Math.floor((event.clientY - box.top) / CELL_HEIGHT)]?.row;
    const bin = Math.floor((event.clientX - box.left - names) / cell);
    return row === undefined ? null : { row, bin: bin < 0 ? null : Math.min(bin, this.map.bins.length - 1) };
  }

  hover(event) {
    const cell = this.at(event);
    if (!cell) return tooltip.hide();
    const row = this.data.rows[cell.row];
    const words = cell.bin === null ? row.sentence : this.cellWords(cell);
    return tooltip.show(event.clientX, event.clientY, [this.rowName(row), words].map((line) => visible(shorten(line, 300))));
  }

  choose(cell) {
    if (!cell) return;
    store.set({ cell });
    this.select(this.data.rows[cell.row]);
  }

  chooseRow(row) {
    if (row !== this.chosenRow()) store.set({ cell: { row, bin: null } });
    this.select(this.data.rows[row]);
  }

  /** Selects the region of a row everywhere in the page, if this scope has it. */
  select(row) {
    if (!row?.region) return;
    const { domain, kind, path } = row.region;
    const before = `${row.what === 'family' ? 'family:' : ''}${kind === 'start_end' ? 'range:' : ''}`;
    const text = `${before}${domain === DEFAULT_DOMAIN ? '' : `${nameText(domain)}@`}${path.map(nameText).join('/')}`;
    try {
      store.set({ selected: nodeOf(this.page.reports[store.state.report], text) });
    } catch {
      // Not in this scope.
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { rows, bins } = this.map;
    const chosen = store.state.cell;
    const now = { row: Math.max(0, rows.findIndex(({ row }) => row === chosen?.row)), bin: chosen?.bin ?? 0 };
    const go = (row, bin) => {
      const at = Math.max(0, Math.min(rows.length - 1, row));
      const cell = { row: rows[at].row, bin: Math.max(0, Math.min(bins.length - 1, bin)) };
      store.set({ cell });
      this.reveal(at);
      announce(`${visible(shorten(this.rowName(this.data.rows[cell.row]), 100))}: ${visible(this.cellWords(cell))}`);
    };
    const moves = {
      ArrowUp: () => go(now.row - 1, now.bin),
      ArrowDown: () => go(now.row + 1, now.bin),
      ArrowLeft: () => go(now.row, now.bin - 1),
      ArrowRight: () => go(now.row, now.bin + 1),
      Home: () => go(now.row, 0),
      End: () => go(now.row, bins.length - 1),
      Enter: () => this.select(this.data.rows[chosen?.row]),
      ' ': () => this.select(this.data.rows[chosen?.row]),
      Escape: () => store.set({ cell: null }),
    };
    if (!moves[event.key] || rows.length === 0) return;
    event.preventDefault();
    moves[event.key]();
  }

  reveal(at) {
    const top = at * CELL_HEIGHT;
    if (top < this.heat.scrollTop) this.heat.scrollTop = top;
    else if (top + CELL_HEIGHT > this.heat.scrollTop + this.heat.clientHeight) this.heat.scrollTop = top + CELL_HEIGHT - this.heat.clientHeight;
  }
}

/** The chosen cell for an address: what its row is, and by column the first rank in it. */
function cellText({ data }, cell) {
  if (!cell) return null;
  const { what, name } = data.ranks.rows[cell.row];
  const bin = cell.bin === null ? '' : `,${cell.bin}`;
  return `${what}:${nameText(name)}${bin}`;
}

function cellOf({ data }, text) {
  const [row, bin] = text.split(',');
  const rows = found(data.ranks).rows;
  const at = rows.findIndex(({ what, name }) => `${what}:${nameText(name)}` === row);
  const bins = data.ranks.heat_map.bins.length;
  return { row: oneOf([...rows.keys()], at), bin: bin === undefined ? null : oneOf(Array.from({ length: bins }, (_, one) => one), Number(bin)) };
}
