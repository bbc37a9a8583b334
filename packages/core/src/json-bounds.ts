/** Bounds of a JSON text. */
export interface JsonBounds {
  /** The nesting depth of lists and objects. */
  readonly depthMax: number;
  /** All values, including lists and objects. */
  readonly valuesMax: number;
}

type ScannedText = Pick<string, 'length' | 'charCodeAt' | 'indexOf'>;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Returns the bound that a text exceeds, in one pass before parsing: the cost of parsing and validation grows with
 * values and depth. The text need not be valid.
 */
export function brokenBound(
  text: ScannedText,
  { depthMax, valuesMax }: JsonBounds,
): keyof JsonBounds | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = stringEnd(text, at + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        values++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case comma:
        values++;
        break;
    }
    if (depth > depthMax) return 'depthMax';
    if (values > valuesMax) return 'valuesMax';
  }
  return undefined;
}

/** The place of the quote that ends a string. Strings are most of a large text, so that they are searched natively. */
function stringEnd(text: ScannedText, from: number): number {
  for (let at = from; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (end - backslashes > from && text.charCodeAt(end - backslashes - 1) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
    at = end + 1;
  }
}
