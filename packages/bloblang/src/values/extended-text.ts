import { checkSize } from './check-size.ts';
import { printMessage } from './print-json.ts';
import { isObject, type Value, type ValueObject } from './value.ts';

/** With more new fields than these, printing the whole document takes little longer. */
const addedMax = 16;

const [tab, lineFeed, carriageReturn, space] = [0x09, 0x0a, 0x0d, 0x20];
const [quote, colon, backslash, openBrace, closeBrace] = [0x22, 0x3a, 0x5c, 0x7b, 0x7d];

/** The text of an object that is another with more fields: the bytes of that one, with these before its last brace. */
export class ExtendedText {
  readonly byteLength: number;
  /** Whether the object is the same after it was printed and parsed. */
  readonly isPlain: boolean;
  readonly #source: Buffer;
  /** Each with a comma in front. */
  readonly #added: string;

  constructor(source: Buffer, added: string, isPlain: boolean) {
    this.byteLength = source.length + Buffer.byteLength(added);
    this.isPlain = isPlain;
    this.#source = source;
    this.#added = added;
  }

  /** Writes it where the caller has reserved `byteLength` bytes. */
  writeTo(target: Buffer, at: number): void {
    target.set(this.#source, at);
    const end = at + this.#source.length - 1;
    target[end + target.write(this.#added, end)] = closeBrace;
  }

  toBuffer(): Buffer {
    const bytes = Buffer.allocUnsafe(this.byteLength);
    this.writeTo(bytes, 0);
    return bytes;
  }
}

/** A document and the bytes that it was parsed of, or printed as. */
interface Source {
  readonly value?: Value | undefined;
  /** In UTF-8. Absent if there are none, or not these. */
  readonly source?: Buffer | undefined;
}

/**
 * The text of `after` if it is the document of `message` with more fields, and the text of that one is compact: what a
 * mapping takes over is then neither checked nor printed again. Throws a `LimitError` for fields that are too large.
 */
export function extendedText(message: Source, after: Value): ExtendedText | undefined {
  const before = message.value;
  if (before === undefined || before === after || !isObject(before) || !isObject(after)) return undefined;
  const names = addedNames(before, after);
  if (names === undefined) return undefined;
  // Asked for as late as possible: it may have to be put together.
  const { source } = message;
  if (source === undefined || !isCompact(source)) return undefined;
  let isPlain = true;
  let added = '';
  for (const name of names) {
    const value = after[name]!;
    isPlain = checkSize(value) && isPlain;
    const printed = printedOrNothing(value);
    if (printed === undefined) return undefined;
    added += startOf(name) + printed;
  }
  return new ExtendedText(source, added, isPlain);
}

/** Nothing if there are other differences. What a mapping takes over are the same objects, which never change. */
function addedNames(before: ValueObject, after: ValueObject): readonly string[] | undefined {
  for (const name in before) if (!Object.is(before[name], after[name])) return undefined;
  const added: string[] = [];
  for (const name in after) {
    if (Object.hasOwn(before, name)) continue;
    if (added.length >= addedMax) return undefined;
    added.push(name);
  }
  return added;
}

/**
 * Whether bytes are those of an object with no more white space than is needed; the first field stands for all. A text
 * of several lines must not become a message of several lines.
 */
function isCompact(source: Buffer): boolean {
  if (source[0] !== openBrace || source[1] !== quote || source[source.length - 1] !== closeBrace)
    return false;
  let at = 2;
  while (source[at] !== quote) if (source[at++] === backslash) return false;
  if (source[at + 1] !== colon || source[at + 2] === space) return false;
  return !source.includes(lineFeed) && !source.includes(carriageReturn) && !source.includes(tab);
}

/** A comma, the name and a colon. Mappings add the same fields to all messages. */
const starts = new Map<string, string>();
const startsMax = 1_000;

function startOf(name: string): string {
  let start = starts.get(name);
  if (start === undefined) {
    start = `,${JSON.stringify(name)}:`;
    if (starts.size >= startsMax) starts.clear();
    if (name.length <= startsMax) starts.set(name, start);
  }
  return start;
}

/** Nothing for what JSON does not have, such as numbers that are not finite. */
function printedOrNothing(value: Value): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  try {
    return printMessage(value);
  } catch {
    return undefined;
  }
}
