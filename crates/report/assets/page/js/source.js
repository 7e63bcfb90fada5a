// Lines of source with what was counted at them: the files, the text of one with its heat, and everything about the chosen line.

/** The most instructions that are listed under a line. */
const MOST_INSTRUCTIONS = 300;

class SourceView {
  constructor(page) {
    this.page = page;
    this.root = el('div', { class: 'pane' });
    if (page.data.source.counted === 0) {
      const missing = 'No result has counts by instruction. ncu collects them with `--section SourceCounters`, or `--set full`; for the text of the source, profile with `--import-source yes`.';
      this.root.append(el('p', { class: 'message', id: 'no-source' }, prose(missing)));
      return;
    }
    this.code = new Code(page);
    this.open = new Set();
    this.instruction = null;
    this.title = el('span', { class: 'source-title', role: 'status' });
    this.picker = el('select', { id: 'file', 'aria-label': 'Source file', on: { change: () => store.set({ file: Number(this.picker.value), line: null }) } });
    this.files = new Grid({
      label: 'Source files',
      columns: this.fileColumns(),
      empty: 'No source file is known',
      onSelect: (file) => store.set({ file, line: null }),
    });
    this.lines = new Grid({
      label: 'Lines of the file',
      columns: this.lineColumns(),
      empty: 'No line of this file is in the page',
      tree: {
        level: (row) => (row.instruction ? 1 : 0),
        expanded: (row) => (this.canOpen(row) ? this.open.has(row.line) : null),
        toggle: (row, open) => this.toggle(row.line, open),
      },
      rowClass: (row) => (row.gap ? 'gap-row' : row.instruction ? 'instruction' : row.counts ? '' : 'no-code'),
      onSelect: (row) => this.choose(row),
      onActivate: (row, how) => how === 'key' && this.canOpen(row) && this.toggle(row.line, !this.open.has(row.line)),
    });
    this.files.root.classList.add('files');
    this.lines.root.classList.add('listing');
    this.note = el('p', { class: 'muted small source-note' });
    this.detail = el('div', { class: 'detail', role: 'region', 'aria-label': 'The chosen line', tabindex: '0', id: 'source-detail' });
    this.root.append(el('div', { class: 'toolbar' }, this.picker, this.title), this.files.root, this.note, this.lines.root, this.detail);
    const soon = oncePerFrame(() => this.update());
    store.on(['view', 'report', 'selected', 'folds', 'file'], soon);
    store.on(['line'], () => this.follow());
  }

  element() {
    return this.root;
  }

  // Columns that both tables have.
  shared(counts, most) {
    const { code } = this;
    const cell = (key, label, title, track, spare, render) => ({ key, label, title, track, spare, numeric: true, render });
    const { samples, executed, ns } = countsOf(code.data.totals);
    const part = samples === null ? 'instructions executed' : 'samples';
    const columns = [
      cell('share', `% of ${samples === null ? 'instr.' : part}`, `Share of ${part}; the bar is relative to the most`, '112px', undefined, (row, place) => {
        const counted = counts(row);
        if (!counted) return;
        place.classList.add('with-bar');
        const share = code.share(counted, row.instruction ? code.totalsOfInstructions(this.subject) : this.subject.totals);
        place.append(bar(most() > 0 ? share / most() : 0), percent(share).replace(' %', ''));
      }),
    ];
    if (samples !== null) {
      columns.push({
        ...cell('stall', 'Waits for', 'What most samples waited for', '164px', 1, (row, place) => {
          const counted = counts(row);
          const found = counted && code.dominant(counted);
          if (!found) return;
          place.textContent = `${stallName(found[0])} ${percent(found[1])}`;
          place.title = this.breakdown(counted).join('\n');
        }),
        numeric: false,
      });
    }
    if (ns !== null) columns.push(cell('time', 'Time', 'Estimated from the samples', '86px', 2, (row, place) => (place.textContent = counts(row) ? duration(Math.round(counts(row).ns)) : '')));
    if (executed !== null) {
      columns.push(cell('executed', 'Executed', 'Instructions executed by warps', '100px', 3, (row, place) => (place.textContent = counts(row) ? plain(counts(row).executed) : '')));
    }
    return columns;
  }

