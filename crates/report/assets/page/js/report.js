// One scope of the run: its tree and everything that is known about a node of it.

/** One scope with its tree. A node is a number: the position of a region, `ALL` or `UNLABELED`. */
class Report {
  constructor(page, data, at) {
    Object.assign(this, { page, data, at });
    this.table = page.data.regions[data.regions];
    this.size = this.table.parent.length;
    this.unit = timeUnit(data.totals.ns);
    this.children = new Map();
    this.cached = new Map();
    this.depths = new Uint32Array(this.size);
    for (let region = 0; region < this.size; region++) {
      const parent = this.table.parent[region];
      // A parent comes before its children.
      this.depths[region] = parent < 0 ? 0 : this.depths[parent] + 1;
      if (parent >= 0) {
        if (!this.children.has(parent)) this.children.set(parent, []);
        this.children.get(parent).push(region);
      }
    }
    this.groups = this.groupRoots();
  }

  /** Trees of different domains and kinds overlap, so each is a group of its own. */
  groupRoots() {
    const groups = new Map();
    for (let region = 0; region < this.size; region++) {
      if (this.table.parent[region] >= 0) continue;
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

  isRegion(node) {
    return node >= 0;
  }

  parent(node) {
    if (node === ALL) return null;
    return node < 0 || this.table.parent[node] < 0 ? ALL : this.table.parent[node];
  }

  childrenOf(node) {
    if (node === ALL) return this.groups.flatMap((group) => group.roots);
    return this.children.get(node) ?? [];
  }

  depth(node) {
    return node < 0 ? 0 : this.depths[node];
  }

  ns(node) {
    if (node === ALL) return this.data.totals.ns;
    return node === UNLABELED ? this.data.unlabeled.ns : this.table.ns[node];
  }

  selfNs(node) {
    if (node === UNLABELED) return this.data.unlabeled.ns;
    return node === ALL ? 0 : this.table.self_ns[node];
  }

  results(node) {
    if (node === ALL) return this.data.totals.results;
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
    if (node === UNLABELED) return '(unlabeled)';
    return this.ownNames(node).join('::');
  }

  /** From the root of the tree down to the node. */
  ancestry(node) {
    const chain = [];
    for (let at = node; at !== null && at !== ALL; at = this.parent(at)) chain.push(at);
    return chain.reverse();
  }

  path(node) {
    return node < 0 ? [] : this.ancestry(node).flatMap((at) => this.ownNames(at));
  }

  /** The name for people: a part that already begins with its parents' name does not repeat it. */
  name(node) {
    if (node < 0) return this.own(node);
    let name = null;
    for (const part of this.path(node)) {
      name = name === null || part.startsWith(`${name}::`) ? part : `${name}::${part}`;
    }
    return name ?? '';
  }

  /** What is stored elsewhere about a node. */
  details(node) {
    if (node >= 0) {
      const [metrics, exclusive, sections, kernels, rules, advice, bound, roofline] = this.table.details[node];
      return { metrics, exclusive, sections, kernels, rules, advice, bound, roofline };
    }
    const set = node === ALL ? this.data.totals : this.data.unlabeled;
    return { ...set, exclusive: -1, sections: -1, rules: -1, advice: node === ALL ? this.data.advice : -1 };
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
    if (sections < 0) return [];
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
    if (rules < 0) return [];
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
      code: text(one.code),
      title: text(one.title),
      text: text(one.text),
      section: text(one.section),
      evidence: this.evidence(one.evidence),
      gain: one.gain && { region: one.gain[0], run: one.gain[1], ns: one.gain[2], kind: text(one.gain[3]) },
    }));
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

  /** A metric of every region, NaN where there is none. */
  values(names) {
    return this.once(names, () => {
      const values = new Float64Array(this.size).fill(NaN);
      for (let region = 0; region < this.size; region++) {
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
    if (node >= 0) return this.values(names)[node];
    return this.metrics(node).number(names) ?? NaN;
  }

  /** The same region in another scope; `ALL` where it is not. Texts have the same numbers in all scopes. */
  counterpart(other, node) {
    if (node < 0) return node;
    const [root, ...below] = this.ancestry(node);
    const same = (mine) => (theirs) => String(this.table.own[mine]) === String(other.table.own[theirs]);
    let found = other
      .childrenOf(ALL)
      .find(
        (theirs) =>
          this.table.start_end[root] === other.table.start_end[theirs] &&
          this.table.domain[root] === other.table.domain[theirs] &&
          same(root)(theirs),
      );
    for (const part of below) {
      if (found === undefined) return ALL;
      found = other.childrenOf(found).find(same(part));
    }
    return found ?? ALL;
  }
}
