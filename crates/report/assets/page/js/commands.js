// What to type on the command line for what is seen here: patterns that select one region, and commands with them.

/** Commands about the region or kernel at hand: their words before the files, and behind the selection; some take one file or folder. */
const COMMANDS = [
  { words: 'report', behind: '' },
  { words: 'advice', behind: '' },
  { words: 'plot icicle', behind: ' --out icicle.svg' },
  { words: 'kernel', behind: '', isOfOne: true },
];

/** More letters of file names than this do not fit a command; then the run folder stands for them. */
const LONGEST_FILES = 400;

/** The characters that mean something in a pattern. */
const SPECIAL = /[\\*?/@;]/g;

/** A pattern for `--region` that selects this region or family; null for what is none. */
function patternOf(report, node) {
  if (node < 0 || report.isLeaf(node)) return null;
  const { tree } = report;
  if (!tree.isFamily(node)) return exactPattern(report, node);
  const members = tree.members(node);
  const pattern = joined(report, node, segmentsOf(report, node).map(({ text, isFamily }) => (isFamily ? text.split('*').map(escaped).join('*') : escaped(text))));
  const matchers = segmentsOf(report, node).map(matcher);
  const fits = (region) => {
    const path = report.path(region);
    return sameTree(report, region, node) && path.length === matchers.length && path.every((name, at) => matchers[at](name));
  };
  // A pattern with stars may select more than the members; then they are named one by one.
  const selected = Array.from({ length: tree.size }, (_, region) => region).filter(fits).length;
  return selected === members.length && matchers.length > 1
    ? pattern
    : members.map((member) => exactPattern(report, member)).join(';');
}

function sameTree({ table }, one, other) {
  return table.domain[one] === table.domain[other];
}

function exactPattern(report, region) {
  const path = report.path(region);
  const [name] = path;
  // One segment would select regions of that name at any depth; `name/**` begins at the root.
  const isOnly = (other) => {
    const around = report.path(other);
    return other === region || (around.at(-1) !== name && report.name(other) !== name);
  };
  const alone = path.length > 1 || Array.from({ length: report.size }, (_, other) => other).every(isOnly);
  // Wildcards cannot name what is empty.
  const isRegex = path.includes('') || report.page.text(report.table.domain[region]) === '';
  const segments = path.map(isRegex ? regexEscaped : escaped);
  return joined(report, region, alone ? segments : [...segments, '**'], isRegex);
}

/** Segments with the domain where there are others than the default one. */
function joined(report, node, segments, isRegex = false) {
  const domain = report.page.text(report.table.domain[node]);
  const domains = new Set(report.groups.map((group) => group.domain));
  const before = domains.size > 1 || domain !== DEFAULT_DOMAIN ? `${isRegex ? regexEscaped(domain) : escaped(domain)}@` : '';
  const text = before + segments.join('/');
  if (isRegex) return `regex:${text}`;
  return /^(regex|ncu):/.test(text) ? `\\${text}` : text;
}

/** The names from the root with whether each is the name of a family. */
function segmentsOf(report, node) {
  const segments = [];
  for (let at = node; at >= 0; at = report.table.parent[at]) {
    const isFamily = report.tree.isFamily(at);
    segments.unshift(...report.ownNames(at).map((text) => ({ text, isFamily })));
  }
  return segments;
}

function matcher({ text, isFamily }) {
  if (!isFamily) return (name) => name === text;
  const whole = new RegExp(`^${text.split('*').map(literal).join('.*')}$`, 's');
  return (name) => whole.test(name);
}

function literal(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/@;\-#&~]/g, '\\$&');
}

/** A name in a pattern. What would act on a terminal, and blanks at the ends, stand for themselves as any one character. */
function escaped(name) {
  return name.replace(SPECIAL, '\\$&').replace(ACTING, '?').replace(/^\s|\s$/g, '?');
}

function regexEscaped(name) {
  return name === '' ? '()' : literal(name).replace(ACTING, '(?s:.)').replace(/^\s|\s$/g, '(?s:.)');
}

/** A pattern for `--kernel` that takes this kernel alone. */
function kernelPattern(name) {
  const acts = name.search(ACTING) >= 0 || /^(glob|regex):/.test(name) || /^\s|\s$/.test(name);
  return acts ? `glob:${name.replace(/[\\*?]/g, '\\$&').replace(ACTING, '?').replace(/^\s|\s$/g, '?')}` : name;
}

/** A word for a POSIX shell. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The commands about a node, as they can be pasted into a shell. */
function commandsFor(page, report, node) {
  const { sources } = page.data;
  const { selection } = report.data;
  const names = sources.map((source) => quoted(source.file.search(ACTING) < 0 ? source.file : source.file.replace(ACTING, '?')));
  const files = names.length > 0 && names.join(' ').length <= LONGEST_FILES ? names.join(' ') : 'RUN_FOLDER';
  const region = patternOf(report, report.leaves.region(node));
  const kernel = report.isLeaf(node) ? page.text(page.data.kernels.names[report.leaves.kernelOf(node)][0]) : null;
  const given = [
    ...(region === null ? [] : [['--region', region]]),
    ...(kernel === null ? selection.kernel_include.map((one) => ['--kernel', one]) : [['--kernel', kernelPattern(kernel)]]),
    ...selection.kernel_exclude.map((one) => ['--exclude-kernel', one]),
    ...['function', 'mangled'].filter((base) => base === selection.kernel_name_base).map((base) => ['--kernel-name-base', base]),
    ...selection.normalisation.map((one) => ['--normalise', `${one.pattern}=>${one.replacement}`]),
  ];
  // What was selected with characters that act on a terminal cannot be pasted into one.
  const options = given.filter(([, value]) => value.search(ACTING) < 0).flat().map(quoted);
  const line = ({ words, behind, isOfOne }) =>
    `rangescope ${[words, isOfOne && names.length > 1 ? 'RUN_FOLDER' : files, ...options].join(' ')}${behind}`;
  return COMMANDS.map(line);
}

/** The button that copies the pattern of a region. */
function patternButton(report, node) {
  if (patternOf(report, node) === null) return null;
  return copyButton(() => patternOf(report, node), 'Copy pattern', {
    id: 'copy-pattern',
    title: `For --region: ${hint(patternOf(report, node))}`,
  });
}

/** The commands about what is selected, each with a button that copies it. */
function commandsPart(page, report, node) {
  return el(
    'section',
    { id: report.isLeaf(node) ? 'kernel-commands' : 'commands' },
    el('h3', { text: 'On the command line' }),
    el(
      'ul',
      { class: 'commands' },
      commandsFor(page, report, node).map((command) =>
        el(
          'li',
          {},
          el('code', { text: shorten(command, 2000), title: hint(command) }),
          copyButton(() => command, 'Copy', { 'aria-label': `Copy: ${shorten(command, 200)}` }),
        ),
      ),
    ),
  );
}
