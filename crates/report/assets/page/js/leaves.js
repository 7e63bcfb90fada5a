// Kernels as the leaves of the tree: under each region those that it launches itself, outside of the regions inside it.
//
// A leaf is a node like a region. Leaves have the numbers behind regions and families and get them when they are first asked for.

/** More leaves than this are not shown until they are asked for. */
const MOST_LEAVES = 200;

class Leaves {
  constructor(report) {
    this.report = report;
    this.first = report.tree.nodes;
    this.owner = [];
    this.kernel = [];
    this.calls = [];
    this.ns = [];
    this.made = new Map();
  }

  isLeaf(node) {
    return node >= this.first;
  }

  /** The region of a leaf; any other node itself. */
  region(node) {
    return this.isLeaf(node) ? this.owner[node - this.first] : node;
  }

  /** `[kernel, calls, ns]` of what is directly in a node, heaviest first; nothing where that is not known. */
  direct(node) {
    const { data } = this.report.page;
    if (node === ALL || this.isLeaf(node) || this.report.tree.unfolded.has(node)) return [];
    const number = node === UNLABELED ? -1 : this.report.table.direct[node];
    if (number === null) return [];
    if (number >= 0) return data.kernels.direct[number];
    const { kernel, calls, ns } = data.kernels.lists[this.report.details(node).kernels];
    return kernel.map((id, row) => [id, calls[row], ns[row]]);
  }

  /** All leaves of a node. */
  of(node) {
    if (this.report.tree.unfolded.has(node)) return [];
    if (!this.made.has(node)) {
      const leaves = this.direct(node).map(([kernel, calls, ns]) => {
        this.owner.push(node);
        this.kernel.push(kernel);
        this.calls.push(calls);
        this.ns.push(ns);
        return this.first + this.owner.length - 1;
      });
      this.made.set(node, leaves);
    }
    return this.made.get(node);
  }

  /** The leaf of a kernel in a node; null where it is not directly in it. */
  find(node, kernel) {
    return this.of(node).find((leaf) => this.kernelOf(leaf) === kernel) ?? null;
  }

  kernelOf(leaf) {
    return this.kernel[leaf - this.first];
  }

  /** Where every kernel is launched, by kernel: `[node, calls, ns]` of the nodes that are shown, heaviest first. */
  places() {
    const { tree } = this.report;
    if (this.placesOf !== tree.children) {
      this.placesOf = tree.children;
      this.byKernel = new Map();
      for (const node of this.owners()) {
        for (const [kernel, calls, ns] of this.direct(node)) {
          if (!this.byKernel.has(kernel)) this.byKernel.set(kernel, []);
          this.byKernel.get(kernel).push([node, calls, ns]);
        }
      }
      for (const places of this.byKernel.values()) places.sort((a, b) => (b[2] ?? -1) - (a[2] ?? -1));
    }
    return this.byKernel;
  }

  /** The nodes that are shown and can have leaves. */
  owners() {
    const { tree } = this.report;
    const nodes = Array.from({ length: tree.nodes }, (_, node) => node).filter((node) => tree.shown[node]);
    return this.report.results(UNLABELED) > 0 ? [...nodes, UNLABELED] : nodes;
  }

  /** How many leaves there are as families are folded now. */
  count() {
    return this.owners().reduce((sum, node) => sum + this.direct(node).length, 0);
  }

  /** The leaves that are seen: all of them, or those that were found and the one that is selected. */
  shown(node) {
    const { kernels, matches, selected } = store.state;
    if (this.isLeaf(node)) return [];
    if (kernels) return this.of(node);
    const found = matches?.leaves.get(node) ?? [];
    const isHere = this.isLeaf(selected) && this.region(selected) === node && !this.report.tree.unfolded.has(node);
    return isHere && !found.includes(selected) ? [...found, selected] : found;
  }

  /** The row of a leaf's kernel in the list of its region, and whether all launches of that row are the leaf's. */
  row(leaf) {
    const list = this.report.kernels(this.region(leaf));
    const row = list.rowOf(this.kernelOf(leaf));
    return { list, row, whole: row !== null && list.calls(row) === this.calls[leaf - this.first] };
  }
}
