// The report as the rest of the page sees it. The data comes in columns with everything stored once
// (the Rust module `model` is the other side); here it becomes objects, made when they are asked for.

/** Nodes that are no region. */
const ALL = -1;
const UNLABELED = -2;

const DEFAULT_DOMAIN = '<default domain>';

class Page {
  constructor(data) {
    this.data = data;
    this.positions = new Map();
    this.trees = new Map();
    this.reports = data.reports.map((report, at) => new Report(this, report, at));
    /** Nothing has a region: the page is about kernels. */
    this.bare = this.reports.every((report) => report.size === 0);
  }

  /** Where kernels are listed. */
  kernelsPlace() {
    return this.bare ? { view: 'kernels' } : { tab: 'kernels' };
  }

  /** The tree of a table of regions: scopes of the same regions fold together. */
  tree(number) {
    if (!this.trees.has(number)) {
      const tree = new ShownTree(this.data.regions[number]);
      if (this.data.unfold) for (let at = tree.size; at < tree.nodes; at++) tree.unfolded.add(at);
      tree.build();
      this.trees.set(number, tree);
    }
    return this.trees.get(number);
  }

  text(id) {
    return id === null || id === undefined ? null : this.data.texts[id];
  }

  /** A metric from its descriptor and its value. */
  metric(descriptor, cell, covered, of) {
    const { name, unit, method, exact, reason } = this.data.metrics;
    const extremes = Array.isArray(cell) ? cell : [null, null, null];
    return {
      name: this.text(name[descriptor]),
      unit: this.text(unit[descriptor]),
      method: method[descriptor],
      exact: exact[descriptor] === 1,
      reason: this.text(reason[descriptor]),
      value: typeof cell === 'number' ? cell : extremes[2],
      text: typeof cell === 'string' ? cell : null,
      min: extremes[0],
      max: extremes[1],
      covered,
      of,
    };
  }

  /** Where each metric stands in sets of a layout. */
  positionsOf(layout) {
    let found = this.positions.get(layout);
    if (!found) {
      found = new Map();
      this.data.metrics.layouts[layout].forEach((descriptor, at) => {
        const name = this.text(this.data.metrics.name[descriptor]);
        if (!found.has(name)) found.set(name, at);
      });
      this.positions.set(layout, found);
    }
    return found;
  }

  /** The short name of a kernel; different kernels never have the same. */
  shortName(kernel) {
    return visible(this.data.kernels.short[kernel]);
  }

  /** By kernel the row of a stored list. */
  rowsOf(list) {
    this.rows ??= new Map();
    if (!this.rows.has(list)) this.rows.set(list, new Map(list.kernel.map((kernel, row) => [kernel, row])));
    return this.rows.get(list);
  }

  /** Where the longest launch of a kernel is, by the number of its name. */
  launchesByKernel() {
    this.launches ??= new Map((this.data.charts.launches ?? []).map((launch, at) => [launch.kernel, at]));
    return this.launches;
  }

  /** The number of a kernel by its full name. */
  kernelNamed(name) {
    return this.isKernel(name) ? this.byName.get(name) : null;
  }

  isKernel(name) {
    this.byName ??= new Map(this.data.kernels.names.map(([text], kernel) => [this.text(text), kernel]));
    return this.byName.has(name);
  }

  /** The short name for a full one. */
  shortOf(name) {
    const kernel = this.isKernel(name) ? this.byName.get(name) : undefined;
    return kernel === undefined ? shorten(visible(shorten(name, 200)), 72) : this.shortName(kernel);
  }
}

/** The metrics of a node. */
class MetricSet {
  constructor(page, set) {
    this.page = page;
    this.set = set;
    this.gaps = new Map((set.gaps ?? []).map(([at, covered, of]) => [at, [covered, of]]));
  }

  at(position) {
    const descriptor = this.page.data.metrics.layouts[this.set.layout][position];
    const [covered, of] = this.gaps.get(position) ?? [this.set.of, this.set.of];
    return this.page.metric(descriptor, this.set.values[position], covered, of);
  }

  get(name) {
    const position = this.page.positionsOf(this.set.layout).get(name);
    return position === undefined ? null : this.at(position);
  }

  /** The number of the first of several metrics that has one. */
  number(names) {
    return this.first(names)?.value ?? null;
  }

  first(names) {
    const positions = this.page.positionsOf(this.set.layout);
    for (const name of names) {
      const at = positions.get(name);
      if (at !== undefined && typeof this.set.values[at] === 'number') return this.at(at);
    }
    return null;
  }

  get length() {
    return this.set.shown;
  }

  get leftOut() {
    return this.set.left_out ?? 0;
  }
}
