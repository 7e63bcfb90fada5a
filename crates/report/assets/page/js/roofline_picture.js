// The drawing of a roofline: axes in powers of ten, roofs, and a point per region or kernel.

function rooflinePicture(view, points, roofs) {
  const { level } = view;
  const width = Math.max(360, view.root.clientWidth);
  const height = Math.max(240, view.root.clientHeight - 44);
  const margin = { left: 64, right: 16, top: 14, bottom: 40 };
  const slopes = roofs.filter((roof) => roof.slopes && roof.name.toLowerCase() === level);
  const flats = roofs.filter(
    (roof) =>
      !roof.slopes &&
      (view.precision === null || roof.name === view.precision) &&
      points.some((point) => point.precision === roof.name),
  );
  const ridges = slopes.flatMap((slope) => flats.map((flat) => flat.value / slope.value));
  const xs = range([...points.map((point) => point.levels[level].intensity), ...ridges], 0.4);
  const ys = range([...points.map((point) => point.work), ...flats.map((flat) => flat.value)], 0.35);
  const x = (value) =>
    margin.left + ((Math.log10(value) - xs[0]) / (xs[1] - xs[0])) * (width - margin.left - margin.right);
  const y = (value) =>
    height - margin.bottom - ((Math.log10(value) - ys[0]) / (ys[1] - ys[0])) * (height - margin.top - margin.bottom);
  const unit = roofs.find((roof) => !roof.slopes)?.unit ?? 'flop/s';
  const picture = svg('svg', {
    class: 'roofline',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'group',
    'aria-label': 'Roofline. The same numbers are available as a table.',
  });
  const clip = svg(
    'clipPath',
    { id: 'roofline-clip' },
    svg('rect', {
      x: margin.left,
      y: margin.top,
      width: width - margin.left - margin.right,
      height: height - margin.top - margin.bottom,
    }),
  );
  picture.append(svg('defs', {}, clip));
  drawAxes(view, picture, { xs, ys, x, y, width, height, margin, unit });
  const inside = svg('g', { 'clip-path': 'url(#roofline-clip)' });
  drawRoofs(view, inside, { slopes, flats, xs, ys, x, y, width, height, margin });
  picture.append(inside);
  drawPoints(view, picture, points, x, y);
  return picture;
}

function drawAxes(view, picture, { xs, ys, x, y, width, height, margin, unit }) {
  const grid = svg('g', { class: 'axis' });
  for (let power = Math.ceil(xs[0]); power <= Math.floor(xs[1]); power++) {
    const at = x(10 ** power);
    grid.append(
      svg('line', { x1: at, x2: at, y1: margin.top, y2: height - margin.bottom }),
      svg('text', { x: at, y: height - margin.bottom + 15, 'text-anchor': 'middle', text: powerText(power) }),
    );
  }
  for (let power = Math.ceil(ys[0]); power <= Math.floor(ys[1]); power++) {
    const at = y(10 ** power);
    grid.append(
      svg('line', { x1: margin.left, x2: width - margin.right, y1: at, y2: at }),
      svg('text', { x: margin.left - 7, y: at + 4, 'text-anchor': 'end', text: scaledPower(power) }),
    );
  }
  grid.append(
    svg('text', {
      class: 'axis-name',
      x: (margin.left + width - margin.right) / 2,
      y: height - 6,
      'text-anchor': 'middle',
      text: `Operations per byte of ${LEVELS[view.level] ?? view.level} traffic`,
    }),
    svg('text', {
      class: 'axis-name',
      x: 12,
      y: margin.top + (height - margin.top - margin.bottom) / 2,
      'text-anchor': 'middle',
      text: `Measured work, ${unit}`,
      transform: `rotate(-90 12 ${margin.top + (height - margin.top - margin.bottom) / 2})`,
    }),
  );
  picture.append(grid);
}

function drawRoofs(view, inside, { slopes, flats, xs, ys, x, y, width, margin }) {
  const highest = Math.max(...flats.map((flat) => flat.value), 0);
  for (const slope of slopes) {
    const end = highest > 0 ? highest / slope.value : 10 ** xs[1];
    const start = 10 ** xs[0];
    const points = [
      [start, start * slope.value],
      [end, end * slope.value],
    ];
    const [x1, y1, x2, y2] = [x(points[0][0]), y(points[0][1]), x(points[1][0]), y(points[1][1])];
    inside.append(svg('line', { class: 'roof', x1, y1, x2, y2 }));
    const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    // The label stands where the slope is inside the picture.
    const lowest = Math.max(start, 10 ** ys[0] / slope.value);
    const at = 10 ** (Math.log10(lowest) + (Math.log10(end) - Math.log10(lowest)) * 0.35);
    const [text, unit] = scaled(slope.value, slope.unit);
    inside.append(
      svg('text', {
        class: 'roof-name',
        x: x(at),
        y: y(at * slope.value) - 6,
        text: `${slope.name} ${text} ${unit}`,
        transform: `rotate(${angle} ${x(at)} ${y(at * slope.value)})`,
      }),
    );
  }
  for (const flat of flats) {
    const widest = Math.max(...slopes.map((slope) => slope.value), 0);
    const x1 = widest > 0 ? x(flat.value / widest) : margin.left;
    inside.append(svg('line', { class: 'roof', x1, y1: y(flat.value), x2: width - margin.right, y2: y(flat.value) }));
    const [text, unit] = scaled(flat.value, flat.unit);
    inside.append(
      svg('text', {
        class: 'roof-name',
        x: width - margin.right - 4,
        y: y(flat.value) - 5,
        'text-anchor': 'end',
        text: `${flat.name} ${text} ${unit}`,
      }),
    );
  }
}

