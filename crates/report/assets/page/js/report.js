// One scope of the run: its tree and everything that is known about a node of it.

/** One scope with its tree. A node is a number: the position of a region or family, `ALL`, `UNLABELED`, or a kernel in one of these (a leaf). */
class Report {
  constructor(page, data, at) {
    Object.assign(this, { page, data, at });
    this.table = page.data.regions[data.regions];
    this.tree = page.tree(data.regions);
    this.size = this.tree.size;
    this.unit = timeUnit(data.totals.ns);
    this.cached = new Map();
    this.groups = this.groupRoots();
    this.leaves = new Leaves(this);
  }

  /** Trees of different domains and kinds overlap, so each is a group of its own. */
  groupRoots() {
    const groups = new Map();
    for (const region of this.tree.children.get(ALL) ?? []) {
      const key = `${this.table.start_end[region]} ${this.table.domain[region]}`;
      if (!groups.has(key)) {
        const domain = this.page.text(this.table.domain[region]);
        groups.set(key, { domain, startEnd: this.table.start_end[region] === 1, roots: [] });
      }
      groups.get(key).roots.push(region);
    }
    return [...groups.values()];
  }

  get totalNs() {
    return this.data.totals.ns;
  }

  get label() {
    const { scope, basis } = this.data;
    const facts = [];
    if (scope.process_name) facts.push(visible(shorten(scope.process_name, 60)));
    if (scope.host) facts.push(`host ${visible(shorten(scope.host, 60))}`);
    if (basis === 'range') facts.push('whole ranges');
    const id = scope.kind === 'aggregate' ? 'all processes and devices' : visible(shorten(scope.id, 80));
    const rank = scope.rank === null || scope.rank === undefined ? '' : `rank ${scope.rank} · `;
    return facts.length ? `${rank}${id} (${facts.join(', ')})` : rank + id;
  }

  parent(node) {
    if (node === ALL) return null;
    if (this.leaves.isLeaf(node)) return this.leaves.region(node);
    return node < 0 ? ALL : this.tree.parent(node);
  }

  childrenOf(node) {
    if (node === ALL) return this.groups.flatMap((group) => group.roots);
    return this.tree.children.get(node) ?? [];
  }

  /** The regions below a node and the kernels that are shown in it. */
  below(node) {
    const leaves = this.leaves.shown(node);
    return leaves.length === 0 ? this.childrenOf(node) : [...this.childrenOf(node), ...leaves];
  }

  isLeaf(node) {
    return this.leaves.isLeaf(node);
  }

  depth(node) {
    if (this.isLeaf(node)) return this.depth(this.parent(node)) + 1;
    return node < 0 ? 0 : this.tree.depths[node];
  }

  ns(node) {
    if (node === ALL) return this.data.totals.ns;
    if (this.isLeaf(node)) return this.leaves.ns[node - this.leaves.first];
    return node === UNLABELED ? this.data.unlabeled.ns : this.table.ns[node];
  }

  selfNs(node) {
    if (node === UNLABELED) return this.data.unlabeled.ns;
    if (this.isLeaf(node)) return this.ns(node);
    return node === ALL ? 0 : this.table.self_ns[node];
  }

  results(node) {
    if (node === ALL) return this.data.totals.results;
    if (this.isLeaf(node)) return this.leaves.calls[node - this.leaves.first];
    return node === UNLABELED ? this.data.unlabeled.results : this.table.results[node];
  }

  timed(node) {
    if (node === ALL) return this.data.totals.timed;
    return node === UNLABELED ? this.data.unlabeled.timed : this.table.timed[node];
  }

  share(node) {
    return this.totalNs > 0 ? this.ns(node) / this.totalNs : 0;
  }

  /** The names below the parent. */
  ownNames(node) {
    const own = this.table.own[node];
    return (Array.isArray(own) ? own : [own]).map((id) => this.page.text(id));
  }

  /** The name without its parents. */
  own(node) {
    if (node === ALL) return 'all';
    if (node === UNLABELED) return this.data.unlabeled_name;
    if (this.isLeaf(node)) return this.page.shortName(this.leaves.kernelOf(node));
    return this.ownNames(node).join('::');
  }

  /** What makes a node a family. */
  family(node) {
    return this.table.families[node - this.size];
  }

  /** ` ×32` behind the name of a family. */
  times(node) {
    return this.tree.isFamily(node) ? ` ×${plain(this.tree.members(node).length)}` : '';
  }

  /** The name as it is shown below the parent. */
  caption(node) {
    if (this.isLeaf(node)) return this.own(node);
    const levels = node < 0 ? 1 : this.tree.levelsOf(node);
    const own = levels > 1 ? this.path(node).slice(-levels).join('::') : this.own(node);
    return own + this.times(node);
  }

  /** From the root of the tree down to the node. */
  ancestry(node) {
    const chain = [];
    for (let at = node; at !== null && at !== ALL; at = this.parent(at)) chain.push(at);
    return chain.reverse();
  }

  path(node) {
    const chain = [];
    for (let at = node; at >= 0; at = this.table.parent[at]) chain.push(this.ownNames(at));
    return chain.reverse().flat();
  }

  /** The name for people: a part that already begins with its parents' name does not repeat it. */
  name(node) {
    if (node < 0 || this.isLeaf(node)) return this.own(node);
    let name = null;
    for (const part of this.path(node)) {
      name = name === null || part.startsWith(`${name}::`) ? part : `${name}::${part}`;
    }
    return name ?? '';
  }

