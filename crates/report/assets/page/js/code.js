// What was counted at lines and instructions: of everything, of a region or of a kernel.

/** A row of counts as it is stored. */
function countsOf([samples, ns, executed, stalls, metrics]) {
  return { samples, ns, executed, stalls: pairsOf(stalls), metrics: pairsOf(metrics) };
}

function pairsOf(flat) {
  const pairs = new Map();
  for (let at = 0; at < flat.length; at += 2) pairs.set(flat[at], flat[at + 1]);
  return pairs;
}

/** Two rows together; what neither knows stays unknown. */
function together(a, b) {
  const sum = (one, other) => (one === null && other === null ? null : (one ?? 0) + (other ?? 0));
  const merged = (one, other) => {
    const all = new Map(one);
    for (const [key, value] of other) all.set(key, (all.get(key) ?? 0) + value);
    return all;
  };
  return {
    samples: sum(a.samples, b.samples),
    ns: sum(a.ns, b.ns),
    executed: sum(a.executed, b.executed),
    stalls: merged(a.stalls, b.stalls),
    metrics: merged(a.metrics, b.metrics),
  };
}

class Code {
  constructor(page) {
    this.page = page;
    this.data = page.data.source;
    this.paths = this.data.files.map(({ path }) => page.text(path));
    this.made = new Map();
  }

  /** What rows are ordered by. */
  weight(row) {
    return { time: row.ns, samples: row.samples, instructions: row.executed }[this.data.ordered_by] ?? 0;
  }

  /** The part of the samples, or of the instructions where nothing was sampled. */
  share(row, totals) {
    const [part, all] = totals.samples === null ? [row.executed, totals.executed] : [row.samples, totals.samples];
    return part !== null && all > 0 ? part / all : null;
  }

  /** `[reason, samples]`, most first. */
  stalls(row) {
    return [...row.stalls].map(([reason, samples]) => [this.page.text(this.data.reasons[reason]), samples]).sort((a, b) => b[1] - a[1]);
  }

  /** What most samples waited for, with its share; null where nothing waited. */
  dominant(row) {
    const found = this.stalls(row).find(([reason]) => reason !== 'selected');
    return found && row.samples > 0 ? [found[0], found[1] / row.samples] : null;
  }

  /** What is shown for a node: `{ totals, files: Map of file to Map of line to row, note }`. */
  subject(report, node) {
    const key = `${report.at} ${node}`;
    if (!this.made.has(key)) this.made.set(key, this.make(report, node));
    return this.made.get(key);
  }

  make(report, node) {
    if (node === ALL) return this.everything('All selected results');
    if (report.isLeaf(node)) return this.ofKernel(report, node);
    const name = visible(shorten(report.caption(node), 80));
    const members = report.tree.isFamily(node) ? report.tree.members(node) : [node];
    const regions = members.map((member) => this.region(report, member));
    if (node === UNLABELED || regions.includes(undefined)) {
      return this.everything(`${name}: no lines of its own are known; all results`);
    }
    const subject = { totals: null, files: new Map(), title: name };
    for (const { row, lines } of regions) {
      subject.totals = subject.totals ? together(subject.totals, countsOf(row)) : countsOf(row);
      for (const [file, line, counts] of lines) addLine(subject.files, file, line, countsOf(counts));
    }
    const known = [...subject.files.values()].reduce((sum, lines) => sum + lines.size, 0);
    if (known >= 200 || this.data.left_out[1] > 0) subject.title += `: its ${plain(known)} hottest lines`;
    return subject;
  }

  /** Regions are named by what they are, as in links. */
  region(report, node) {
    const name = (domain, startEnd, path) => JSON.stringify([domain, startEnd, path]);
    const { page } = this;
    this.regions ??= new Map(
      this.data.regions.map((one) => [name(page.text(one.domain), one.start_end, one.path.map((part) => page.text(part))), one]),
    );
    if (node < 0) return undefined;
    return this.regions.get(name(page.text(report.table.domain[node]), report.table.start_end[node], report.path(node)));
  }

  everything(title) {
    const files = new Map(this.data.files.map(({ lines }, file) => [file, new Map(lines.map(([line, , row]) => [line, countsOf(row)]))]));
    return { totals: countsOf(this.data.totals), files, title, whole: true };
  }

  /** The lines of a kernel, wherever it is launched. */
  ofKernel(report, leaf) {
    const [name] = this.page.data.kernels.names[report.leaves.kernelOf(leaf)];
    const kernels = [...this.data.kernels.keys()].filter((at) => this.data.kernels[at].name === name);
    const short = report.own(leaf);
    if (kernels.length === 0) return this.everything(`${short}: nothing was counted at its instructions; all results`);
    if (kernels.some((at) => this.data.kernels[at].instructions === null)) {
      return this.everything(`${short}: the page had no room for its instructions; all results`);
    }
    const subject = { totals: null, files: new Map(), title: `${short}, wherever it is launched`, kernels };
    for (const at of kernels) {
      const { row, instructions, no_lines: reason } = this.data.kernels[at];
      subject.totals = subject.totals ? together(subject.totals, countsOf(row)) : countsOf(row);
      if (reason !== null) subject.title = `${short}: no lines, ${visible(shorten(this.page.text(reason), 300))}`;
      for (const [, file, line, , counts] of instructions) if (file >= 0) addLine(subject.files, file, line, countsOf(counts));
    }
    return subject;
  }

  /** The instructions of a line by kernel, in the order of the code: those of the subject if it is a kernel, else of all. */
  instructions(subject, file, line) {
    this.byLine ??= this.indexed();
    const all = this.byLine.get(`${file}:${line}`) ?? [];
    return subject.kernels ? all.filter(({ kernel }) => subject.kernels.includes(kernel)) : all;
  }

  /** What the shares of instructions are shares of: they are known by kernel and not by region. */
  totalsOfInstructions(subject) {
    return subject.kernels ? subject.totals : countsOf(this.data.totals);
  }

  indexed() {
    const byLine = new Map();
    this.data.kernels.forEach(({ instructions }, kernel) => {
      for (const [offset, file, line, words, row, called] of instructions ?? []) {
        const key = `${file}:${line}`;
        if (!byLine.has(key)) byLine.set(key, []);
        byLine.get(key).push({ kernel, called: this.page.text(called), offset, words: this.page.text(words), counts: countsOf(row) });
      }
    });
    return byLine;
  }

  kernelName(kernel) {
    return this.page.shortOf(this.page.text(this.data.kernels[kernel].name));
  }

  /** Where an instruction is: its kernel, and the function that the kernel called. */
  codeName({ kernel, called }) {
    const name = this.kernelName(kernel);
    return called === null ? name : `${visible(shorten(called, 200))}, called by ${name}`;
  }

  /** The lines of a file that the page has, with and without code, ascending; a null where some are missing between. */
  listing(file) {
    const { lines, around } = this.data.files[file];
    const all = [
      ...lines.map(([line, text, , kernels, all]) => ({ line, text: this.page.text(text), kernels, allKernels: all })),
      ...around.map(([line, text]) => ({ line, text: this.page.text(text), kernels: [], allKernels: 0 })),
    ].sort((a, b) => a.line - b.line);
    return all.flatMap((one, at) => (at > 0 && one.line > all[at - 1].line + 1 ? [null, one] : [one]));
  }
}

function addLine(files, file, line, row) {
  if (!files.has(file)) files.set(file, new Map());
  const lines = files.get(file);
  lines.set(line, lines.has(line) ? together(lines.get(line), row) : row);
}
