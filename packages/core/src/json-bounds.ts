/** Bounds of a JSON text. */
export interface JsonBounds {
  /** The nesting depth of lists and objects. */
  readonly depthMax: number;
  /** All values, including lists and objects. */
  readonly valuesMax: number;
}

type ScannedText = Pick<string, 'length' | 'charCodeAt' | 'indexOf'>;

const backslash = 0x5c;
export const opening = 1;
export const closing = 2;
const separating = 3;
export const quoting = 4;

/** What a character outside of strings does, by its code; the others, such as white space and digits, do nothing. */
export const kinds: Readonly<Uint8Array> = kindsByCode();

function kindsByCode(): Uint8Array {
  const byCode = new Uint8Array(128);
  for (const [characters, kind] of [
    ['[{', opening],
    [']}', closing],
    [',', separating],
    ['"', quoting],
  ] as const)
    for (const character of characters) byCode[character.charCodeAt(0)] = kind;
  return byCode;
}

/** A hop to the next quote of a string takes about as long as so many characters outside of strings. */
export const hopSteps = 16;

/**
 * Looks for the bound that a text exceeds, before it is parsed: the cost of parsing and validation grows with values
 * and depth. The text need not be valid. A text can be made so that the search takes longer than the parser, so that it
 * can be done in parts, with other work in between.
 */
export class JsonScan {
  readonly #text: ScannedText;
  readonly #bounds: JsonBounds;
  #at = 0;
  #depth = 0;
  #values = 1;
  /** Where the string begins that the search is in. */
  #stringFrom: number | undefined;
  /** The bound that the part up to here exceeds. */
  broken: keyof JsonBounds | undefined;

  constructor(text: ScannedText, bounds: JsonBounds) {
    this.#text = text;
    this.#bounds = bounds;
  }

  /** Continues for about so many characters. Returns whether it is done. */
  advance(steps = Number.POSITIVE_INFINITY): boolean {
    const text = this.#text;
    const { length } = text;
    const { depthMax, valuesMax } = this.#bounds;
    // Fields would be read and written for each character.
    let at = this.#at;
    let depth = this.#depth;
    let values = this.#values;
    let left = steps;
    while (at < length && left > 0) {
      if (this.#stringFrom !== undefined) {
        const { to, isOver } = hopInString(text, this.#stringFrom, at);
        if (isOver) this.#stringFrom = undefined;
        at = to;
        left -= hopSteps;
        continue;
      }
      const from = at;
      const end = Math.min(length, at + left);
      scanning: while (at < end) {
        const code = text.charCodeAt(at++);
        if (code > 127 || kinds[code] === 0) continue;
        switch (kinds[code]) {
          case quoting:
            this.#stringFrom = at;
            break scanning;
          case opening:
            values++;
            depth++;
            break;
          case closing:
            depth--;
            break;
          case separating:
            values++;
            break;
        }
        if (depth > depthMax) this.broken = 'depthMax';
        else if (values > valuesMax) this.broken = 'valuesMax';
        if (this.broken !== undefined) return true;
      }
      left -= at - from;
    }
    this.#at = at;
    this.#depth = depth;
    this.#values = values;
    return at >= length;
  }
}

/**
 * Returns the place behind the next quote of a string, and whether the string ends there: unless the quote is escaped.
 * Strings are most of a large text, so that they are searched natively.
 */
export function hopInString(text: ScannedText, from: number, at: number): { to: number; isOver: boolean } {
  const quote = text.indexOf('"', at);
  if (quote < 0) return { to: text.length, isOver: false };
  let backslashes = 0;
  while (quote - backslashes > from && text.charCodeAt(quote - backslashes - 1) === backslash) backslashes++;
  return { to: quote + 1, isOver: backslashes % 2 === 0 };
}

/** Returns the bound that a text exceeds, in one go. */
export function brokenBound(text: ScannedText, bounds: JsonBounds): keyof JsonBounds | undefined {
  const scan = new JsonScan(text, bounds);
  scan.advance();
  return scan.broken;
}
