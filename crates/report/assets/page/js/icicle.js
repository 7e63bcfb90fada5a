// The icicle: the region tree as boxes with kernels at its ends. Click or Enter zooms, Escape and Backspace zoom out, arrows move, u unfolds a family.

const ORDERS = [
  ['program', 'Program'],
  ['time', 'Time'],
];
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
    store.on(['report', 'zoom', 'order', 'folds', 'kernels'], () => this.lay());
    store.on(['report', 'folds', 'order', 'kernels'], () => this.drawControls());
    store.on(['colour', 'dark'], () => this.draw());
    // Kernels that were found are shown even where the others are not.
    store.on(['matches'], () => this.lay());
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
    this.order = el(
      'select',
      { id: 'order', on: { change: () => store.set({ order: this.order.value }) } },
      ORDERS.map(([key, label]) => el('option', { value: key, text: label })),
    );
    this.kernels = el('input', {
      type: 'checkbox',
      id: 'kernels',
      on: { change: () => store.set({ kernels: this.kernels.checked }) },
    });
    this.kernelCount = el('span', {});
    this.families = el(
      'span',
      { class: 'choice', id: 'families', role: 'group', 'aria-label': 'Families' },
      'Families',
      button('Unfold', () => unfoldFamilies(this.report, true), { class: 'quiet', id: 'unfold-families', 'aria-label': 'Unfold all families' }),
      button('Fold', () => unfoldFamilies(this.report, false), { class: 'quiet', id: 'fold-families', 'aria-label': 'Fold all families' }),
    );
    this.drawControls();
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
        el('label', { class: 'choice' }, 'Order', this.order),
        el(
          'label',
          {
            class: 'choice',
            title: `The kernels that a region launches itself, below it in the picture and in the table. Off at first where there are more than ${MOST_LEAVES}.`,
          },
          this.kernels,
          this.kernelCount,
        ),
        this.families,
      ),
      this.root,
      el('p', {
        class: 'offscreen',
        id: 'icicle-help',
        text: 'Arrow keys move between regions and kernels, Enter zooms into a region, Escape or Backspace zooms out, u unfolds or folds a family. What is selected is described in the panel.',
      }),
    );
  }

  drawControls() {
    const { tree, leaves } = this.report;
    this.families.hidden = tree.nodes === tree.size;
    this.order.value = store.state.order;
    this.kernels.checked = store.state.kernels;
    this.kernelCount.textContent = `Kernels (${plain(leaves.count())})`;
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
      'aria-expanded': this.report.tree.isFamily(box.node) ? String(this.report.tree.unfolded.has(box.node)) : null,
      'aria-label': this.describe(box),
    });
    Object.assign(made.style, {
      left: `${box.x}px`,
      top: `${box.row * BOX_HEIGHT}px`,
      width: `${Math.max(1, box.width - (box.width > 4 ? 1 : 0.5))}px`,
    });
    const paint = this.paint(box);
    // A kernel has its colour at its foot alone, so that it is no region at first sight.
    if (this.isKernel(box)) {
      made.classList.add('kernel');
      if (paint) made.style.setProperty('--foot', paint.fill);
    } else if (paint) Object.assign(made.style, { background: paint.fill, color: paint.ink });
    else
      made.classList.add(
        box.node === ALL ? 'all' : box.nodes ? 'bundle' : box.node === UNLABELED ? 'unlabeled' : 'plain',
      );
    if (matches) made.classList.add(this.hit(box, matches));
    if (box.width > 34 && !box.nodes) made.append(el('span', { class: 'box-text', text: this.label(box) }));
    return made;
  }

  isKernel(box) {
    return this.report.isLeaf(box.nodes ? box.nodes[0] : box.node) && (!box.nodes || this.report.isLeaf(box.nodes.at(-1)));
  }

  /** How a box looks in a search: found, around something that was found, or aside. */
  hit(box, matches) {
    const nodes = box.nodes ?? [box.node];
    if (nodes.some((node) => isFound(this.report, matches, node))) return 'hit';
    if (nodes.some((node) => matches.holding.has(node))) return 'holds';
    if (box.node === ALL) return 'around';
    if (!nodes.some((node) => matches.above.has(node))) return 'dim';
    return box.nodes ? 'hit' : 'around';
  }

  label(box) {
    const name = visible(shorten(this.report.caption(box.node), 300));
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
      const ns = this.report.ns(node);
      sum += one * ns;
      weight += ns;
    }
    return weight > 0 ? sum / weight : NaN;
  }

  describe(box) {
    return boxLines(this.page, this.report, box).join(', ');
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
    if (box) tooltip.show(event.clientX, event.clientY, boxLines(this.page, this.report, box));
    else tooltip.hide();
  }

  zoomTo(box) {
    if (box.nodes) store.set({ zoom: { nodes: box.nodes }, selected: this.report.parent(box.nodes[0]) });
    else if (this.report.isLeaf(box.node)) {
      store.set({ selected: box.node });
      announce(`${this.describe(box)}; described in the panel`);
      return;
    }
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
    const { selected, zoom, kernels } = store.state;
    // A kernel that is shown only because it is selected comes and goes.
    if (!kernels) this.lay();
    if (zoom?.node !== undefined && selected !== ALL && !this.laid.boxes.some((box) => box.node === selected)) {
      const inside = this.report.ancestry(selected).includes(zoom.node);
      if (!inside) {
        store.set({ zoom: null });
        return;
      }
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
      u: () => {
        const { selected } = store.state;
        unfoldFamily(this.report, selected, !this.report.tree.unfolded.has(selected));
      },
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
        ? el('span', { class: 'muted hint', text: 'Width is GPU time; click to zoom.' })
        : shown.map((node) =>
            node === null
              ? el('span', { text: '…' })
              : button(
                  visible(shorten(this.report.caption(node), 40)),
                  () => store.set({ zoom: node === ALL ? null : { node }, selected: node }),
                  { class: 'crumb', title: hint(this.report.name(node)) },
                ),
          ),
      zoom?.nodes ? el('span', { class: 'muted', text: `${plain(zoom.nodes.length)} narrow ones` }) : null,
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
      el('span', { class: 'key' }, el('span', { class: 'swatch kernel' }), 'kernel'),
    );
    if (this.colour) this.colour.value = store.state.colour;
  }
}