  /** What is stored elsewhere about a node; about a leaf it is what is known of its region. */
  details(leaf) {
    const node = this.leaves.region(leaf);
    if (node >= 0) {
      const [metrics, exclusive, sections, kernels, rules, advice, bound, roofline, charts] = this.table.details[node];
      return { metrics, exclusive, sections, kernels, rules, advice, bound, roofline, charts };
    }
    const set = node === ALL ? this.data.totals : this.data.unlabeled;
    return { ...set, exclusive: -1, advice: node === ALL ? this.data.advice : -1 };
  }

  metrics(node) {
    return new MetricSet(this.page, this.page.data.metrics.sets[this.details(node).metrics]);
  }

  exclusiveMetrics(node) {
    const { exclusive } = this.details(node);
    return exclusive < 0 ? null : new MetricSet(this.page, this.page.data.metrics.sets[exclusive]);
  }

  kernels(node) {
    return new KernelList(this.page, this.page.data.kernels.lists[this.details(node).kernels], this.ns(node));
  }

  sections(node) {
    const { sections } = this.details(node);
    const set = this.metrics(node);
    return this.page.data.metrics.sectionLists[sections].map(([layout, covered]) => {
      const { id, name, metrics } = this.page.data.metrics.sectionLayouts[layout];
      return {
        id: this.page.text(id),
        name: this.page.text(name),
        covered,
        metrics: metrics.map(([label, at]) => ({ label: this.page.text(label), metric: set.at(at) })),
      };
    });
  }

  rules(node) {
    const { rules } = this.details(node);
    const text = (id) => this.page.text(id);
    return this.page.data.rules[rules].map((rule) => ({
      ...rule,
      rule: text(rule.id),
      name: text(rule.name),
      section: text(rule.section),
      kind: text(rule.kind),
      speedup_kind: text(rule.speedup_kind),
      title: text(rule.title),
      message: text(rule.message),
      kernel: text(rule.kernel),
    }));
  }

  advice(node) {
    const { advice } = this.details(node);
    if (advice < 0) return [];
    const text = (id) => this.page.text(id);
    return this.page.data.advice[advice].map((one) => ({
      ...one,
      node,
      outcome: text(one.outcome),
      title: text(one.title),
      text: text(one.text),
      section: text(one.section),
      amount: text(one.amount),
      evidence: this.evidence(one.evidence),
      gain: one.gain && { region: one.gain[0], run: one.gain[1], ns: one.gain[2], kind: text(one.gain[3]) },
    }));
  }

  /** The findings of the run and of what is seen folded, the most valuable first. */
  findings() {
    return this.data.findings.map(([node, at]) => this.advice(node)[at]);
  }

  evidence(list) {
    return list.map(([label, value, unit]) => ({ label: this.page.text(label), value, unit: this.page.text(unit) }));
  }

  facts() {
    return this.data.facts.map((fact) => ({
      kind: fact.kind,
      sentence: this.page.text(fact.sentence),
      regions: fact.regions,
      numbers: this.evidence(fact.numbers),
    }));
  }

  bound(node) {
    if (this.isLeaf(node)) {
      const { list, row, whole } = this.leaves.row(node);
      return { class: whole ? list.bound(row) : 'unknown' };
    }
    const bound = this.page.data.bounds[this.details(node).bound];
    const text = (number) => this.page.text(number);
    return {
      ...bound,
      unit: text(bound.unit),
      compute_unit: text(bound.compute_unit),
      memory_metric: text(bound.memory_metric),
    };
  }

  /** Points and roofs of a node. */
  roofline(node) {
    const found = this.page.data.rooflines[this.details(node).roofline];
    return {
      points: found.points.map((point) => decodePoint(this.page, point)),
      roofs: found.roofs.map((roof) => ({
        ...roof,
        name: this.page.text(roof.name),
        unit: this.page.text(roof.unit),
        metrics: roof.metrics.map((metric) => this.page.text(metric)),
      })),
    };
  }

  /** Something that is made once per report. */
  once(key, make) {
    if (!this.cached.has(key)) this.cached.set(key, make());
    return this.cached.get(key);
  }

  /** A metric of every region and family, NaN where there is none. */
  values(names) {
    return this.once(names, () => {
      const values = new Float64Array(this.tree.nodes).fill(NaN);
      for (let region = 0; region < this.tree.nodes; region++) {
        const set = this.page.data.metrics.sets[this.table.details[region][0]];
        const positions = this.page.positionsOf(set.layout);
        for (const name of names) {
          const cell = set.values[positions.get(name) ?? -1];
          if (typeof cell === 'number') {
            values[region] = cell;
            break;
          }
        }
      }
      return values;
    });
  }

  value(node, names) {
    if (this.isLeaf(node)) {
      const { list, row, whole } = this.leaves.row(node);
      return whole ? (list.number(row, names) ?? NaN) : NaN;
    }
    if (node >= 0) return this.values(names)[node];
    return this.metrics(node).number(names) ?? NaN;
  }

  /** What a node is, whatever the scope: texts have the same numbers in all of them. */
  identity(node) {
    const chain = [];
    for (let at = node; at >= 0; at = this.table.parent[at]) chain.push(this.table.own[at]);
    return [this.table.start_end[node], this.table.domain[node], this.tree.isFamily(node), ...chain].join(' ');
  }

  /** The same region in another scope; `ALL` where it is not. */
  counterpart(other, node) {
    if (this.isLeaf(node)) {
      const region = this.counterpart(other, this.leaves.region(node));
      return other.leaves.find(region, this.leaves.kernelOf(node)) ?? region;
    }
    if (node < 0 || this.table === other.table) return node;
    const known = other.once('identities', () => {
      const nodes = Array.from({ length: other.tree.nodes }, (_, at) => [other.identity(at), at]);
      return new Map(nodes);
    });
    return known.get(this.identity(node)) ?? ALL;
  }
}
