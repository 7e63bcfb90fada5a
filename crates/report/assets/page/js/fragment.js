// What is seen is in the fragment of the page's address, so that a link shows it and the browser's Back goes back.
//
// Every part is a row of `PARTS`. Regions and kernels are named by what they are, not by their positions, so that a link outlives the page
// being made again. Whatever a fragment holds that this page does not know is passed over.

/** Names that are longer than this when they are written for an address are replaced by a number made from them. */
const LONGEST_NAME = 800;

/** Characters that links in running text do not survive. */
const UNSAFE = /[!'()]/g;

/** How long a change that is not worth a step back may wait: browsers limit how often an address is changed. */
const WRITE_AFTER_MS = 200;

/** A name in which no character has a meaning of its own. */
function nameText(name) {
  const text = encodeURIComponent(name).replace(UNSAFE, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return text.length <= LONGEST_NAME ? text : `$${fingerprint(text)}`;
}

/** Sixteen digits that stand for a text (FNV-1a from two beginnings). */
function fingerprint(text) {
  const half = (start) => {
    let sum = start;
    for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
    return (sum >>> 0).toString(16).padStart(8, '0');
  };
  return half(0x811c9dc5) + half(0x9e3779b9);
}

/** A node for an address: `domain@a/b` with what kind of region it is before it and a kernel in it behind a `|`; null for `ALL`. */
function nodeText(report, node) {
  if (node === ALL) return null;
  if (node === UNLABELED) return '$unlabeled';
  if (report.isLeaf(node)) {
    const [name] = report.page.data.kernels.names[report.leaves.kernelOf(node)];
    return `${nodeText(report, report.parent(node))}|${nameText(report.page.text(name))}`;
  }
  const domain = report.page.text(report.table.domain[node]);
  const kind = report.tree.isFamily(node) ? 'family:' : '';
  const range = report.table.start_end[node] ? 'range:' : '';
  const path = report.path(node).map(nameText).join('/');
  const text = `${kind}${range}${domain === DEFAULT_DOMAIN ? '' : `${nameText(domain)}@`}${path}`;
  return text.length <= 2 * LONGEST_NAME ? text : `$${fingerprint(text)}`;
}

/** The node that a text stands for; throws where this report has none. */
function nodeOf(report, text) {
  const known = report.once('node texts', () => {
    const nodes = [UNLABELED, ...Array.from({ length: report.tree.nodes }, (_, node) => node)];
    return new Map(nodes.map((node) => [nodeText(report, node), node]));
  });
  const [region, kernel] = text.split('|');
  const node = found(known.get(region));
  if (kernel === undefined) return node;
  return found(report.leaves.of(node).find((leaf) => nodeText(report, leaf).endsWith(`|${kernel}`)));
}

function found(value) {
  if (value === undefined || value === null) throw new RangeError('not in this page');
  return value;
}

/** The value if it is one of a list. */
function oneOf(list, value) {
  return found(list.includes(value) ? value : null);
}

function scopeText(report) {
  const { scope, basis } = report.data;
  const rank = scope.rank === null || scope.rank === undefined ? null : `rank:${scope.rank}`;
  return `${nameText(rank ?? scope.id).replaceAll('%3A', ':').replaceAll('%40', '@')}${basis === 'range' ? ',range' : ''}`;
}

const shownReport = (page, state) => page.reports[state.report];

/**
 * `say` gives the text of a part, or null where it is as on a page that was just opened; `take` gives what a text changes in the state, or throws.
 * `steps`: a change is one that Back undoes. `late`: needs the others to be in force.
 */
const PARTS = [
  {
    name: 'scope',
    steps: true,
    say: (page, state, first) => (state.report === first.report ? null : scopeText(shownReport(page, state))),
    take: (page, text) => ({ report: found(page.reports.find((report) => scopeText(report) === text)).at }),
  },
  {
    name: 'view',
    steps: true,
    say: (_, state, first) => (state.view === first.view ? null : state.view),
    take: (_, text) => ({ view: oneOf(shownTabs('view'), text) }),
  },
  {
    name: 'tab',
    steps: true,
    say: (_, { tab }) => (tab === 'overview' ? null : tab),
    take: (_, text) => ({ tab: oneOf(shownTabs('panel'), text) }),
  },
  {
    name: 'kernel-tab',
    steps: true,
    say: (_, { kernelTab }) => (kernelTab === 'overview' ? null : kernelTab),
    take: (_, text) => ({ kernelTab: oneOf(shownTabs('kernel'), text) }),
  },
  {
    name: 'kernels',
    steps: true,
    say: (_, { kernels }, first) => (kernels === first.kernels ? null : kernels ? 'on' : 'off'),
    take: (_, text) => ({ kernels: oneOf(['on', 'off'], text) === 'on' }),
  },
  {
    name: 'flat',
    steps: true,
    say: (_, { flat }) => (flat ? 'yes' : null),
    take: (_, text) => ({ flat: oneOf(['yes'], text) === 'yes' }),
  },
  {
    name: 'points',
    steps: true,
    say: (_, { points }) => (points === 'regions' ? null : points),
    take: (_, text) => ({ points: oneOf(['regions', 'kernels'], text) }),
  },
  {
    name: 'unfold',
    steps: true,
    say: (page, state) => unfoldedText(page, shownReport(page, state)),
    take: (page, text, next) => ({ unfolded: unfoldedOf(page.reports[next.report], text) }),
  },
  {
    name: 'kernel',
    steps: true,
    say: (page, { kernel }, first) => (kernel === first.kernel ? null : nameText(page.text(page.data.kernels.names[kernel][0]))),
    take: (page, text) => ({
      kernel: oneOf([...page.data.kernels.names.keys()], page.data.kernels.names.findIndex(([name]) => nameText(page.text(name)) === text)),
    }),
  },
  {
    name: 'file',
    steps: true,
    say: (page, { file }) => (file === null ? null : nameText(page.text(page.data.source.files[file].path))),
    take: (page, text) => {
      const files = page.data.source?.files ?? [];
      return { file: oneOf([...files.keys()], files.findIndex(({ path }) => nameText(page.text(path)) === text)) };
    },
  },
  {
    name: 'line',
    steps: true,
    say: (_, { line }) => (line === null ? null : String(line)),
    take: (_, text) => ({ line: Number(found(/^\d{1,9}$/.exec(text))[0]) }),
  },
  {
    name: 'cell',
    steps: true,
    say: (page, { cell }) => cellText(page, cell),
    take: (page, text) => ({ cell: cellOf(page, text) }),
  },
  {
    name: 'colour',
    say: (_, { colour }, first) => (colour === first.colour ? null : colour),
    take: (page, text) => ({ colour: oneOf([...COLOURINGS.map(({ key }) => key), page.comparison ? 'change' : 'sm'], text) }),
  },
  {
    name: 'order',
    say: (_, { order }) => (order === 'program' ? null : order),
    take: (_, text) => ({ order: oneOf(ORDERS.map(([key]) => key), text) }),
  },
  {
    name: 'sort',
    say: (_, { sorts }) =>
      Object.entries(sorts)
        .map(([table, { key, down }]) => `${table}:${key}:${down ? 'down' : 'up'}`)
        .join(',') || null,
    take: (_, text) => ({ sorts: sortsOf(text) }),
  },
  {
    name: 'search',
    say: (_, { query }) => (query.trim() === '' ? null : encodeURIComponent(shorten(query, LONGEST_NAME))),
    take: (_, text) => ({ query: decodeURIComponent(text).slice(0, LONGEST_NAME) }),
  },
  {
    name: 'region',
    steps: true,
    late: true,
    say: (page, state) => nodeText(shownReport(page, state), state.selected),
    take: (page, text, next) => ({ selected: nodeOf(page.reports[next.report], text) }),
  },
  {
    name: 'zoom',
    steps: true,
    late: true,
    say: (page, state) => zoomText(shownReport(page, state), state.zoom),
    take: (page, text, next) => ({ zoom: zoomOf(page.reports[next.report], text) }),
  },
];

/** The keys of a group of tabs. */
function shownTabs(group) {
  return [...document.querySelectorAll(`[role=tab][id^="${group}-tab-"]`)].map((tab) => tab.dataset.tab);
}

/** By table which column sorts it; a column that a table does not have is passed over there. */
function sortsOf(text) {
  const sorts = {};
  for (const one of text.split(',')) {
    const [table, key, way] = one.split(':');
    if (['tree', 'kernels', 'changes', 'ranks'].includes(table) && /^[a-z_]{1,20}$/.test(key) && ['up', 'down'].includes(way)) {
      sorts[table] = { key, down: way === 'down' };
    }
  }
  return sorts;
}

/** The unfolded families of a report, where they are not as at first. */
function unfoldedText(page, { tree }) {
  const all = tree.nodes - tree.size;
  if (tree.unfolded.size === (page.data.unfold ? all : 0)) return null;
  if (tree.unfolded.size === all) return '$all';
  const report = page.reports[store.state.report];
  return [...tree.unfolded].sort((a, b) => a - b).map((node) => nodeText(report, node)).join(',') || '$none';
}

/** Families by name; those that are not in the report are passed over. */
function unfoldedOf(report, text) {
  const { tree } = report;
  const families = Array.from({ length: tree.nodes - tree.size }, (_, number) => tree.size + number);
  if (text === '$all') return new Set(families);
  if (text === '$none') return new Set();
  const wanted = new Set(text.split(','));
  return new Set(families.filter((node) => wanted.has(nodeText(report, node))));
}

/** One node, or the first and the last of several siblings. */
function zoomText(report, zoom) {
  if (!zoom) return null;
  return zoom.nodes ? `${nodeText(report, zoom.nodes[0])},${nodeText(report, zoom.nodes.at(-1))}` : nodeText(report, zoom.node);
}

function zoomOf(report, text) {
  const [first, last] = text.split(',').map((one) => nodeOf(report, one));
  if (!isPlaced(report, first)) return null;
  if (last === undefined) return report.isLeaf(first) ? null : { node: first };
  const siblings = childrenInOrder(report, report.parent(first), store.state.order);
  const [from, to] = [siblings.indexOf(first), siblings.indexOf(last)];
  return from >= 0 && to > from ? { nodes: siblings.slice(from, to + 1) } : null;
}

/** Keeps the address and the state together. */
class Fragment {
  /** `first` is the state of a page that was just opened. */
  constructor(page) {
    this.page = page;
    this.first = { ...store.state };
    this.written = location.hash;
    this.steps = '';
    this.isMoving = false; // arrow keys are moving the selection
    this.movedHere = false; // the newest entry of the history was made by them
    store.on(Object.keys(store.state), () => this.soon());
    this.waiting = null;
    addEventListener('popstate', () => this.read());
    document.addEventListener('keydown', (event) => (this.isMoving = /^(Arrow|Page|Home|End)/.test(event.key)), true);
    document.addEventListener('pointerdown', () => (this.isMoving = false), true);
  }

  text(parts) {
    const said = parts.map((part) => [part.name, part.say(this.page, store.state, this.first)]);
    return said
      .filter(([, text]) => text !== null)
      .map(([name, text]) => `${name}=${text}`)
      .join('&');
  }

  /** Once everything that belongs to one change has happened. */
  soon() {
    if (this.isReading || this.isAsked) return;
    this.isAsked = true;
    queueMicrotask(() => {
      this.isAsked = false;
      this.write();
    });
  }

  write() {
    const steps = this.text(PARTS.filter((part) => part.steps));
    const isStep = steps !== this.steps && !(this.isMoving && this.movedHere);
    this.steps = steps;
    clearTimeout(this.waiting);
    if (isStep) {
      this.movedHere = this.isMoving;
      this.put('pushState');
    } else this.waiting = setTimeout(() => this.put('replaceState'), WRITE_AFTER_MS);
  }

  put(how) {
    const text = this.text(PARTS);
    if (`#${text}` === (this.written || '#')) return;
    this.written = `#${text}`;
    try {
      history[how](null, '', text === '' ? location.pathname + location.search : this.written);
    } catch {
      // A page inside of another may not have a history; it shows what it shows without one.
    }
  }

  /** Shows what the address says. */
  read() {
    clearTimeout(this.waiting);
    const given = new Map();
    for (const one of location.hash.slice(1).split('&')) {
      const equals = one.indexOf('=');
      if (equals > 0) given.set(one.slice(0, equals), one.slice(equals + 1));
    }
    const taken = (parts, next) => {
      for (const part of parts.filter(({ name }) => given.has(name))) {
        try {
          Object.assign(next, part.take(this.page, given.get(part.name), next));
        } catch {
          // Not of this page.
        }
      }
      return next;
    };
    this.isReading = true;
    const { dark, matches, folds, ...first } = this.first;
    const { unfolded, ...next } = taken(PARTS.filter((part) => !part.late), first);
    this.unfold(next.report, unfolded);
    store.set({ ...next, folds: store.state.folds + 1 });
    store.set(taken(PARTS.filter((part) => part.late), { report: next.report, selected: ALL, zoom: null }));
    this.isReading = false;
    this.written = location.hash;
    this.steps = this.text(PARTS.filter((part) => part.steps));
    this.movedHere = false;
  }

  unfold(number, unfolded) {
    const { tree } = this.page.reports[number];
    const families = Array.from({ length: tree.nodes - tree.size }, (_, at) => tree.size + at);
    tree.unfolded = unfolded ?? new Set(this.page.data.unfold ? families : []);
    tree.build();
  }
}
