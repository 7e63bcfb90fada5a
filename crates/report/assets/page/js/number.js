// Numbers for people: never rounded to zero when the value is not, and marked when they are not exact.

const ABSENT = '–';

const TIME_UNITS = { s: 1e9, ms: 1e6, µs: 1e3 };

const PREFIXES = [
  [1e18, 'E'],
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** The unit in which the times of a report can be compared at a glance. */
function timeUnit(totalNs) {
  if (totalNs >= 1e10) return 's';
  return totalNs >= 1e6 || totalNs === 0 ? 'ms' : 'µs';
}

/** Nanoseconds in a unit, without the unit. */
function time(ns, unit) {
  if (ns === null || ns === undefined) return ABSENT;
  if (ns === 0) return '0';
  const value = ns / TIME_UNITS[unit];
  if (value > 0 && value < 0.0005) return '<0.001';
  return grouped(value.toFixed(3));
}

/** Nanoseconds in the unit that suits them. */
function duration(ns) {
  if (ns === null || ns === undefined) return ABSENT;
  if (ns >= 1e9) return `${grouped((ns / 1e9).toFixed(3))} s`;
  if (ns >= 1e6) return `${(ns / 1e6).toFixed(3)} ms`;
  if (ns >= 1e3) return `${(ns / 1e3).toFixed(2)} µs`;
  return `${plain(ns)} ns`;
}

/** A share of 0 to 1 in per cent. */
function percent(share) {
  if (!Number.isFinite(share)) return ABSENT;
  const value = share * 100;
  return value > 0 && value < 0.05 ? '<0.1 %' : `${value.toFixed(1)} %`;
}

/** Six significant digits; whole numbers in full. */
function plain(value) {
  if (!Number.isFinite(value)) return ABSENT;
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return grouped(String(value));
  if (size >= 1e15 || size < 1e-6) return value.toExponential(4);
  return grouped(String(Number(value.toPrecision(6))));
}

/** A value with a unit, scaled as on the terminal: `[text, unit]`. */
function scaled(value, unit) {
  if (!Number.isFinite(value)) return [ABSENT, unit];
  const size = Math.abs(value);
  if (unit === 'fraction') return [twoDecimals(value * 100), '%'];
  if (unit === 'ns') {
    if (size >= 1e9) return [twoDecimals(value / 1e9), 's'];
    if (size >= 1e6) return [twoDecimals(value / 1e6), 'ms'];
    if (size >= 1e3) return [twoDecimals(value / 1e3), 'µs'];
    return [twoDecimals(value), 'ns'];
  }
  const short = shortUnit(unit);
  if (short === null) return [twoDecimals(value), unit];
  const [factor, prefix] = PREFIXES.find(([factor]) => size >= factor) ?? [1, ''];
  return [twoDecimals(value / factor), prefix + short];
}

/** The short form of a unit that takes prefixes, spelled as on the terminal: `byte/s` is `B/s`. */
function shortUnit(unit) {
  if (unit === 'hz') return 'Hz';
  if (/^byte(\/|$)/.test(unit)) return `B${unit.slice(4)}`;
  return unit.endsWith('op/s') ? unit : null;
}

function twoDecimals(value) {
  return Number.isInteger(value) || Math.abs(value) < 0.01 ? plain(value) : grouped(value.toFixed(2));
}

/** Commas between groups of three digits of the whole part. */
function grouped(text) {
  const [whole, fraction] = text.split('.');
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? parted : `${parted}.${fraction}`;
}

/** `1 kernel`, `43 kernels`. */
function count(number, one, many = `${one}s`) {
  return `${plain(number)} ${number === 1 ? one : many}`;
}

/** The value and unit of a metric, `~` before a value that is not exact. */
function metricText(metric) {
  if (!metric) return [ABSENT, ''];
  if (metric.text !== null) return [visible(shorten(metric.text, 200)), visibleUnit(metric)];
  if (metric.value !== null) {
    const [text, unit] = scaled(metric.value, visibleUnit(metric));
    return [metric.exact ? text : `~${text}`, unit];
  }
  if (metric.min !== null) return [`${plain(metric.min)} … ${plain(metric.max)}`, visibleUnit(metric)];
  return [ABSENT, visibleUnit(metric)];
}

function visibleUnit(metric) {
  return metric.unit === '' ? '' : visible(shorten(metric.unit, 40));
}

/** How a value was made, in words. */
const METHODS = {
  sum: 'sum',
  max: 'maximum',
  min: 'minimum',
  time_weighted: 'time-weighted mean',
  cycle_weighted: 'cycle-weighted mean',
  ratio_of_sums: 'ratio of sums',
  denominator_weighted: 'denominator-weighted mean',
  largest_part: 'largest part',
  same: 'same in all',
  varies: 'varies',
  not_aggregated: 'not aggregated',
};

/** How a value was made, in short. */
function metricMethod(metric) {
  return (METHODS[metric.method] ?? metric.method) + (metric.exact ? '' : ', not exact');
}

/** Method, exactness, coverage and reason in one sentence. */
function metricStory(metric) {
  const parts = [METHODS[metric.method] ?? metric.method, metric.exact ? 'exact' : 'not exact'];
  if (metric.covered !== metric.of) parts.push(`covers ${plain(metric.covered)} of ${plain(metric.of)} results`);
  if (metric.method === 'largest_part' && metric.min !== null && metric.min < metric.max) {
    parts.push(`single launches ${plain(Number(metric.min.toFixed(1)))} to ${plain(Number(metric.max.toFixed(1)))}`);
  }
  if (metric.reason) parts.push(hint(metric.reason));
  return parts.join('; ');
}
