// A table of any length: only the rows in view exist. One stop for the Tab key; arrows move inside.

const ROW_HEIGHT = 26;
const ROWS_BESIDE = 8;
/** Browsers cannot make an element much higher than this; nothing real comes near. */
const MOST_ROWS = 600000;

let gridNumber = 0;

class Grid {
  /**
   * `columns`: `{ key, label, title, track, numeric, spare, render(row, cell), sort }`; `track` is a CSS grid track. Where there is not enough
   * room for all, those with the highest `spare` are left out first; those without one stay. `wants` (optional): the room that a column
   * should have before others get any.
   * `tree` (optional): `{ level(row), expanded(row) → true, false or null, toggle(row, open) }`.
   * `rowClass(row)` (optional): what kind of row it is, for its looks.
   * `onAct` (optional): what the control `[data-act]` of a row and the key u do.
   */
  constructor({ label, columns, tree = null, onSelect, onActivate, onAct, onSort, rowClass = () => '', empty = 'Nothing here' }) {
    Object.assign(this, { columns, tree, onSelect, onActivate, onAct, onSort, rowClass, empty });
    this.id = `grid-${++gridNumber}`;
    this.rows = [];
    this.active = -1;
    this.made = new Map();
    this.head = el('div', { class: 'grid-row grid-head', role: 'row', 'aria-rowindex': '1' });
    this.body = el('div', { class: 'grid-body', role: 'rowgroup' });
    this.root = el(
      'div',
      {
        class: 'grid',
        role: tree ? 'treegrid' : 'grid',
        tabindex: '0',
        'aria-label': label,
        id: this.id,
      },
      el('div', { role: 'rowgroup', class: 'grid-top' }, this.head),
      this.body,
    );
    this.root.addEventListener(
      'scroll',
      oncePerFrame(() => this.draw()),
    );
    this.root.addEventListener('keydown', (event) => this.key(event));
    this.body.addEventListener('click', (event) => this.click(event));
    new ResizeObserver(oncePerFrame(() => this.fit())).observe(this.root);
    this.setColumns(columns);
  }

  setColumns(columns) {
    this.all = columns;
    this.columns = this.fitting();
    this.root.style.setProperty('--tracks', this.columns.map((column) => column.track).join(' '));
    this.root.setAttribute('aria-colcount', String(this.columns.length));
    this.setSort(this.sortKey, this.sortDown);
  }

  /** The columns for which there is room. */
  fitting() {
    const room = this.root.clientWidth;
    const width = (columns) => columns.reduce((sum, { track, wants }) => sum + (wants ?? Number(/\d+/.exec(track)[0])), 0);
    let columns = this.all;
    while (room > 0 && width(columns) > room) {
      const most = Math.max(...columns.map(({ spare }) => spare ?? 0));
      if (most === 0) break;
      columns = columns.filter(({ spare }) => spare !== most);
    }
    return columns;
  }

  /** Draws for a new size. */
  fit() {
    if (this.fitting().length === this.columns.length) {
      this.draw();
      return;
    }
    this.setColumns(this.all);
    this.redraw();
  }

  /** Shows by which column rows are sorted. */
  setSort(key, down) {
    this.sortKey = key;
    this.sortDown = down;
    fill(
      this.head,
      this.columns.map((column) => this.headCell(column)),
    );
  }

  headCell(column) {
    const sorted = column.key === this.sortKey;
    const cell = el('div', {
      role: 'columnheader',
      class: column.numeric ? 'numeric' : '',
      title: column.title,
      'aria-sort': column.sort ? (sorted ? (this.sortDown ? 'descending' : 'ascending') : 'none') : null,
    });
    if (!column.sort || !this.onSort) {
      cell.textContent = column.label;
      return cell;
    }
    const mark = sorted ? (this.sortDown ? ' ▾' : ' ▴') : '';
    cell.append(
      button(
        column.label + mark,
        () => {
          const down = sorted ? !this.sortDown : column.numeric === true;
          this.onSort(column.key, down);
          [...this.head.querySelectorAll('button')].find((one) => one.dataset.key === column.key)?.focus();
        },
        { class: 'sort', 'data-key': column.key },
      ),
    );
    return cell;
  }

  /** Shows these rows; the active one is looked up again with `isActive`. */
  setRows(rows, isActive = () => false) {
    this.rows = rows.length > MOST_ROWS ? rows.slice(0, MOST_ROWS) : rows;
    this.active = this.rows.findIndex(isActive);
    this.root.setAttribute('aria-rowcount', String(this.rows.length + 1));
    this.body.style.height = `${Math.max(1, this.rows.length) * ROW_HEIGHT}px`;
    this.redraw();
  }

  redraw() {
    this.made.clear();
    this.body.replaceChildren();
    if (this.rows.length === 0) this.body.append(el('div', { class: 'grid-empty', text: this.empty }));
    this.draw();
  }

