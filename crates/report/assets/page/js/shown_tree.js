// Which nodes of a report are shown and where: a family stands for its members until it is unfolded.
//
// Nodes are positions in the table: regions first, then families. Families have their parents in the folded tree and regions theirs in the
// exact one; what is below an unfolded family is exact all the way down.

class ShownTree {
  constructor(table) {
    this.table = table;
    this.nodes = table.parent.length;
    this.size = this.nodes - table.families.length;
    this.familyOf = new Int32Array(this.size).fill(-1);
    this.unfolded = new Set();
    this.exact = new Map();
    this.folded = new Map();
    table.families.forEach(({ members }, at) => {
      for (const member of members) this.familyOf[member] = this.size + at;
    });
    const add = (map, node) => {
      const parent = Math.max(table.parent[node], ALL);
      if (!map.has(parent)) map.set(parent, []);
      map.get(parent).push(node);
    };
    for (let region = 0; region < this.size; region++) add(this.exact, region);
    // A family stands where its first member stood.
    const first = (node) => this.members(node)[0] ?? node;
    Array.from({ length: this.nodes }, (_, node) => node)
      .filter((node) => node >= this.size || this.familyOf[node] < 0)
      .sort((a, b) => first(a) - first(b))
      .forEach((node) => add(this.folded, node));
    this.build();
  }

  isFamily(node) {
    return node >= this.size && node < this.nodes;
  }

  /** The members of a family; nothing for others. */
  members(node) {
    return this.isFamily(node) ? this.table.families[node - this.size].members : [];
  }

  /** Walks the tree that is shown; parents come before their children. */
  build() {
    this.children = new Map();
    this.shown = new Uint8Array(this.nodes);
    this.depths = new Uint32Array(this.nodes);
    this.parents = new Int32Array(this.nodes).fill(ALL);
    this.sorted = new Map();
    const waiting = [ALL];
    while (waiting.length > 0) {
      const node = waiting.pop();
      const below = this.below(node).filter((child) => !this.shown[child]);
      if (below.length === 0) continue;
      this.children.set(node, below);
      for (const child of below) {
        this.shown[child] = 1;
        this.parents[child] = node;
        this.depths[child] = node === ALL ? 0 : this.depths[node] + 1;
        waiting.push(child);
      }
    }
  }

  below(node) {
    if (this.unfolded.has(node)) return this.members(node);
    const isMember = node >= 0 && node < this.size && this.familyOf[node] >= 0;
    return (isMember ? this.exact : this.folded).get(node) ?? [];
  }

  /** The node around a region or family; for a member that is folded away its family. */
  parent(node) {
    if (this.shown[node]) return this.parents[node];
    const family = node < this.size ? this.familyOf[node] : -1;
    return family >= 0 && this.unfoldedAround(family).length === 0 ? family : Math.max(this.table.parent[node], ALL);
  }

  /** The unfolded families around a family, which hide it. */
  unfoldedAround(family) {
    const found = [];
    for (let at = this.table.parent[family]; at >= 0; at = this.table.parent[at]) {
      if (this.unfolded.has(at)) found.push(at);
    }
    return found;
  }

  /** The node itself, or the family that stands for it. */
  nearest(node) {
    let at = node;
    while (at >= 0 && !this.shown[at]) at = this.parent(at);
    return at;
  }

  /** Unfolds the outermost family that hides a region, or folds those that hide a family. Whether anything changed. */
  reveal(node) {
    if (node < 0 || this.shown[node]) return false;
    if (this.isFamily(node)) {
      for (const around of this.unfoldedAround(node)) this.unfolded.delete(around);
    } else {
      let family = this.nearest(node);
      while (this.isFamily(this.table.parent[family])) family = this.table.parent[family];
      if (!this.isFamily(family)) return false;
      this.unfolded.add(family);
    }
    this.build();
    return true;
  }

  /** How many of the nested families a name has to speak of to tell a member from others. */
  levelsOf(member) {
    const family = this.familyOf[member];
    if (this.isFamily(member) || family < 0 || this.parent(member) !== family) return 1;
    let levels = 1;
    for (let at = this.table.parent[family]; this.isFamily(at); at = this.table.parent[at]) levels++;
    return levels;
  }
}

/** Whether a node has a place in the tree; the leaves of a family have none while its members are shown. */
function isPlaced(report, node) {
  const region = report.leaves.region(node);
  return region < 0 || (report.tree.shown[region] === 1 && !(node !== region && report.tree.unfolded.has(region)));
}

/** Tells everyone that families were folded or unfolded; what is not shown any more gives way to what stands for it. */
function foldsChanged(report) {
  const { folds, selected, zoom } = store.state;
  const zoomed = zoom?.nodes ?? (zoom ? [zoom.node] : []);
  const stays = zoomed.every((node) => isPlaced(report, node));
  const nearest = isPlaced(report, selected) ? selected : report.tree.nearest(report.leaves.region(selected));
  store.set({ folds: folds + 1, selected: nearest, zoom: stays ? zoom : null });
}

/** Shows the members of a family one by one, or the family alone. */
function unfoldFamily(report, node, open) {
  if (!report.tree.isFamily(node)) return;
  if (open) report.tree.unfolded.add(node);
  else report.tree.unfolded.delete(node);
  report.tree.build();
  foldsChanged(report);
  const name = visible(shorten(report.name(node), 200));
  announce(open ? `${count(report.tree.members(node).length, 'member')} of ${name}` : `Folded ${name}`);
}

/** The same for all families. */
function unfoldFamilies(report, open) {
  const { tree } = report;
  tree.unfolded = new Set(open ? Array.from(tree.table.families, (_, at) => tree.size + at) : []);
  tree.build();
  foldsChanged(report);
  announce(open ? 'All families unfolded' : 'All families folded');
}

/** What can be selected is shown. */
function revealNode(report, node) {
  if (report.tree.reveal(report.leaves.region(node))) foldsChanged(report);
}

/** How much the members of a family differ, in words. */
function spreadOf(report, node) {
  const { min, mean, max } = report.family(node);
  if (min === null) return 'no member has a time';
  return min === max ? `each ${duration(min)}` : `${duration(min)} to ${duration(max)} each, ${duration(mean)} on average`;
}