  breakdown(counts) {
    return this.code.stalls(counts).map(([reason, samples]) => `${stallName(reason)}: ${plain(samples)} (${percent(samples / counts.samples)})`);
  }

  fileColumns() {
    const name = {
      key: 'name',
      label: 'File',
      track: 'minmax(150px, 1fr)',
      class: 'name mono',
      render: (file, cell) => {
        const path = this.code.paths[file];
        cell.append(el('span', { class: 'label', text: shortPath(path), title: hint(path) }));
      },
    };
    return [name, ...this.shared((file) => this.fileCounts(file), () => this.mostOfFile)];
  }

  lineColumns() {
    const text = {
      key: 'text',
      label: 'Line',
      track: 'minmax(200px, 1fr)',
      wants: 330,
      class: 'name mono',
      render: (row, cell) => this.drawLine(row, cell),
    };
    return [text, ...this.shared((row) => row.counts, () => this.mostOfLine)];
  }

  drawLine(row, cell) {
    if (row.gap) {
      cell.append(el('span', { class: 'line-number', text: '⋯' }));
      return;
    }
    if (row.instruction) {
      const { offset, words } = row.instruction;
      const text = words === null ? 'not in words: only a disassembler knows it' : sourceText(words);
      cell.append(
        el('span', { class: 'offset', text: `+0x${offset.toString(16)}` }),
        el('span', { class: `label ${words === null ? 'muted' : ''}`, text, title: this.code.codeName(row.instruction) }),
      );
      return;
    }
    const twist = this.canOpen(row) ? el('span', { class: 'twist', text: this.open.has(row.line) ? '▾' : '▸', 'aria-hidden': 'true' }) : el('span', { class: 'no-twist' });
    cell.append(
      twist,
      el('span', { class: 'line-number', text: String(row.line) }),
      el('span', { class: 'label code-text', text: row.text === null ? '' : sourceText(row.text) }),
    );
  }

  canOpen(row) {
    return !row.gap && !row.instruction && this.code.instructions(this.subject, this.file, row.line).length > 0;
  }

  fileCounts(file) {
    return this.ofFiles.get(file);
  }

  update() {
    if (!this.code || store.state.view !== 'source') return;
    const { code } = this;
    const report = this.page.reports[store.state.report];
    const subject = code.subject(report, store.state.selected);
    const changed = subject !== this.subject;
    if (changed) {
      this.subject = subject;
      this.ofFiles = new Map([...subject.files].map(([file, lines]) => [file, this.fileRow(file, lines)]));
      const files = [...this.ofFiles.keys()].sort((a, b) => code.weight(this.ofFiles.get(b)) - code.weight(this.ofFiles.get(a)) || a - b);
      this.mostOfFile = Math.max(0, ...files.map((file) => code.share(this.ofFiles.get(file), subject.totals) ?? 0));
      this.order = files;
    }
    const file = this.order.includes(store.state.file) ? store.state.file : (this.order[0] ?? null);
    if (changed) this.listFiles(file);
    else this.files.follow((one) => one === file);
    this.picker.value = String(file);
    this.title.textContent = this.summary();
    if (changed || file !== this.file) this.showFile(file);
  }

  /** The files, heaviest first, as a table where there is room and to choose from. */
  listFiles(chosen) {
    this.files.setRows(this.order, (file) => file === chosen);
    const label = (file) => `${shortPath(this.code.paths[file])} · ${percent(this.code.share(this.ofFiles.get(file), this.subject.totals))}`;
    fill(
      this.picker,
      this.order.map((file) => el('option', { value: String(file), text: label(file) })),
    );
  }

  /** The counts of a file: its own where all results are shown, else those of the lines that are known. */
  fileRow(file, lines) {
    if (this.subject.whole) return countsOf(this.code.data.files[file].row);
    return [...lines.values()].reduce(together);
  }

