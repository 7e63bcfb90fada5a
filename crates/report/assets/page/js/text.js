// Names of other people's making, fit to be shown.
//
// Region and kernel names may hold anything: line breaks, text that runs backwards, a hundred thousand characters.
// Everything that is shown goes through `visible`; what has to fit goes through `shorten`.
// Short names of kernels come with the data.

// `ACTING`, the characters that do something to the text around them, comes with the script.
const SHORT_ESCAPES = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The longest text that is put into the page at once; the whole of a longer one can be copied. */
const LONGEST_SHOWN = 20000;

/** The text with everything written out that would act instead of being seen. */
function visible(text) {
  if (text === '') return '(empty name)';
  return text.replace(ACTING, (one) => SHORT_ESCAPES[one] ?? `\\u{${one.codePointAt(0).toString(16)}}`);
}

/** The text cut in the middle; both ends stay because paths and shapes differ there. */
function shorten(text, limit) {
  if (text.length <= limit) return text;
  const tail = Math.floor((limit - 1) / 2);
  return wholeCharacters(`${text.slice(0, limit - 1 - tail)}…${text.slice(text.length - tail)}`);
}

/** Halves of characters that a cut has left. */
function wholeCharacters(text) {
  return text.isWellFormed?.() === false ? text.toWellFormed().replaceAll('\ufffd', '') : text;
}

/** A text for a tooltip. */
function hint(text) {
  return shorten(visible(shorten(text, 4000)), 1500);
}
