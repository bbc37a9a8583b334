/** What a JSON text may be made of. */
export interface JsonBounds {
  /** Lists and objects within each other. */
  readonly depthMax: number;
  /** Values in all, lists and objects among them. */
  readonly valuesMax: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Which bound a text breaks, found in one pass and before anything is made of it: parsing, and every check of what was
 * parsed, cost as much as a text has values and levels. The text need not be valid.
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
