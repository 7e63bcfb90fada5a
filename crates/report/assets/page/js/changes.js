// All regions of both sides with what changed, costliest first.

class ChangesView {
  constructor(page) {
    this.page = page;
    const { comparison } = page;
    const spares = { base: 3, new: 2, relative: 1, calls: 4, per_call: 5 };
    const numeric = (key, label, title, track, value, text) => ({
      key,
      label,
      title,
      track,
      spare: spares[key],
      numeric: true,
      sort: value,
      render: (row, cell) => (cell.textContent = text(row)),
    });
    this.columns = [
      {
        key: 'name',
        label: 'Region',
        track: 'minmax(150px, 1fr)',
        sort: (row) => comparison.text(row.name),
        class: 'name',
        render: (row, cell) =>
          cell.append(
            el('span', {
              class: 'label',
              text: visible(shorten(comparison.text(row.name), 300)),
              title: hint(comparison.text(row.name)),
            }),
          ),
      },
      numeric(
        'base',
        'Base',
        'GPU time of the base',
        '86px',
        (row) => row.time[0],
        (row) => duration(row.time[0]),
      ),
      numeric(
        'new',
        'New',
        'GPU time of the new side',
        '86px',
        (row) => row.time[1],
        (row) => duration(row.time[1]),
      ),
      numeric(
        'difference',
        'Change',
        'What it costs',
        '92px',
        (row) => cost(row.time),
        (row) => signedDuration(absolute(row.time)),
      ),
      numeric(
        'relative',
        'Relative',
        'As a share of the base, and where it lies',
        '190px',
        (row) => row.time[2],
        (row) => relativeText(row.time) + comparison.within(row.time),
      ),
      {
        key: 'verdict',
        label: 'Verdict',
        title: comparison.data.noise_rule,
        track: '140px',
        sort: (row) => comparison.verdict(row),
        render: (row, cell) => {
          cell.append(verdictChip(comparison.verdict(row)));
          cell.title = settlingText(row.time)?.trim() ?? '';
        },
      },
      numeric(
        'calls',
        'Results',
        'Base and new',
        '96px',
        (row) => cost(row.calls),
        (row) =>
          row.calls[0] === row.calls[1]
            ? plain(row.calls[1] ?? 0)
            : `${plain(row.calls[0] ?? 0)} → ${plain(row.calls[1] ?? 0)}`,
      ),
      numeric(
        'per_call',
        'By result',
        'Change of the time by result',
        '86px',
        (row) => row.per_call[2],
        (row) => relativeText(row.per_call),
      ),
    ];
    this.grid = new Grid({
      label: 'Changes',
      columns: this.columns,
      empty: 'This scope was not compared',
      onSelect: (row) => row.region >= 0 && store.set({ selected: row.region }),
      onActivate: (row, how) => how === 'key' && row.region >= 0 && store.set({ zoom: { node: row.region } }),
      onSort: (key, down) => setSort('changes', { key, down }),
    });
    this.note = el('span', {
      class: 'muted',
      text: shorten(visible(comparison.data.noise_rule), 200),
      title: hint(comparison.data.noise_rule),
    });
    this.root = el('div', { class: 'pane' }, el('div', { class: 'toolbar' }, this.note), this.grid.root);
    store.on(['report', 'matches', 'sorts'], () => this.update());
    store.on(['selected'], () => this.grid.follow((row) => row.region === store.state.selected));
  }

  update() {
    const { comparison } = this.page;
    const report = this.page.reports[store.state.report];
    const { matches } = store.state;
    const rows = comparison.rows(report).filter((row) => !matches || matches.own.has(row.region) || matches.holding.has(row.region));
    const { changes: sort = { key: 'difference', down: true } } = store.state.sorts;
    const column = sortedBy(this.columns, sort);
    this.grid.setSort(column.key, sort.down);
    this.grid.setRows(
      [...rows].sort(compareBy(column.sort, sort.down)),
      (row) => row.region >= 0 && row.region === store.state.selected,
    );
  }
}
