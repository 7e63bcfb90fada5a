// Where the boxes of the icicle are: width is inclusive time, a row per depth. Pure; nothing is drawn here.

/** Boxes narrower than this are put together with their neighbours … */
const NARROWEST = 2.5;
/** … until they are this wide. */
const BUNDLE_WIDTH = 7;

/**
 * Boxes `{ row, x, width, node }`, `{ row, x, width, nodes }` for siblings too narrow to show one by one,
 * or `{ row, label }` for the heading of a tree.
 */
function layOut(report, zoom, width, order) {
  const boxes = [];
  let rows = 0;
  const place = (box) => {
    boxes.push(box);
    rows = Math.max(rows, box.row + 1);
  };

  const top = zoom?.nodes ? report.parent(zoom.nodes[0]) : (zoom?.node ?? ALL);
  const chain = top === ALL ? [] : report.ancestry(top);
  place({ row: 0, x: 0, width, node: ALL });
  chain.forEach((node, at) => place({ row: at + 1, x: 0, width, node }));

  if (zoom?.nodes) {
    const total = zoom.nodes.reduce((sum, node) => sum + report.ns(node), 0);
    spread(report, inOrder(report, zoom.nodes, order), chain.length + 1, 0, width / total, order, place);
  } else if (top !== ALL) {
    spread(report, childrenInOrder(report, top, order), chain.length + 1, 0, width / report.ns(top), order, place);
  } else {
    layOutTrees(report, width, order, place, () => rows);
  }
  boxes.sort((a, b) => a.row - b.row || (a.x ?? 0) - (b.x ?? 0));
  return { boxes, rows };
}

/** All trees of the report, one below the other where there are several. */
function layOutTrees(report, width, order, place, rows) {
  const several = report.groups.length > 1;
  report.groups.forEach((group, at) => {
    let row = at === 0 ? 1 : rows();
    if (several) place({ row: row++, label: groupLabel(group) });
    const roots = at === 0 && report.results(UNLABELED) > 0 ? [...group.roots, UNLABELED] : group.roots;
    const sum = roots.reduce((total, node) => total + report.ns(node), 0);
    // Start/end ranges may overlap: then their widths are shares of the sum.
    const scale = width / Math.max(sum, report.totalNs);
    spread(report, inOrder(report, roots, order), row, 0, scale, order, place);
  });
  if (report.groups.length === 0 && report.results(UNLABELED) > 0) {
    spread(report, [UNLABELED], 1, 0, width / report.ns(UNLABELED), order, place);
  }
}

function groupLabel(group) {
  const domain =
    group.domain === '' || group.domain === DEFAULT_DOMAIN
      ? 'default domain'
      : `domain ${visible(shorten(group.domain, 80))}`;
  return group.startEnd ? `${domain}, start/end ranges` : domain;
}

/** Places siblings and everything below them, without recursion: trees can be deep. */
function spread(report, siblings, row, x, scale, order, place) {
  const waiting = [{ siblings, row, x }];
  while (waiting.length > 0) {
    const { siblings: nodes, row: at, x: start } = waiting.pop();
    let left = start;
    let bundle = null;
    const close = () => {
      if (bundle)
        place(
          bundle.nodes.length === 1
            ? { row: bundle.row, x: bundle.x, width: bundle.width, node: bundle.nodes[0] }
            : bundle,
        );
      bundle = null;
    };
    for (const node of nodes) {
      const width = report.ns(node) * scale;
      if (!(width > 0)) continue;
      if (width >= NARROWEST) {
        close();
        place({ row: at, x: left, width, node });
        const below = childrenInOrder(report, node, order);
        if (below.length > 0) waiting.push({ siblings: below, row: at + 1, x: left });
      } else {
        bundle ??= { row: at, x: left, width: 0, nodes: [] };
        bundle.nodes.push(node);
        bundle.width += width;
        if (bundle.width >= BUNDLE_WIDTH) close();
      }
      left += width;
    }
    close();
  }
}

/** What is below a node; kernels come behind regions unless all go by time. */
function childrenInOrder(report, node, order) {
  if (node === ALL) return inOrder(report, rootsOf(report), order);
  const { sorted } = report.tree;
  const key = `${order} ${node}`;
  if (!sorted.has(key)) sorted.set(key, inOrder(report, report.childrenOf(node), order));
  const leaves = report.leaves.shown(node);
  if (leaves.length === 0) return sorted.get(key);
  const all = [...sorted.get(key), ...leaves];
  return order === 'time' ? inOrder(report, all, order) : all;
}

/** The outermost regions, and what is outside of all. */
function rootsOf(report) {
  return report.results(UNLABELED) > 0 ? [...report.childrenOf(ALL), UNLABELED] : report.childrenOf(ALL);
}

function inOrder(report, nodes, order) {
  return order === 'time' ? [...nodes].sort((a, b) => (report.ns(b) ?? 0) - (report.ns(a) ?? 0) || a - b) : nodes;
}
