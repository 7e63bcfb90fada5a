// The icicle: the region tree as boxes. Click or Enter zooms, Escape and Backspace zoom out, arrows move.

const BOX_HEIGHT = 24;
const SHOWN_ROWS = 12;

class Icicle {
  constructor(page) {
    this.page = page;
    this.laid = { boxes: [], rows: 0 };
    this.canvas = el('div', { class: 'icicle-canvas', role: 'presentation' });
    this.root = el(
      'div',
      {
        class: 'icicle',
        id: 'icicle',
        tabindex: '0',
        role: 'tree',
        'aria-label': 'Regions by inclusive GPU time',
        'aria-describedby': 'icicle-help',
      },
      this.canvas,
    );
    this.crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Zoomed into' });
    this.legend = el('div', { class: 'legend' });
    this.root.addEventListener('keydown', (event) => this.key(event));
    this.root.addEventListener(
      'scroll',
      oncePerFrame(() => this.draw()),
    );
    this.canvas.addEventListener('click', (event) => this.click(event));
    this.canvas.addEventListener('pointermove', (event) => this.hover(event));
    this.canvas.addEventListener('pointerleave', () => tooltip.hide());
    new ResizeObserver(oncePerFrame(() => this.lay())).observe(this.root);
    store.on(['report', 'zoom', 'order'], () => this.lay());
    store.on(['colour', 'dark', 'matches'], () => this.draw());
    store.on(['selected'], () => this.follow());
    store.on(['colour', 'dark', 'report'], () => this.drawLegend());
  }

  get report() {
    return this.page.reports[store.state.report];
  }

  element() {
    const choices = COLOURINGS.map(({ key, label }) => el('option', { value: key, text: label }));
    if (this.page.comparison) choices.unshift(el('option', { value: 'change', text: 'Change of time' }));
    this.colour = el(
      'select',
      { id: 'colour', on: { change: () => store.set({ colour: this.colour.value }) } },
      choices,
    );
    this.colour.value = store.state.colour;
    const order = el(
      'select',
      { id: 'order', on: { change: () => store.set({ order: order.value }) } },
      el('option', { value: 'program', text: 'Program' }),
      el('option', { value: 'time', text: 'Time' }),
    );
    this.drawLegend();
    return el(
      'section',
      { class: 'icicle-part', 'aria-label': 'Icicle' },
      el(
        'div',
        { class: 'toolbar' },
        this.crumbs,
        el('span', { class: 'gap' }),
        el('label', { class: 'choice' }, 'Colour', this.colour),
        this.legend,
        el('label', { class: 'choice' }, 'Order', order),
      ),
      this.root,
      el('p', {
        class: 'offscreen',
        id: 'icicle-help',
        text: 'Arrow keys move between regions, Enter zooms in, Escape or Backspace zooms out.',
      }),
    );
  }

  lay() {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    this.width = width;
    this.laid = layOut(this.report, store.state.zoom, width, store.state.order);
    this.canvas.style.height = `${this.laid.rows * BOX_HEIGHT}px`;
    this.root.style.setProperty('--rows', String(Math.max(2, Math.min(SHOWN_ROWS, this.laid.rows))));
    this.drawCrumbs();
    this.draw();
  }

  draw() {
    const top = this.root.scrollTop / BOX_HEIGHT - 2;
    const bottom = (this.root.scrollTop + Math.max(this.root.clientHeight, 600)) / BOX_HEIGHT + 2;
    const shown = this.laid.boxes.filter((box) => box.row >= top && box.row <= bottom);
    this.shown = shown;
    const { matches } = store.state;
    fill(
      this.canvas,
      shown.map((box, at) => this.makeBox(box, at, matches)),
    );
    this.markActive();
  }

  makeBox(box, at, matches) {
    if (box.label) {
      const heading = el('div', { class: 'box-heading', role: 'presentation', text: box.label });
      heading.style.top = `${box.row * BOX_HEIGHT}px`;
      return heading;
    }
    const made = el('div', {
      class: 'box',
      role: 'treeitem',
      id: `box-${at}`,
      'data-at': String(at),
      'aria-level': String(box.row + 1),
      'aria-label': this.describe(box),
    });
    Object.assign(made.style, {
      left: `${box.x}px`,
      top: `${box.row * BOX_HEIGHT}px`,
      width: `${Math.max(1, box.width - (box.width > 4 ? 1 : 0.5))}px`,
    });
    const paint = this.paint(box);
    if (paint) Object.assign(made.style, { background: paint.fill, color: paint.ink });
    else
      made.classList.add(
        box.node === ALL ? 'all' : box.nodes ? 'bundle' : box.node === UNLABELED ? 'unlabeled' : 'plain',
      );
    if (matches) made.classList.add(this.hit(box, matches) ? 'hit' : 'dim');
    if (box.width > 34 && !box.nodes) made.append(el('span', { class: 'box-text', text: this.label(box) }));
    return made;
  }

