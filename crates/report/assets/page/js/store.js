// What is chosen. Views subscribe to the parts that they show; nothing else is shared between them.

const store = {
  state: {
    report: 0, // position of the scope
    selected: ALL, // a region, a family or a kernel in one
    zoom: null, // null, { node } or { nodes } (several siblings)
    colour: 'sm',
    order: 'program',
    folds: 0, // how often families were folded or unfolded
    query: '',
    view: 'tree',
    tab: 'overview',
    matches: null, // what the query found
    kernel: null, // the chosen row of a list of kernels
    kernels: true, // whether kernels are in the tree
    kernelTab: 'overview',
    flat: false,
    points: 'regions', // what the points of the roofline are
    file: null, // the chosen source file, by position
    line: null, // and the line in it
    cell: null, // of the ranks: { row, bin }, where a bin of null is the whole row
    sorts: {}, // by table: { key, down }
    dark: false,
  },
  listeners: [],

  /** Runs when one of the keys changes. */
  on(keys, run) {
    this.listeners.push({ keys, run });
  },

  set(changes) {
    const changed = Object.keys(changes).filter((key) => this.state[key] !== changes[key]);
    if (changed.length === 0) return;
    Object.assign(this.state, changes);
    for (const { keys, run } of this.listeners) {
      if (keys.some((key) => changed.includes(key))) run(changed);
    }
  },
};

/** Sorts one of the tables. */
function setSort(table, sort) {
  store.set({ sorts: { ...store.state.sorts, [table]: sort } });
}