  draw() {
    const top = this.root.scrollTop;
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - ROWS_BESIDE);
    const last = Math.min(this.rows.length - 1, Math.ceil((top + this.root.clientHeight) / ROW_HEIGHT) + ROWS_BESIDE);
    for (const [at, element] of this.made) {
      if (at < first || at > last) {
        element.remove();
        this.made.delete(at);
      }
    }
    for (let at = first; at <= last; at++) {
      if (this.made.has(at)) continue;
      const element = this.makeRow(at);
      this.made.set(at, element);
      this.body.append(element);
    }
    this.markActive();
  }

  makeRow(at) {
    const row = this.rows[at];
    const expanded = this.tree?.expanded(row);
    const element = el('div', {
      class: `grid-row ${this.rowClass(row)}`,
      role: 'row',
      id: `${this.id}-${at}`,
      'data-at': String(at),
      'aria-rowindex': String(at + 2),
      'aria-level': this.tree ? String(this.tree.level(row) + 1) : null,
      'aria-expanded': expanded === null || expanded === undefined ? null : String(expanded),
    });
    element.style.top = `${at * ROW_HEIGHT}px`;
    for (const column of this.columns) {
      const cell = el('div', { role: 'gridcell', class: `${column.numeric ? 'numeric' : ''} ${column.class ?? ''}` });
      column.render(row, cell);
      element.append(cell);
    }
    return element;
  }

  markActive() {
    for (const [at, element] of this.made) {
      element.classList.toggle('active', at === this.active);
      element.setAttribute('aria-selected', String(at === this.active));
    }
    const there = this.made.has(this.active);
    if (there) this.root.setAttribute('aria-activedescendant', `${this.id}-${this.active}`);
    else this.root.removeAttribute('aria-activedescendant');
  }

  /** Makes a row the active one and brings it into view. */
  go(at, tell = true) {
    if (this.rows.length === 0) return;
    this.active = Math.max(0, Math.min(this.rows.length - 1, at));
    this.reveal(this.active);
    this.draw();
    if (tell) this.onSelect?.(this.rows[this.active]);
  }

  reveal(at) {
    const top = at * ROW_HEIGHT;
    const room = this.root.clientHeight - ROW_HEIGHT; // the head covers one row
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + ROW_HEIGHT > this.root.scrollTop + room) this.root.scrollTop = top + ROW_HEIGHT - room;
  }

  /** Marks the row of something that was chosen elsewhere. */
  follow(isActive) {
    const at = this.rows.findIndex(isActive);
    if (at === this.active) return;
    this.active = at;
    if (at >= 0) this.reveal(at);
    this.draw();
  }

  click(event) {
    const at = Number(event.target.closest('.grid-row')?.dataset.at ?? -1);
    if (at < 0) return;
    if (event.target.closest('.twist')) {
      this.tree.toggle(this.rows[at], !this.tree.expanded(this.rows[at]));
      return;
    }
    if (event.target.closest('[data-act]')) {
      this.root.focus();
      this.onAct(this.rows[at]);
      return;
    }
    this.go(at);
    this.onActivate?.(this.rows[at], 'click');
  }

  key(event) {
    if (event.target !== this.root || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.root.clientHeight / ROW_HEIGHT) - 2);
    const row = this.rows[this.active];
    const expanded = row === undefined ? null : this.tree?.expanded(row);
    const moves = {
      ArrowDown: () => this.go(this.active + 1),
      ArrowUp: () => this.go(this.active - 1),
      PageDown: () => this.go(this.active + page),
      PageUp: () => this.go(this.active - page),
      Home: () => this.go(0),
      End: () => this.go(this.rows.length - 1),
      Enter: () => row !== undefined && this.onActivate?.(row, 'key'),
      ' ': () => row !== undefined && this.onActivate?.(row, 'key'),
    };
    if (this.onAct && row !== undefined) moves.u = () => this.onAct(row);
    if (this.tree && row !== undefined) {
      moves.ArrowRight = () =>
        expanded === false ? this.tree.toggle(row, true) : expanded && this.go(this.active + 1);
      moves.ArrowLeft = () => (expanded ? this.tree.toggle(row, false) : this.goToParent(row));
    }
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  goToParent(row) {
    const level = this.tree.level(row);
    for (let at = this.active - 1; at >= 0; at--) {
      if (this.tree.level(this.rows[at]) < level) {
        this.go(at);
        return;
      }
    }
  }
}

/** The column that rows are sorted by; the second, which is the time, where there is no such column. */
function sortedBy(columns, { key }) {
  return columns.find((column) => column.key === key && column.sort) ?? columns[1];
}

/** Orders numbers and texts; what is absent comes last whichever way. */
function compareBy(value, down) {
  return (a, b) => {
    const [left, right] = [value(a), value(b)];
    const [noLeft, noRight] = [isAbsent(left), isAbsent(right)];
    if (noLeft || noRight) return noLeft - noRight;
    const order = typeof left === 'string' ? (left < right ? -1 : left > right ? 1 : 0) : left - right;
    return down ? -order : order;
  };
}

function isAbsent(value) {
  return value === null || value === undefined || Number.isNaN(value);
}
