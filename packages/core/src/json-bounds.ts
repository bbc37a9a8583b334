/** Bounds of a JSON text. */
export interface JsonBounds {
  /** The nesting depth of lists and objects. */
  readonly depthMax: number;
  /** All values, including lists and objects. */
  readonly valuesMax: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Returns the bound that a text exceeds, in one pass before parsing: the cost of parsing and validation grows with
 * values and depth. The text need not be valid.
 */
export function brokenBound(
  text: Pick<string, 'length' | 'charCodeAt'>,
  { depthMax, valuesMax }: JsonBounds,
): keyof JsonBounds | undefined {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === backslash) at++;
      else if (code === quote) isInString = false;
      continue;
    }
    switch (code) {
      case quote:
        isInString = true;
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
