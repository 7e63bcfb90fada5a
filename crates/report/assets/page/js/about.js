// Where the numbers come from: sources, devices, selection, notes.

class AboutView {
  constructor(page) {
    this.page = page;
    this.root = el('div', { class: 'pane scroll', tabindex: '0', 'aria-label': 'About this report' });
    store.on(['report', 'view'], () => this.update());
  }

  element() {
    return this.root;
  }

  update() {
    if (store.state.view !== 'about') return;
    const { data } = this.page;
    const report = this.page.reports[store.state.report];
    const { selection } = report.data;
    const list = (values) =>
      values.length === 0 ? 'all' : values.map((value) => visible(shorten(value, 200))).join(', ');
    const facts = (rows) =>
      el(
        'dl',
        { class: 'facts-list' },
        rows
          .filter(([, value]) => value !== null && value !== '')
          .flatMap(([name, value]) => [el('dt', { text: name }), el('dd', { text: value })]),
      );
    const part = (title, ...content) => el('section', {}, el('h3', { text: title }), content);
    const { comparison } = this.page;
    fill(
      this.root,
      comparison && comparison.data.notes.length > 0
        ? part(
            'Before comparing',
            el(
              'ul',
              { class: 'notes' },
              comparison.data.notes.map((note) =>
                el('li', {
                  class: note.severity === 'info' ? 'info' : 'warning',
                  text: visible(shorten(note.message, 2000)),
                }),
              ),
            ),
          )
        : null,
      comparison?.data.gates
        ? part(
            'Gates',
            el(
              'ul',
              { class: 'notes' },
              comparison.data.gates.gates.map((gate) =>
                el(
                  'li',
                  { class: gate.status === 'violated' ? 'warning' : '' },
                  el('code', { text: visible(shorten(gate.gate, 300)) }),
                  ` ${gate.status.replace('_', ' ')}`,
                  el(
                    'ul',
                    {},
                    gate.checks.map((check) => el('li', { text: visible(shorten(check.message, 600)) })),
                  ),
                ),
              ),
            ),
          )
        : null,
      data.notes.length > 0
        ? part(
            'Notes',
            el(
              'ul',
              { class: 'notes' },
              data.notes
                .slice(0, 200)
                .map((note) =>
                  el(
                    'li',
                    { class: note.level },
                    el('strong', { text: note.level === 'warning' ? 'Warning: ' : 'Note: ' }),
                    visible(shorten(note.message, 2000)),
                  ),
                ),
            ),
          )
        : null,
      part(
        'Report',
        facts([
          ['Made by', `${visible(data.tool.name)} ${visible(data.tool.version)}`],
          ['Captured', data.generated_at ? visible(data.generated_at) : 'not stated'],
          ['Data', data.simulated ? 'simulated: no GPU measured these numbers' : 'measured'],
          ['Fingerprint of the selection', visible(data.fingerprint)],
          ['Scope', report.label],
          ['Results', `${plain(selection.results_selected)} of ${plain(selection.results_seen)} selected`],
        ]),
      ),
      part(
        'Files',
        el(
          'table',
          {},
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              ['File', 'Format', 'Profiler', 'Results', 'Lost'].map((text) => el('th', { text, scope: 'col' })),
            ),
          ),
          el(
            'tbody',
            {},
            data.sources.slice(0, 500).map((source) =>
              el(
                'tr',
                {},
                [
                  visible(shorten(source.file, 200)),
                  source.format,
                  source.profiler ? visible(source.profiler) : ABSENT,
                  plain(source.results),
                  plain(source.lost),
                ].map((text) => el('td', { text })),
              ),
            ),
          ),
        ),
      ),
      part(
        'Devices',
        el(
          'table',
          {},
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              ['Device', 'Name', 'Compute capability', 'Hosts'].map((text) => el('th', { text, scope: 'col' })),
            ),
          ),
          el(
            'tbody',
            {},
            data.devices.slice(0, 500).map((device) =>
              el(
                'tr',
                {},
                [
                  String(device.id),
                  device.name ? visible(device.name) : ABSENT,
                  device.compute_capability ?? ABSENT,
                  device.hosts.map((host) => visible(host)).join(', '),
                ].map((text) => el('td', { text })),
              ),
            ),
          ),
        ),
      ),
      part(
        'Selection',
        facts([
          ['Regions', list(selection.regions)],
          ['Regions left out', selection.regions_exclude.length > 0 ? list(selection.regions_exclude) : ''],
          ['Regions not seen', selection.regions_not_seen.length > 0 ? list(selection.regions_not_seen) : ''],
          ['Kernels', list(selection.kernel_include)],
          ['Kernels left out', selection.kernel_exclude.length > 0 ? list(selection.kernel_exclude) : ''],
          ['Metrics', list(selection.metrics)],
          ['Metrics not found', selection.metrics_not_found.length > 0 ? list(selection.metrics_not_found) : ''],
          ['Sections', list(selection.sections)],
          ['Sections not found', selection.sections_not_found.length > 0 ? list(selection.sections_not_found) : ''],
          [
            'Names folded',
            selection.normalisation
              .map((rule) => `${visible(rule.pattern)} → ${visible(rule.replacement)} (${plain(rule.names_folded)})`)
              .join(', '),
          ],
        ]),
      ),
      part('How kernels and regions are classified', el('p', { text: visible(data.bound_rule) })),
      part(
        'Keys',
        facts([
          ['/', 'search'],
          ['arrows, Enter', 'move in the icicle and in tables, zoom or open'],
          ['Escape, Backspace', 'zoom out'],
          ['u', 'unfold or fold the selected family'],
          ['1 to 5', 'the views, from left to right'],
          ['t', 'light or dark'],
        ]),
      ),
    );
  }
}
