// The first tab of the region panel: how much, how busy, what limits it, what is in it.

function overview(page, report, node, root) {
  const parent = report.parent(node);
  const parentNs = parent === null ? report.totalNs : report.ns(parent);
  fill(
    root,
    el(
      'div',
      { class: 'figures' },
      figure(
        node === ALL ? 'GPU time' : 'Inclusive',
        duration(report.ns(node)),
        node === ALL ? null : `${percent(report.share(node))} of all`,
      ),
      node >= 0
        ? figure(
            'Self',
            duration(report.selfNs(node)),
            report.ns(node) > 0 ? `${percent(report.selfNs(node) / report.ns(node))} of the region` : null,
          )
        : null,
      node >= 0 && parent !== ALL
        ? figure(
            'Of parent',
            percent(parentNs > 0 ? report.ns(node) / parentNs : 0),
            visible(shorten(report.caption(parent), 24)),
          )
        : null,
      figure(
        'Results',
        plain(report.results(node)),
        report.timed(node) === report.results(node) ? null : `${plain(report.timed(node))} timed`,
      ),
    ),
    differencePart(page, report, node),
    membersPart(page, report, node),
    busy(report, node),
    limiter(page, report, node),
    parts(report, node),
    // Without regions the kernels have a view of their own, and there is room for the rest.
    page.bare ? null : topKernels(report, node),
    topAdvice(report, node),
    page.bare ? [topRules(page, report, node), sectionParts(report, node)] : null,
    commandsPart(page, report, node),
  );
}

/** How much the members of a family differ, and which stand out. */
function membersPart(page, report, node) {
  if (!report.tree.isFamily(node)) return null;
  const { outliers, said, max } = report.family(node);
  const members = report.tree.members(node);
  const shown = outliers.slice(0, 5);
  return el(
    'section',
    { id: 'members' },
    el('h3', { text: 'Members' }),
    el('p', { text: `${count(members.length, 'region')}: ${spreadOf(report, node)}` }),
    shown.length === 0 ? null : el('p', { class: 'muted small', text: 'These stand out:' }),
    el(
      'div',
      { class: 'rows' },
      shown.map((member, at) =>
        shareRow(
          visible(shorten(report.name(member), 200)),
          hint(page.text(said[at])),
          max > 0 ? report.ns(member) / max : 0,
          duration(report.ns(member)),
          () => store.set({ selected: member }),
        ),
      ),
    ),
    outliers.length > shown.length
      ? el('p', { class: 'muted small', text: `${count(outliers.length - shown.length, 'more', 'more')}` })
      : null,
  );
}

/** What ncu's rules said, in short. */
function topRules(page, report, node) {
  const rules = report.rules(node);
  if (rules.length === 0) return null;
  const most = 5;
  return el(
    'section',
    { id: 'top-rules' },
    el('h3', { text: "What ncu's rules said" }),
    rules.slice(0, most).map((rule) => ruleCard(page, rule)),
    rules.length > most
      ? button(`All ${plain(rules.length)} messages`, () => store.set({ tab: 'advice' }), { class: 'link' })
      : null,
  );
}

/** The key percentages as bars. */
function busy(report, node) {
  const metrics = report.metrics(node);
  return el(
    'section',
    {},
    el('h3', { text: 'Utilisation' }),
    el(
      'div',
      { class: 'meters' },
      COLOURINGS.flatMap(({ label, names }) => {
        return meter(label, metrics.first(names), names[0]);
      }),
    ),
  );
}

/** A percentage as a bar, or that it was not collected. */
function meter(label, metric, name) {
  const value = metric ? `${metric.exact ? '' : '~'}${metric.value.toFixed(1)} %` : 'not collected';
  const story = metric ? `${metric.name}: ${metricStory(metric)}` : name;
  return [
    el('span', { class: 'meter-label', text: label, title: hint(story) }),
    metric ? bar(metric.value / 100, 'meter') : el('span', { class: 'bar empty', 'aria-hidden': 'true' }),
    el('span', { class: metric ? 'meter-value' : 'meter-value muted', text: value, title: hint(story) }),
  ];
}