  summary() {
    const { data } = this.code;
    const { totals, title } = this.subject;
    const scopes = this.page.reports.length > 1 && store.state.selected === ALL ? 'all scopes together' : null;
    return [
      title,
      totals.samples === null ? 'nothing was sampled' : count(totals.samples, 'sample'),
      data.counted < data.launches ? `${plain(data.counted)} of ${count(data.launches, 'launch has', 'launches have')} counts by instruction` : null,
      scopes,
      data.left_out[0] > 0 ? `${count(data.left_out[0], 'line')} of light files only in rangescope source` : null,
      data.left_out[2] > 0 ? `instructions of ${count(data.left_out[2], 'light kernel')} only in rangescope source` : null,
    ]
      .filter((part) => part)
      .join(' · ');
  }

  showFile(file) {
    this.file = file;
    this.open.clear();
    this.instruction = null;
    const absent = file === null ? null : this.page.text(this.code.data.files[file].absent);
    fill(this.note, absent === null ? '' : prose(`No text: ${visible(shorten(absent, 300))}`));
    this.note.hidden = absent === null;
    const known = this.subject.files.get(file) ?? new Map();
    this.listing = file === null ? [] : this.code.listing(file).map((one) => (one === null ? { gap: true } : { ...one, counts: known.get(one.line) ?? null }));
    this.mostOfLine = Math.max(0, ...[...known.values()].map((row) => this.code.share(row, this.subject.totals) ?? 0));
    this.lines.root.scrollTop = 0;
    this.drawLines();
    // What most readers look for comes into view by itself.
    const wanted = this.lines.active >= 0 ? store.state.line : this.hottest()?.line;
    const at = this.lines.rows.findIndex((row) => row.line === wanted);
    if (at >= 0) {
      this.lines.reveal(Math.min(this.lines.rows.length - 1, at + 3));
      this.lines.reveal(at);
      this.lines.draw();
    }
  }

  hottest() {
    const counted = (this.listing ?? []).filter((row) => row.counts);
    return counted.reduce((best, row) => (best === null || this.code.weight(row.counts) > this.code.weight(best.counts) ? row : best), null);
  }

  drawLines() {
    const rows = this.listing.flatMap((row) => {
      if (row.gap || !this.open.has(row.line)) return [row];
      return [row, ...this.heaviest(row.line).map((instruction) => ({ instruction, line: row.line, counts: instruction.counts }))];
    });
    const isActive = (row) => !row.gap && row.line === store.state.line && (row.instruction ?? null) === this.instruction;
    this.lines.setRows(rows, isActive);
    this.drawDetail();
  }

  /** The heaviest instructions of a line, in the order of the code. */
  heaviest(line) {
    const all = this.code.instructions(this.subject, this.file, line);
    if (all.length <= MOST_INSTRUCTIONS) return all;
    const kept = new Set([...all].sort((a, b) => this.code.weight(b.counts) - this.code.weight(a.counts)).slice(0, MOST_INSTRUCTIONS));
    return all.filter((one) => kept.has(one));
  }

  /** Marks the line that was chosen by a link or by Back. */
  follow() {
    if (!this.code || store.state.view !== 'source' || !this.listing) return;
    if (this.instruction === null) this.lines.follow((row) => !row.gap && !row.instruction && row.line === store.state.line);
    this.drawDetail();
  }

  choose(row) {
    if (row.gap) return;
    this.instruction = row.instruction ?? null;
    store.set({ file: this.file, line: row.line });
    this.drawDetail();
  }

  toggle(line, open) {
    if (open) this.open.add(line);
    else this.open.delete(line);
    this.instruction = null;
    store.set({ file: this.file, line });
    this.drawLines();
  }

