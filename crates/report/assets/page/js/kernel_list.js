// The kernels of a region as the page sees them.

/** The kernels of a node. Rows are numbers; the methods give what is in them. */
class KernelList {
  constructor(page, list, totalNs) {
    Object.assign(this, { page, list, totalNs });
    this.columns = new Map(list.metrics.map((column) => [page.text(column.name), column]));
  }

  get length() {
    return this.list.kernel.length;
  }

  get leftOut() {
    return this.list.left_out;
  }

  /** The row of a kernel; null where the list does not hold it. */
  rowOf(id) {
    this.rows ??= this.page.rowsOf(this.list);
    return this.rows.get(id) ?? null;
  }

  id(row) {
    return this.list.kernel[row];
  }

  name(row) {
    return this.page.text(this.page.data.kernels.names[this.id(row)][0]);
  }

  kind(row) {
    return this.page.text(this.page.data.kernels.names[this.id(row)][1]);
  }

  short(row) {
    return this.page.shortName(this.id(row));
  }

  calls(row) {
    return this.list.calls[row];
  }

  ns(row) {
    return this.list.ns[row];
  }

  share(row) {
    return this.totalNs > 0 ? this.ns(row) / this.totalNs : 0;
  }

  mean(row) {
    const mean = this.list.mean[row];
    return mean === -1 ? this.ns(row) / this.calls(row) : mean;
  }

  min(row) {
    return this.list.min[row] === -1 ? this.mean(row) : this.list.min[row];
  }

  max(row) {
    return this.list.max[row] === -1 ? this.mean(row) : this.list.max[row];
  }

  device(row) {
    return this.list.device[row];
  }

  bound(row) {
    return this.list.bound[row];
  }

  /** The number of the charts of a row, −1 where the page has none. */
  charts(row) {
    return this.list.charts[row] ?? -1;
  }

  /** `{ grid, block, calls, ns, limits }`, most used first. */
  shapes(row) {
    const found = this.list.shapes[row];
    const rows = typeof found === 'number' ? [[found, this.calls(row), this.ns(row)]] : found;
    return rows.map(([shape, calls, ns, limits = this.list.limits[row]]) => {
      const [grid, block] = this.page.data.kernels.shapes[shape];
      return { grid, block, calls, ns, limits: this.decodeLimits(limits, calls, ns) };
    });
  }

  limits(row) {
    return this.decodeLimits(this.list.limits[row], this.calls(row), this.ns(row));
  }

  /** `{ limit, unit, launches, ns }`. */
  decodeLimits(limits, calls, ns) {
    const rows = typeof limits === 'number' ? [[limits, calls, ns]] : limits;
    return rows.map(([number, launches, time]) => {
      const [limit, unit] = this.page.data.kernels.limits[number];
      return { limit, unit: this.page.text(unit), launches, ns: time };
    });
  }

  number(row, names) {
    for (const name of names) {
      const value = this.columns.get(name)?.values[row];
      if (typeof value === 'number') return value;
    }
    return null;
  }

  metric(row, name) {
    const column = this.columns.get(name);
    const descriptor = column?.descriptor[column.descriptor.length === 1 ? 0 : row] ?? -1;
    if (descriptor < 0) return null;
    const gap = column.gaps?.find(([at]) => at === row);
    const [covered, of] = gap ? [gap[1], gap[2]] : [this.calls(row), this.calls(row)];
    return this.page.metric(descriptor, column.values[row], covered, of);
  }

  metrics(row) {
    return [...this.columns.keys()].map((name) => this.metric(row, name)).filter((metric) => metric);
  }

  /** Roofline points with their rows. */
  points() {
    return this.list.points.map(([row, point]) => ({ row, ...decodePoint(this.page, point) }));
  }
}

function decodePoint(page, point) {
  const levels = {};
  for (const [level, bytes, intensity, peak, attainable] of point.traffic) {
    levels[level] = { bytes, intensity, peak, attainable };
  }
  return { precision: page.text(point.precision), work: point.work, peak: point.peak, exact: point.exact, levels };
}
