/**
 * JSON documents whose numbers keep all digits. `JSON.parse` rounds what a double cannot hold, and a reviver that sees
 * the text of every number makes it ten times slower. So only numbers with so many digits are kept as texts with a mark
 * in front, and only in documents that have some.
 */

/** The mark in front of a number as text. A document with such a character of its own is read by a reviver. */
const numberMark = '\u0000n';
const textMark = '\u0000t';
const nulEscape = '\\u0000';

/** With fewer digits, the shortest text of a double is the number as it was written. */
const exactDigitsMax = 15;
/** Looking at every so manieth character cannot miss a run of more than `exactDigitsMax`. */
const stride = exactDigitsMax + 1;
/** So small an exponent may make a number 0. */
const smallExponent = /[eE]-\d{3}/;

interface ExactJsonOptions {
  /** Whether a number that a double takes for 0 has to be noticed. */
  readonly keepsSmall: boolean;
}

/** Parses a document. Throws a `SyntaxError`. */
export function parseExactJson(text: string, { keepsSmall }: ExactJsonOptions): unknown {
  if (text.includes(nulEscape) || (keepsSmall && smallExponent.test(text))) return JSON.parse(text, marked);
  if (!mayHaveLongNumbers(text)) return JSON.parse(text);
  const quoted = withLongNumbersQuoted(text);
  if (quoted === text) return JSON.parse(text);
  try {
    return JSON.parse(quoted);
  } catch {
    // Either it is no JSON, or digits within a text looked like a number.
    return JSON.parse(text, marked);
  }
}

/** The text of a number that was kept exactly; `undefined` for any other value. */
export function exactNumberText(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(numberMark) ? value.slice(2) : undefined;
}

/** Whether a text begins as marked ones do. */
export function isMarked(text: string): boolean {
  return text.charCodeAt(0) === 0;
}

/** A text as it was in the document; `undefined` if it stands for a number. */
export function unmarkedText(text: string): string | undefined {
  return text.startsWith(numberMark) ? undefined : text.startsWith(textMark) ? text.slice(2) : text;
}

function marked(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value === 'string') return isMarked(value) ? textMark + value : value;
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const { source } = context;
  return digitsOf(source) > exactDigitsMax || smallExponent.test(source) ? numberMark + source : value;
}

/** Significant digits, or more if it has zeros at its ends. */
function digitsOf(number: string): number {
  let count = 0;
  for (let at = 0; at < number.length; at++) {
    const code = number.charCodeAt(at);
    if (code === 0x65 || code === 0x45) break;
    if (isDigit(code)) count++;
  }
  return count;
}

function mayHaveLongNumbers(text: string): boolean {
  for (let at = exactDigitsMax; at < text.length; at += stride) {
    if (!isInNumber(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isInNumber(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && isInNumber(text.charCodeAt(end))) end++;
    if (end - start > exactDigitsMax && mayBeNumber(text, start)) return true;
    at = Math.max(at, end - 1);
  }
  return false;
}

/** A text after a quote is none, which most long runs of digits are: ids and times. */
function mayBeNumber(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  // Start of the text, `:`, `,`, `[`, `-`, or a space.
  return (
    Number.isNaN(before) ||
    before === 0x3a ||
    before === 0x2c ||
    before === 0x5b ||
    before === 0x2d ||
    before <= 0x20
  );
}

const longNumber = /(?<=^|[:,[\s])-?\d[\d.]{15,}(?:[eE][+-]?\d+)?/g;

function withLongNumbersQuoted(text: string): string {
  return text.replace(longNumber, (number) =>
    digitsOf(number) > exactDigitsMax ? `"${nulEscape}n${number}"` : number,
  );
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isInNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e;
}
