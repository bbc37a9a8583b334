import { words } from './tree.ts';

/** Quoted texts and names of fields, both ways. Backslashes mean in all three kinds of quotes what they mean in JSON. */

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
  /** Escapes that do not exist, as places within the quoted text. */
  readonly unknownEscapes: readonly { readonly from: number; readonly to: number }[];
}

/** The text between a pair of quotes. */
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

/** As JSON writes it, and with the characters escaped that cannot be seen. */
export function quoteText(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u00a0\u2028\u2029\ufeff]/g, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const plainName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const reserved: ReadonlySet<string> = new Set(words);

/** The keys of a field as they are written, in backticks where they need them. */
export function printPath(path: readonly string[]): string {
  return path
    .map((key, index) => {
      const isPlain = plainName.test(key) && (index > 0 || !reserved.has(key));
      return isPlain ? key : quoteName(key);
    })
    .join('.');
}

/** A key in backticks. */
export function quoteName(key: string): string {
  return `\`${quoteText(key).slice(1, -1).replaceAll('`', '\\`')}\``;
}