  hit(box, matches) {
    const nodes = box.nodes ?? [box.node];
    return nodes.some((node) => matches.own.has(node)) || (box.nodes && nodes.some((node) => matches.above.has(node)));
  }

  label(box) {
    const name = visible(shorten(this.report.own(box.node), 300));
    return box.width > 150 ? `${name} · ${duration(this.report.ns(box.node))}` : name;
  }

  paint(box) {
    if (box.node === ALL || box.node === UNLABELED) return null;
    const isChange = store.state.colour === 'change';
    const value = isChange
      ? (node) => this.page.comparison.change(this.report, node)
      : (node) => this.report.value(node, colouring(store.state.colour).names);
    const mean = box.nodes ? this.meanOf(box.nodes, value) : value(box.node);
    return isChange ? colourOfChange(mean, CHANGE_LIMIT) : colourOfPercent(mean);
  }

  /** A bundle has the colour of its mean by time. */
  meanOf(nodes, value) {
    let [sum, weight] = [0, 0];
    for (const node of nodes) {
      const one = value(node);
      if (!Number.isFinite(one)) continue;
      sum += one * this.report.ns(node);
      weight += this.report.ns(node);
    }
    return weight > 0 ? sum / weight : NaN;
  }

  /** What a box stands for, for tooltips and for readers that do not see it. */
  lines(box) {
    const { report } = this;
    if (box.nodes) {
      const ns = box.nodes.reduce((sum, node) => sum + report.ns(node), 0);
      return [`${count(box.nodes.length, 'narrow region')}`, `${duration(ns)}, zoom in to see them`];
    }
    const { node } = box;
    const lines = [
      shorten(visible(shorten(report.name(node), 600)), 240),
      `${duration(report.ns(node))} · ${percent(report.share(node))} of all · ${count(report.results(node), 'result')}`,
    ];
    if (node >= 0 && report.childrenOf(node).length > 0) lines.push(`self ${duration(report.selfNs(node))}`);
    if (store.state.colour === 'change') lines.push(...(this.page.comparison?.lines(report, node) ?? []));
    const values = COLOURINGS.map(({ short, names }) => [short, report.value(node, names)])
      .filter(([, value]) => Number.isFinite(value))
      .map(([short, value]) => `${short} ${value.toFixed(1)} %`);
    if (values.length > 0) lines.push(values.join(' · '));
    return lines;
  }

  describe(box) {
    return this.lines(box).join(', ');
  }

  boxAt(event) {
    const at = event.target.closest('.box')?.dataset.at;
    return at === undefined ? null : this.shown[Number(at)];
  }

  click(event) {
    const box = this.boxAt(event);
    if (!box) return;
    tooltip.hide();
    this.zoomTo(box);
  }

  hover(event) {
    const box = this.boxAt(event);
    if (box) tooltip.show(event.clientX, event.clientY, this.lines(box));
    else tooltip.hide();
  }

  zoomTo(box) {
    if (box.nodes) store.set({ zoom: { nodes: box.nodes }, selected: this.report.parent(box.nodes[0]) });
    else if (box.node === UNLABELED) store.set({ selected: UNLABELED });
    else store.set({ zoom: box.node === ALL ? null : { node: box.node }, selected: box.node });
    announce(`Zoomed to ${this.describe(box)}`);
  }

  zoomOut() {
    const { zoom } = store.state;
    if (!zoom) return;
    const up = zoom.nodes ? this.report.parent(zoom.nodes[0]) : this.report.parent(zoom.node);
    const selected = zoom.nodes ? up : zoom.node;
    store.set({ zoom: up === ALL || up === null ? null : { node: up }, selected });
    announce(`Zoomed out to ${visible(shorten(this.report.name(up ?? ALL), 200))}`);
  }

  /** The box of the selected node, or the bundle that holds it. */
  activeAt() {
    const { selected } = store.state;
    const own = this.shown.findIndex((box) => box.node === selected);
    return own >= 0 ? own : this.shown.findIndex((box) => box.nodes?.includes(selected));
  }

