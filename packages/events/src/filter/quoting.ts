import { words } from './tree.ts';

/** Quoting and unquoting of texts and names of fields. Backslashes work as in JSON in all three kinds of quotes. */

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

interface Unquoted {
  readonly text: string;
  /** Unknown escapes, as ranges within the quoted text. */
  readonly unknownEscapes: readonly { readonly from: number; readonly to: number }[];
}

/** Returns the text between a pair of quotes. */
export function unquote(quoted: string): Unquoted {
  const unknownEscapes: { from: number; to: number }[] = [];
  const inside = quoted.slice(1, -1);
  const text = inside.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (whole, hex, character, offset: number) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex as string, 16));
    const meant = Object.hasOwn(escapes, character as string) ? escapes[character as string] : undefined;
    if (meant !== undefined) return meant;
    unknownEscapes.push({ from: offset + 1, to: offset + 1 + whole.length });
    return whole;
  });
  return { text, unknownEscapes };
}

/** Quotes as JSON does, and also escapes invisible characters. */
export function quoteText(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u00a0\u2028\u2029\ufeff]/g, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const plainName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const reserved: ReadonlySet<string> = new Set(words);

/** Prints the keys of a field, in backticks where needed. */
export function printPath(path: readonly string[]): string {
  return path
    .map((key, index) => {
      const isPlain = plainName.test(key) && (index > 0 || !reserved.has(key));
      return isPlain ? key : quoteName(key);
    })
    .join('.');
}

/** Puts a key in backticks. */
export function quoteName(key: string): string {
  return `\`${quoteText(key).slice(1, -1).replaceAll('`', '\\`')}\``;
}
