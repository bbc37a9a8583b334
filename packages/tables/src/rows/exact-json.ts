/**
 * JSON documents whose numbers keep all digits where columns need them. `JSON.parse` rounds what a double cannot hold,
 * and a reviver that sees the text of every number makes it ten times slower. So a number with so many digits is kept
 * as a text with a mark in front, and only if its field is a column that has to be exact.
 */
import type { Type } from '@weir/iceberg';
import type { Column } from '../schemas/columns.ts';

/** The marks in front of a number as text, and of a text that begins with the same character. */
const numberMark = '\u0000n';
const textMark = '\u0000t';
const nulEscape = '\\u0000';

/** With fewer digits, the shortest text of a double is the number as it was written. */
const exactDigitsMax = 15;
/** Looking at every so manieth character cannot miss a run of more than `exactDigitsMax`. */
const stride = exactDigitsMax + 1;
/** So small an exponent may make a number 0. */
const smallExponent = /[eE]-\d{3}/;

/** Which numbers have to be exact. */
interface ExactFields {
  /** Fields by their names at any level; `any` if names are not known before, as in maps. */
  readonly names: ReadonlySet<string> | 'any';
  /** Whether those in lists have to be, which have no name. */
  readonly hasElements: boolean;
  /** Whether a number that a double takes for 0 has to be noticed. */
  readonly hasDecimals: boolean;
}

/** A parser of documents for some columns. It throws a `SyntaxError`. */
export function exactJsonParser(columns: readonly Column[]): (text: string) => unknown {
  const fields = exactFieldsOf(columns);
  const { hasDecimals } = fields;
  const needsNone = fields.names !== 'any' && fields.names.size === 0 && !fields.hasElements;
  return (text) => {
    // A document with such a character of its own could look as if it was marked.
    if (text.includes(nulEscape) || (hasDecimals && smallExponent.test(text)))
      return JSON.parse(text, marked);
    if (needsNone) return JSON.parse(text);
    const quoted = withLongNumbersQuoted(text, fields);
    if (quoted === text) return JSON.parse(text);
    try {
      return JSON.parse(quoted);
    } catch {
      // Either it is no JSON, or digits within a text looked like a number.
      return JSON.parse(text, marked);
    }
  };
}

function exactFieldsOf(columns: readonly Column[]): ExactFields {
  const names = new Set<string>();
  let isAny = false;
  let hasElements = false;
  let hasDecimals = false;
  const visit = (type: Type, name: string | undefined): void => {
    switch (type.kind) {
      case 'struct':
        for (const column of type.columns) visit(column.type, column.name);
        return;
      case 'list':
        visit(type.element, undefined);
        return;
      case 'map':
        isAny = true;
        visit(type.value, undefined);
        return;
      case 'float':
      case 'double':
      case 'boolean':
        return;
      default:
        hasDecimals ||= type.kind === 'decimal';
        if (name === undefined) hasElements = true;
        else names.add(name);
    }
  };
  for (const { type, name } of columns) visit(type, name);
  return { names: isAny ? 'any' : names, hasElements, hasDecimals };
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

/** Digits before the exponent. */
function digitsOf(number: string): number {
  let count = 0;
  for (let at = 0; at < number.length; at++) {
    const code = number.charCodeAt(at);
    if (code === 0x65 || code === 0x45) break;
    if (isDigit(code)) count++;
  }
  return count;
}

/** Puts long numbers into quotes, each with a mark. */
function withLongNumbersQuoted(text: string, fields: ExactFields): string {
  let quoted = '';
  let from = 0;
  for (let at = exactDigitsMax; at < text.length; at += stride) {
    if (!isInNumber(text.charCodeAt(at))) continue;
    let start = at;
    while (start > from && isInNumber(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && isInNumber(text.charCodeAt(end))) end++;
    if (end - start > exactDigitsMax && hasToBeExact(text, start, fields)) {
      if (text.charCodeAt(start - 1) === minus) start--;
      end = exponentEnd(text, end);
      quoted += `${text.slice(from, start)}"${nulEscape}n${text.slice(start, end)}"`;
      from = end;
    }
    at = Math.max(at, end - 1);
  }
  return from === 0 ? text : quoted + text.slice(from);
}

const minus = 0x2d;
const quote = 0x22;

/** Looks at what stands before a run of digits: the name of a field, the begin of a list, or anything else. */
function hasToBeExact(text: string, start: number, fields: ExactFields): boolean {
  let at = start - 1;
  if (text.charCodeAt(at) === minus) at--;
  while (at >= 0 && text.charCodeAt(at) <= 0x20) at--;
  switch (text[at]) {
    case ':':
      return fields.names === 'any' || isExactName(text, at - 1, fields.names);
    case ',':
    case '[':
      return fields.hasElements;
    default:
      // Most are texts: ids and times in quotes.
      return false;
  }
}

/** Whether the name before a place is one that has to be exact. One with escapes could be any. */
function isExactName(text: string, before: number, names: ReadonlySet<string>): boolean {
  let end = before;
  while (end >= 0 && text.charCodeAt(end) <= 0x20) end--;
  if (text.charCodeAt(end) !== quote) return false;
  const start = text.lastIndexOf('"', end - 1) + 1;
  const name = text.slice(start, end);
  return names.has(name) || name.includes('\\') || text.charCodeAt(start - 2) === 0x5c;
}

function exponentEnd(text: string, start: number): number {
  const sign = text.charCodeAt(start);
  if (sign !== 0x65 && sign !== 0x45) return start;
  let end = start + 1;
  if (text.charCodeAt(end) === minus || text.charCodeAt(end) === 0x2b) end++;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isInNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e;
}
