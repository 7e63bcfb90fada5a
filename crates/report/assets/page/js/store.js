// What is chosen. Views subscribe to the parts that they show; nothing else is shared between them.

const store = {
  state: {
    report: 0, // position of the scope
    selected: ALL,
    zoom: null, // null, { node } or { nodes } (several siblings)
    colour: 'sm',
    order: 'program',
    query: '',
    view: 'tree',
    tab: 'overview',
    matches: null, // regions found by the query
    kernel: null,
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
