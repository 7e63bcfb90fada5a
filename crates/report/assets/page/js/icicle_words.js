// What the boxes of the icicle say to those who point at them or do not see them.

/** What a box stands for, for tooltips and for readers that do not see it. */
function boxLines(page, report, box) {
  if (box.nodes) {
    const ns = box.nodes.reduce((sum, node) => sum + report.ns(node), 0);
    const kernels = box.nodes.filter((node) => report.isLeaf(node)).length;
    const regions = box.nodes.length - kernels;
    const what = [
      regions > 0 ? count(regions, 'narrow region') : null,
      kernels > 0 ? count(kernels, 'narrow kernel') : null,
    ];
    return [what.filter((part) => part).join(', '), `${duration(ns)}, zoom in to see them`];
  }
  const { node } = box;
  if (report.isLeaf(node)) return kernelLines(report, node);
  const lines = [
    shorten(visible(shorten(report.name(node), 600)), 240) + report.times(node),
    `${duration(report.ns(node))} · ${percent(report.share(node))} of all · ${count(report.results(node), 'result')}`,
  ];
  if (report.tree.isFamily(node)) lines.push(`${spreadOf(report, node)}; u ${report.tree.unfolded.has(node) ? 'folds' : 'unfolds'}`);
  if (node >= 0 && report.childrenOf(node).length > 0) lines.push(`self ${duration(report.selfNs(node))}`);
  if (store.state.colour === 'change') lines.push(...(page.comparison?.lines(report, node) ?? []));
  return [...lines, ...valueLines(report, node)];
}

function kernelLines(report, leaf) {
  const around = report.parent(leaf);
  return [
    `kernel ${shorten(report.own(leaf), 240)}`,
    `${duration(report.ns(leaf))} · ${percent(report.share(leaf))} of all · ${count(report.results(leaf), 'launch', 'launches')}`,
    `directly in ${shorten(visible(shorten(report.name(around), 300)), 120)}${report.times(around)}`,
    ...valueLines(report, leaf),
  ];
}

function valueLines(report, node) {
  const values = COLOURINGS.map(({ short, names }) => [short, report.value(node, names)])
    .filter(([, value]) => Number.isFinite(value))
    .map(([short, value]) => `${short} ${value.toFixed(1)} %`);
  return values.length > 0 ? [values.join(' · ')] : [];
}