  drawDetail() {
    const row = this.lines.rows.find((one) => !one.gap && one.line === store.state.line && (one.instruction ?? null) === this.instruction);
    this.detail.hidden = row === undefined;
    if (row === undefined) return;
    const { code, file } = this;
    const place = `${code.paths[file]}:${row.line}`;
    const found = code.instructions(this.subject, file, row.line);
    const open = this.open.has(row.line);
    fill(
      this.detail,
      el(
        'div',
        { class: 'detail-head' },
        el('code', { class: 'full-name', text: visible(shorten(place, 600)) + (row.instruction ? ` +0x${row.instruction.offset.toString(16)}` : '') }),
        el(
          'div',
          { class: 'detail-buttons' },
          found.length > 0
            ? button(`${open ? 'Hide' : 'Show'} ${count(found.length, 'instruction')}`, () => this.toggle(row.line, !open), { class: 'quiet', id: 'open-line', 'aria-expanded': String(open) })
            : null,
          copyButton(() => place, 'Copy place'),
        ),
      ),
      el('code', { class: 'full-name', text: sourceText((row.instruction ? row.instruction.words : row.text) ?? '').trim() }),
      row.counts ? this.countsPart(row.counts, row.instruction ? code.totalsOfInstructions(this.subject) : this.subject.totals) : el('p', { class: 'muted', text: row.kernels?.length > 0 ? 'Nothing of what is selected is known of this line.' : 'No code comes from this line.' }),
      row.kernels?.length > 0 ? this.kernelsPart(row.kernels, row.allKernels) : row.instruction ? this.kernelsPart([row.instruction.kernel], 1) : null,
      open && found.length > MOST_INSTRUCTIONS ? el('p', { class: 'muted small', text: `The ${MOST_INSTRUCTIONS} heaviest are listed.` }) : null,
      open && !this.subject.whole && !this.subject.kernels ? el('p', { class: 'muted small', text: 'Counts of instructions are those of all results, not of the region alone.' }) : null,
    );
  }

  countsPart(counts, totals) {
    const { code } = this;
    const facts = [
      counts.samples === null ? null : `${count(counts.samples, 'sample')}, ${percent(code.share(counts, totals))}`,
      counts.ns === null ? null : `about ${duration(Math.round(counts.ns))}`,
      counts.executed === null ? null : `${count(counts.executed, 'instruction')} executed`,
    ];
    const metrics = [...counts.metrics].map(([name, value]) => [this.page.text(code.data.metrics[name]), value]);
    return [
      el('p', { text: facts.filter((fact) => fact).join(' · ') }),
      counts.samples > 0
        ? el(
            'div',
            { class: 'meters stalls' },
            code.stalls(counts).map(([reason, samples]) => [
              el('span', { text: stallName(reason) }),
              bar(samples / counts.samples),
              el('span', { class: 'meter-value', text: `${plain(samples)} · ${percent(samples / counts.samples)}` }),
            ]),
          )
        : null,
      metrics.length > 0
        ? el(
            'details',
            {},
            el('summary', { text: `Other counters (${metrics.length})` }),
            el(
              'dl',
              { class: 'facts-list small' },
              metrics.map(([name, value]) => [el('dt', { class: 'mono', text: visible(shorten(name, 120)) }), el('dd', { text: plain(value) })]),
            ),
          )
        : null,
    ];
  }

  kernelsPart(kernels, all) {
    const names = [...new Set(kernels.map((kernel) => this.code.kernelName(kernel)))].join(', ');
    const others = all > kernels.length ? ` and ${count(all - kernels.length, 'other')}` : '';
    return el('p', { class: 'muted small', text: `Code of ${names}${others}` });
  }
}

/** The words of ncu for why a warp waits; `selected` is a warp that issued. */
function stallName(reason) {
  return reason === 'selected' ? 'issuing' : visible(shorten(reason, 60)).replaceAll('_', ' ');
}

/** A line of a program: its indentation stays, and everything that would act is written out. */
function sourceText(text) {
  const shown = text.replaceAll('\t', '    ').trimEnd();
  return shown === '' ? '' : visible(shown);
}

/** The end of a path, by which files are told apart. */
function shortPath(path) {
  const parts = path.split('/');
  return visible(shorten(parts.slice(-3).join('/'), 120));
}
