/** Bounds of a JSON text. */
export interface JsonBounds {
  /** The nesting depth of lists and objects. */
  readonly depthMax: number;
  /** All values, including lists and objects. */
  readonly valuesMax: number;
}

type ScannedText = Pick<string, 'length' | 'charCodeAt' | 'indexOf'>;

const backslash = 0x5c;
const opening = 1;
const closing = 2;
const separating = 3;
const quoting = 4;

/** What a character outside of strings does, by its code; the others, such as white space and digits, do nothing. */
const kinds = new Uint8Array(128);
for (const [characters, kind] of [
  ['[{', opening],
  [']}', closing],
  [',', separating],
  ['"', quoting],
] as const)
  for (const character of characters) kinds[character.charCodeAt(0)] = kind;

/** A hop to the next quote of a string takes about as long as so many characters outside of strings. */
const hopSteps = 16;

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
        at = this.#hop(this.#stringFrom, at);
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

  /**
   * Returns the place behind the next quote, which ends the string unless it is escaped. Strings are most of a large
   * text, so that they are searched natively.
   */
  #hop(from: number, at: number): number {
    const quote = this.#text.indexOf('"', at);
    if (quote < 0) return this.#text.length;
    let backslashes = 0;
    while (quote - backslashes > from && this.#text.charCodeAt(quote - backslashes - 1) === backslash)
      backslashes++;
    if (backslashes % 2 === 0) this.#stringFrom = undefined;
    return quote + 1;
  }
}

/** Returns the bound that a text exceeds, in one go. */
export function brokenBound(text: ScannedText, bounds: JsonBounds): keyof JsonBounds | undefined {
  const scan = new JsonScan(text, bounds);
  scan.advance();
  return scan.broken;
}
