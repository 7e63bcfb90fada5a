// Colours of the pictures. Scales change in lightness all the way, so that they can be told apart
// without seeing hue, and in a print without colour.

/** Metrics that regions can be coloured by; the first name that a report holds is taken. */
const COLOURINGS = [
  { key: 'sm', label: 'SM throughput', short: 'SM', names: ['sm__throughput.avg.pct_of_peak_sustained_elapsed'] },
  {
    key: 'dram',
    label: 'DRAM throughput',
    short: 'DRAM',
    names: [
      'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed',
      'dram__throughput.avg.pct_of_peak_sustained_elapsed',
    ],
  },
  {
    key: 'memory',
    label: 'Memory throughput',
    short: 'Mem',
    names: ['gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed'],
  },
  {
    key: 'occupancy',
    label: 'Achieved occupancy',
    short: 'Occ',
    names: ['sm__warps_active.avg.pct_of_peak_sustained_active'],
  },
  {
    key: 'tensor',
    label: 'Tensor pipe use',
    short: 'Tensor',
    names: [
      'sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active',
      'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active',
      'sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active',
      'sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active',
      'sm__inst_executed_pipe_tensor_op.avg.pct_of_peak_sustained_active',
      'sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_active',
    ],
  },
];

function colouring(key) {
  return COLOURINGS.find((one) => one.key === key);
}

const LIGHT = [
  [208, 225, 241],
  [166, 200, 230],
  [107, 168, 215],
  [47, 122, 185],
  [18, 78, 138],
  [8, 44, 92],
];
const DARK = [
  [30, 45, 62],
  [36, 70, 104],
  [42, 102, 152],
  [66, 141, 196],
  [122, 182, 228],
  [190, 222, 248],
];
/** Faster is blue, slower is orange: told apart with every kind of colour blindness. */
const CHANGE_LIGHT = [
  [24, 86, 150],
  [120, 170, 214],
  [224, 227, 231],
  [236, 167, 96],
  [176, 84, 8],
];
const CHANGE_DARK = [
  [122, 182, 228],
  [58, 100, 142],
  [52, 58, 66],
  [150, 92, 40],
  [240, 160, 84],
];

function isDark() {
  return store.state.dark;
}

function between(stops, position) {
  const at = Math.max(0, Math.min(1, position)) * (stops.length - 1);
  const left = Math.min(Math.floor(at), stops.length - 2);
  return stops[left].map((part, channel) => Math.round(part + (stops[left + 1][channel] - part) * (at - left)));
}

/** A colour with the text colour that can be read on it. */
function painted([red, green, blue]) {
  const light = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return { fill: `rgb(${red},${green},${blue})`, ink: light > 0.19 ? '#10151c' : '#f5f8fb' };
}

function linear(part) {
  const value = part / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** The colour of a percentage; none for what was not measured. */
function colourOfPercent(value) {
  return Number.isFinite(value) ? painted(between(isDark() ? DARK : LIGHT, value / 100)) : null;
}

/** The colour of a relative change, full at ± `limit`. */
function colourOfChange(change, limit) {
  if (!Number.isFinite(change)) return null;
  return painted(between(isDark() ? CHANGE_DARK : CHANGE_LIGHT, (change / limit + 1) / 2));
}

/** The stops of a scale for the legend. */
function scaleStops(isChange) {
  const stops = isChange ? (isDark() ? CHANGE_DARK : CHANGE_LIGHT) : isDark() ? DARK : LIGHT;
  return stops.map((stop) => painted(stop).fill);
}