  markActive() {
    const at = this.activeAt();
    for (const box of this.canvas.querySelectorAll('.box.active')) box.classList.remove('active');
    const active = at < 0 ? null : this.canvas.querySelector(`#box-${at}`);
    active?.classList.add('active');
    if (active) this.root.setAttribute('aria-activedescendant', `box-${at}`);
    else this.root.removeAttribute('aria-activedescendant');
  }

  /** Brings what was selected elsewhere into view. */
  follow() {
    const { selected, zoom } = store.state;
    if (zoom?.node !== undefined && selected !== ALL && !this.laid.boxes.some((box) => box.node === selected)) {
      const inside = this.report.ancestry(selected).includes(zoom.node);
      if (!inside) store.set({ zoom: null });
    }
    const box = this.laid.boxes.find((one) => one.node === selected);
    if (box) {
      const top = box.row * BOX_HEIGHT;
      if (top < this.root.scrollTop) this.root.scrollTop = top;
      else if (top + BOX_HEIGHT > this.root.scrollTop + this.root.clientHeight) {
        this.root.scrollTop = top + BOX_HEIGHT - this.root.clientHeight;
      }
    }
    this.markActive();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = {
      ArrowUp: () => this.move((box, now) => box.row < now.row, 'row', -1),
      ArrowDown: () =>
        this.move((box, now) => box.row > now.row && box.x < now.x + now.width && box.x + box.width > now.x, 'row', 1),
      ArrowLeft: () => this.move((box, now) => box.row === now.row && box.x < now.x, 'x', -1),
      ArrowRight: () => this.move((box, now) => box.row === now.row && box.x > now.x, 'x', 1),
      Home: () => store.set({ selected: ALL }),
      Enter: () => this.enter(),
      ' ': () => this.enter(),
      Escape: () => this.zoomOut(),
      Backspace: () => this.zoomOut(),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  enter() {
    const at = this.activeAt();
    if (at >= 0) this.zoomTo(this.shown[at]);
  }

  /** Selects the nearest box in a direction. */
  move(fits, axis, step) {
    const now = this.shown[this.activeAt()] ?? this.laid.boxes[0];
    let best = null;
    for (const box of this.laid.boxes) {
      if (box.label || !fits(box, now)) continue;
      if (axis === 'row' && step < 0 && !(box.x <= now.x + 0.5 && box.x + box.width >= now.x + now.width - 0.5))
        continue;
      const closer = best === null || (box[axis] - best[axis]) * step < 0;
      if (closer) best = box;
    }
    if (!best) return;
    const node = best.node ?? best.nodes[0];
    store.set({ selected: node });
    announce(this.describe(best));
  }

  drawCrumbs() {
    const { zoom } = store.state;
    const top = zoom?.nodes ? this.report.parent(zoom.nodes[0]) : zoom?.node;
    const chain = zoom ? [ALL, ...(top === ALL ? [] : this.report.ancestry(top))] : [];
    const shown = chain.length > 6 ? [...chain.slice(0, 2), null, ...chain.slice(-3)] : chain;
    fill(
      this.crumbs,
      shown.length === 0
        ? el('span', { class: 'muted', text: 'Width is inclusive GPU time. Click or press Enter to zoom.' })
        : shown.map((node) =>
            node === null
              ? el('span', { text: '…' })
              : button(
                  visible(shorten(this.report.own(node), 40)),
                  () => store.set({ zoom: node === ALL ? null : { node }, selected: node }),
                  { class: 'crumb', title: hint(this.report.own(node)) },
                ),
          ),
      zoom?.nodes ? el('span', { class: 'muted', text: count(zoom.nodes.length, 'region') }) : null,
    );
  }

  drawLegend() {
    const isChange = store.state.colour === 'change';
    const scale = el('span', { class: 'scale' });
    scale.style.background = `linear-gradient(to right, ${scaleStops(isChange).join(', ')})`;
    const [low, high] = isChange ? [`−${CHANGE_LIMIT * 100} %`, `+${CHANGE_LIMIT * 100} %`] : ['0', '100 %'];
    const label = isChange
      ? 'Colour scale: blue is faster, orange is slower'
      : 'Colour scale: 0 to 100 per cent of peak';
    fill(
      this.legend,
      el(
        'span',
        { class: 'scale-part', role: 'img', 'aria-label': label },
        el('span', { text: low }),
        scale,
        el('span', { text: high }),
      ),
      el('span', { class: 'key' }, el('span', { class: 'swatch plain' }), isChange ? 'no base' : 'not measured'),
      this.report.results(UNLABELED) > 0
        ? el('span', { class: 'key' }, el('span', { class: 'swatch unlabeled' }), 'unlabeled')
        : null,
    );
    if (this.colour) this.colour.value = store.state.colour;
  }
}
