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
      'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed',
      'sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed',
      'sm__pipe_tensor_cycles_active_v2.avg.pct_of_peak_sustained_elapsed',
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

/** The scales of the theme that is shown. The program writes `PALETTE`; changes are blue for faster and orange for slower. */
function scales() {
  return store.state.dark ? PALETTE.dark : PALETTE.light;
}

function between(stops, position) {
  const at = Math.max(0, Math.min(1, position)) * (stops.length - 1);
  const left = Math.min(Math.floor(at), stops.length - 2);
  return stops[left].map((part, channel) => Math.round(part + (stops[left + 1][channel] - part) * (at - left)));
}

/** A colour with the text colour that can be read on it. */
function painted([red, green, blue]) {
  const light = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return { fill: `rgb(${red},${green},${blue})`, ink: PALETTE.inks[Number(light > 0.19)] };
}

function linear(part) {
  const value = part / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** The colour of a percentage; none for what was not measured. */
function colourOfPercent(value) {
  return Number.isFinite(value) ? painted(between(scales().scale, value / 100)) : null;
}

/** The colour of a relative change, full at ± `limit`. */
function colourOfChange(change, limit) {
  if (!Number.isFinite(change)) return null;
  return painted(between(scales().change, (change / limit + 1) / 2));
}

/** The stops of a scale for the legend. */
function scaleStops(isChange) {
  return scales()[isChange ? 'change' : 'scale'].map((stop) => painted(stop).fill);
}
