/** A record, or what is wrong with it, and where the next one begins. */
interface RecordAt {
  readonly fields: readonly string[];
  readonly next: number;
  readonly problem?: string;
}

/**
 * Reads one record as Go's reader does. `undefined` if the text ends before the record does and more may come.
 * Empty lines are no records.
 */
export function recordAt(
  text: string,
  start: number,
  options: { readonly delimiter: string; readonly isLazy: boolean; readonly isEnd: boolean },
): RecordAt | undefined {
  const { delimiter, isLazy, isEnd } = options;
  const fields: string[] = [];
  let problem: string | undefined;
  let at = start;
  for (;;) {
    if (text[at] === '"') {
      const quoted = quotedField(text, at + 1, delimiter, isLazy, isEnd);
      if (quoted === undefined) return undefined;
      fields.push(quoted.field);
      problem ??= quoted.problem;
      at = quoted.end;
    } else {
      const end = endOfField(text, at, delimiter);
      if (end === text.length && !isEnd) return undefined;
      // A carriage return belongs to the line break, also at the end of all.
      const isLast = text[end] !== delimiter;
      const field = text.slice(at, isLast && text[end - 1] === '\r' ? end - 1 : end);
      if (!isLazy && field.includes('"')) problem ??= 'a quote in a field that is not quoted';
      fields.push(field);
      at = end;
    }
    if (text[at] !== delimiter) break;
    at++;
  }
  const next = Math.min(text.length, at + 1);
  return problem === undefined ? { fields, next } : { fields, next, problem };
}

function endOfField(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at++) if (text[at] === delimiter || text[at] === '\n') return at;
  return text.length;
}

interface QuotedField {
  readonly field: string;
  /** Where the delimiter or the line break is. */
  readonly end: number;
  readonly problem?: string;
}

function quotedField(
  text: string,
  from: number,
  delimiter: string,
  isLazy: boolean,
  isEnd: boolean,
): QuotedField | undefined {
  let field = '';
  let at = from;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) {
      if (!isEnd) return undefined;
      const rest = field + text.slice(at);
      return isLazy
        ? { field: rest, end: text.length }
        : { field: rest, end: text.length, problem: 'a quoted field that does not end' };
    }
    field += text.slice(at, quote);
    // What follows decides, and may not be there yet.
    if (quote + 2 >= text.length && !isEnd) return undefined;
    const after = text[quote + 1];
    if (after === '"') {
      field += '"';
      at = quote + 2;
    } else if (after === undefined || after === delimiter || after === '\n') return { field, end: quote + 1 };
    else if (after === '\r' && (text[quote + 2] === '\n' || text[quote + 2] === undefined))
      return { field, end: quote + 2 };
    else if (isLazy) {
      field += '"';
      at = quote + 1;
    } else {
      const end = endOfField(text, quote + 1, '\n');
      if (end === text.length && !isEnd) return undefined;
      return { field, end, problem: 'a quote within a quoted field' };
    }
  }
}