function limiter(page, report, node) {
  const bound = report.bound(node);
  const numbers = [];
  if (bound.unit) numbers.push(UNIT_LABELS[bound.unit] ?? `${bound.unit} pipe`);
  if (bound.compute !== null) {
    const unit = bound.compute_unit ? ` (${UNIT_LABELS[bound.compute_unit] ?? `${bound.compute_unit} pipe`})` : '';
    numbers.push(`compute${unit} ${bound.compute.toFixed(1)} %`);
  }
  if (bound.memory !== null) numbers.push(`memory ${bound.memory.toFixed(1)} %`);
  const mix = bound.mix.filter(([, share]) => share > 0);
  return el(
    'section',
    {},
    el('h3', { text: 'Limiter' }),
    el(
      'p',
      { class: 'limiter', title: page.data.bound_rule },
      boundChip(bound.class),
      el('span', {
        class: 'muted',
        text: numbers.length > 0 ? numbers.join(', ') : 'the metrics to tell were not collected',
      }),
    ),
    mix.length > 1
      ? el(
          'div',
          {
            class: 'mix',
            role: 'img',
            'aria-label': `Time by limiter of the launches: ${mix.map(([name, share]) => `${name} ${percent(share)}`).join(', ')}`,
          },
          mix.map(([name, share]) => {
            const piece = el('span', {
              class: `bound-${name}`,
              text: share > 0.14 ? `${BOUND_LABELS[name]} ${percent(share)}` : '',
              title: `${BOUND_LABELS[name]} ${percent(share)}`,
            });
            piece.style.flexGrow = String(share);
            return piece;
          }),
        )
      : null,
  );
}

function topAdvice(report, node) {
  const findings = report.advice(node);
  if (findings.length === 0) return null;
  return el(
    'section',
    {},
    el('h3', { text: 'Advice' }),
    findings.slice(0, 2).map((finding) => adviceCard(report, finding, false)),
    findings.length > 2
      ? button(`All ${findings.length} findings`, () => store.set({ tab: 'advice' }), { class: 'link' })
      : null,
  );
}

/** The regions directly below, heaviest first. */
function parts(report, node) {
  const children = [...report.childrenOf(node)];
  if (node === ALL && report.results(UNLABELED) > 0 && children.length > 0) children.push(UNLABELED);
  if (children.length === 0) return null;
  children.sort((a, b) => report.ns(b) - report.ns(a));
  const most = 5;
  const total = report.ns(node);
  return el(
    'section',
    {},
    el('h3', { text: node === ALL ? 'Outermost regions' : 'Regions inside' }),
    el(
      'div',
      { class: 'rows' },
      children
        .slice(0, most)
        .map((child) =>
          shareRow(
            visible(shorten(report.caption(child), 200)),
            hint(report.name(child)),
            total > 0 ? report.ns(child) / total : 0,
            duration(report.ns(child)),
            () => store.set({ selected: child }),
          ),
        ),
      children.length > most
        ? el('p', { class: 'muted small', text: `${count(children.length - most, 'more', 'more')} in the table` })
        : null,
    ),
  );
}

function topKernels(report, node) {
  const kernels = report.kernels(node);
  if (kernels.length === 0) return null;
  const most = Math.min(5, kernels.length);
  return el(
    'section',
    {},
    el('h3', { text: 'Heaviest kernels' }),
    el(
      'div',
      { class: 'rows' },
      Array.from({ length: most }, (_, row) =>
        shareRow(
          kernels.short(row),
          hint(kernels.name(row)),
          kernels.share(row),
          duration(kernels.ns(row)),
          () => store.set({ ...report.page.kernelsPlace(), kernel: kernels.id(row) }),
          'mono',
        ),
      ),
    ),
    kernels.length + kernels.leftOut > most
      ? button(`All ${plain(kernels.length + kernels.leftOut)} kernels`, () => store.set(report.page.kernelsPlace()), {
          class: 'link',
        })
      : null,
  );
}

/** A name with a bar behind it. */
function shareRow(text, title, share, value, choose, kind = '', note = percent(share)) {
  return el(
    'button',
    { type: 'button', class: 'share-row', title, on: { click: choose } },
    bar(share),
    el('span', { class: `label ${kind}`, text }),
    el('span', { class: 'value', text: value }),
    el('span', { class: 'value share', text: note }),
  );
}