function drawPoints(view, picture, points, x, y) {
  const heaviest = Math.max(...points.map((point) => point.ns), 1);
  const precisions = [...new Set(points.map((point) => point.precision))].sort();
  const dots = points.map((point, at) => {
    const lines = view.lines(point);
    const radius = 4 + 18 * Math.sqrt(point.ns / heaviest);
    const own = point.choose !== null && point.choose === store.state.selected;
    const dot = svg('circle', {
      class: `dot series-${precisions.indexOf(point.precision) % 5}${own ? ' own' : ''}`,
      cx: x(point.levels[view.level].intensity),
      cy: y(point.work),
      r: radius.toFixed(1),
      role: 'img',
      tabindex: at === 0 ? '0' : '-1',
      'aria-label': lines.join(', '),
      'data-at': String(at),
    });
    dot.addEventListener('pointermove', (event) => tooltip.show(event.clientX, event.clientY, lines));
    dot.addEventListener('pointerleave', () => tooltip.hide());
    dot.addEventListener('focus', () => {
      const box = dot.getBoundingClientRect();
      tooltip.show(box.right, box.top, lines);
    });
    dot.addEventListener('blur', () => tooltip.hide());
    dot.addEventListener('click', () => point.choose !== null && store.set({ selected: point.choose }));
    return dot;
  });
  const go = (from, step) => {
    const next = dots[(from + step + dots.length) % dots.length];
    for (const dot of dots) dot.setAttribute('tabindex', dot === next ? '0' : '-1');
    next.focus();
  };
  picture.addEventListener('keydown', (event) => {
    const at = dots.indexOf(event.target);
    if (at < 0) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) go(at, step);
    else if (event.key === 'Enter' && points[at].choose !== null) store.set({ selected: points[at].choose });
    else return;
    event.preventDefault();
  });
  picture.append(svg('g', {}, dots), dotNames(view, points, x, y, heaviest));
  if (precisions.length > 1) {
    precisions.forEach((precision, at) =>
      picture.append(
        svg('circle', { class: `dot series-${at % 5}`, cx: 80, cy: 24 + at * 16, r: 5 }),
        svg('text', { class: 'roof-name', x: 90, y: 28 + at * 16, text: precision }),
      ),
    );
  }
}

/** Names beside the heaviest points, where there is room. */
function dotNames(view, points, x, y, heaviest) {
  const group = svg('g', { 'aria-hidden': 'true' });
  const taken = [];
  for (const point of points.slice(0, 40)) {
    const text = shorten(visible(shorten(point.name, 200)), 28);
    const radius = 4 + 18 * Math.sqrt(point.ns / heaviest);
    const box = {
      left: x(point.levels[view.level].intensity) + radius + 4,
      top: y(point.work) - 7,
      width: text.length * 6.2,
      height: 14,
    };
    const right = view.root.clientWidth - 20;
    const free =
      box.left + box.width < right &&
      !taken.some(
        (other) =>
          box.left < other.left + other.width &&
          other.left < box.left + box.width &&
          box.top < other.top + other.height &&
          other.top < box.top + box.height,
      );
    if (!free) continue;
    taken.push(box);
    group.append(svg('text', { class: 'dot-name', x: box.left, y: box.top + 11, text }));
    if (taken.length >= 12) break;
  }
  return group;
}

/** The powers of ten around positive values. */
function range(values, pad) {
  const powers = values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10);
  if (powers.length === 0) return [0, 1];
  let [low, high] = [powers[0], powers[0]];
  for (const power of powers) [low, high] = [Math.min(low, power), Math.max(high, power)];
  if (high - low < 1) [low, high] = [low - 0.5, high + 0.5];
  return [low - pad, high + pad];
}

function powerText(power) {
  return power >= 0 && power <= 4
    ? grouped(String(10 ** power))
    : power < 0 && power >= -3
      ? String(10 ** power)
      : `1e${power}`;
}

function scaledPower(power) {
  const prefixes = { 3: 'K', 6: 'M', 9: 'G', 12: 'T', 15: 'P' };
  const base = Math.floor(power / 3) * 3;
  return prefixes[base] ? `${10 ** (power - base)} ${prefixes[base]}` : powerText(power);
}
