// Putting the page together.

const THEME_KEY = 'rangescope-theme';

const SYSTEM_DARK = matchMedia('(prefers-color-scheme: dark)');

/** Light or dark as it was chosen, else as the system has it. */
function applyTheme() {
  const chosen = storedTheme();
  const dark = chosen === null ? SYSTEM_DARK.matches : chosen === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  store.set({ dark });
}

/** A page from disk may have no storage; then the choice lasts as long as the page. */
let chosenTheme = null;

function toggleTheme() {
  chosenTheme = store.state.dark ? 'light' : 'dark';
  try {
    localStorage.setItem(THEME_KEY, chosenTheme);
  } catch {
    // Kept in the variable alone.
  }
  applyTheme();
}

function storedTheme() {
  if (chosenTheme === null) {
    try {
      chosenTheme = localStorage.getItem(THEME_KEY);
    } catch {
      // As if nothing had been chosen.
    }
  }
  return chosenTheme;
}

/** The first metric that the report holds colours the icicle. */
function firstColour(page, report) {
  if (page.comparison) return 'change';
  const held = COLOURINGS.find(({ names }) => report.values(names).some(Number.isFinite));
  return held?.key ?? 'sm';
}

/** Keys that work everywhere outside of fields. */
function pageKeys(event, search) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input:not([type=checkbox]), select, textarea')) return;
  const views = [...document.querySelectorAll('.views [role=tab]')].map((tab) => tab.dataset.tab);
  if (event.key === '/') search.input.focus();
  else if (event.key === 't') toggleTheme();
  else if (/^[1-9]$/.test(event.key) && views[Number(event.key) - 1]) store.set({ view: views[Number(event.key) - 1] });
  else return;
  event.preventDefault();
}

/** The report that answers for the whole run, or the first that was compared. */
function firstReport(page) {
  const compared = page.comparison?.data.scopes[0]?.report;
  return page.reports[compared ?? Math.min(page.data.main_report, page.reports.length - 1)];
}

/** The kernels of a report without regions; the heaviest is open. */
function kernelsOfAll(page) {
  const view = new KernelsView(page);
  const show = () => view.show(page.reports[store.state.report], ALL);
  store.set({ kernel: page.reports[store.state.report].kernels(ALL).list.kernel[0] ?? null });
  store.on(['report', 'kernel', 'sorts'], show);
  show();
  return view;
}

/** Why there are no regions, and how to get them. */
function noRegions(report) {
  const { regions, regions_exclude: excluded } = report.data.selection;
  const text =
    regions.length + excluded.length > 0
      ? 'The selection of regions leaves none; everything below is about kernels.'
      : 'No NVTX range was open around these results, so this page is about kernels. For regions, mark parts of the program with NVTX ranges and profile it with `rangescope profile -- PROGRAM` or `ncu --nvtx`.';
  return el('p', { class: 'no-regions', id: 'no-regions' }, prose(text));
}

function start() {
  const page = new Page(JSON.parse(byId('report').textContent));
  const difference = JSON.parse(byId('comparison').textContent);
  page.comparison = difference && new Difference(page, difference);
  document.title = `${pageTitle(page)} – rangescope`;
  applyTheme();
  if (page.reports.length === 0) {
    fill(byId('app'), el('p', { class: 'message', text: 'This report holds no results.' }));
    return;
  }
  const report = firstReport(page);
  const first = page.bare ? 'kernels' : 'tree';
  const kernels = report.leaves.count() <= MOST_LEAVES;
  store.set({ view: page.comparison ? 'changes' : first, report: report.at, colour: firstColour(page, report), kernels });

  // Before anything draws what is selected.
  store.on(['selected', 'report'], () => revealNode(page.reports[store.state.report], store.state.selected));
  const search = new Search(page);
  const header = new Header(page, search);
  const icicle = page.bare ? null : new Icicle(page);
  const regions = page.bare ? kernelsOfAll(page) : new TreeTable(page);
  const roofline = new RooflineView(page);
  const source = page.data.source ? new SourceView(page) : null;
  const ranks = page.data.ranks ? new RanksView(page) : null;
  const advice = new AdviceView(page);
  const about = new AboutView(page);
  const panel = new Panel(page);
  const changes = page.comparison && new ChangesView(page);
  const list = [
    ...(changes ? [{ key: 'changes', label: 'Changes', panel: changes.root }] : []),
    page.bare
      ? { key: 'kernels', label: 'Kernels', panel: regions.root }
      : { key: 'tree', label: 'Regions', panel: regions.element() },
    { key: 'roofline', label: 'Roofline', panel: roofline.element() },
    ...(source ? [{ key: 'source', label: 'Source', panel: source.element() }] : []),
    ...(ranks ? [{ key: 'ranks', label: page.data.ranks.members === 'ranks' ? 'Ranks' : 'Processes', panel: ranks.element() }] : []),
    { key: 'advice', label: 'Advice', panel: advice.element() },
    { key: 'about', label: 'About', panel: about.element() },
  ];
  const views = tabs('view', 'Views', list, store.state.view, (view) => store.set({ view }));
  store.on(['view'], () => views.show(store.state.view));

  fill(
    byId('app'),
    header.element(),
    header.facts,
    el(
      'main',
      { id: 'main' },
      icicle ? icicle.element() : noRegions(firstReport(page)),
      el(
        'div',
        { class: 'split' },
        el(
          'section',
          { class: 'views', 'aria-label': 'Views' },
          views.bar,
          list.map((view) => view.panel),
        ),
        panel.element(),
      ),
    ),
  );
  header.update();
  regions.update();
  changes?.update();
  panel.update();
  const fragment = new Fragment(page);
  if (location.hash !== '') fragment.read();

  document.addEventListener('keydown', (event) => pageKeys(event, search));
  SYSTEM_DARK.addEventListener('change', applyTheme);
  addEventListener('beforeprint', () => buildPrint(page));
  addEventListener('afterprint', () => fill(byId('print')));
  document.documentElement.dataset.ready = 'true';
  performance.mark('ready');
}

start();
