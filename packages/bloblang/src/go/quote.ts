import { fail } from '../values/mapping-error.ts';

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};

const escapePattern =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([abfnrtv\\"]))/y;

/** The text between double quotes with its escapes resolved; `undefined` if Go would refuse it. */
export function unescapeGo(inner: string): string | undefined {
  if (!inner.includes('\\')) return /[\n"]/.test(inner) ? undefined : inner;
  const parts: Buffer[] = [];
  let at = 0;
  while (at < inner.length) {
    const slash = inner.indexOf('\\', at);
    const plain = inner.slice(at, slash < 0 ? inner.length : slash);
    if (/[\n"]/.test(plain)) return undefined;
    parts.push(Buffer.from(plain, 'utf8'));
    if (slash < 0) break;
    escapePattern.lastIndex = slash;
    const found = escapePattern.exec(inner);
    if (!found) return undefined;
    const [, hex, short, long, octal, letter] = found;
    if (letter !== undefined) parts.push(Buffer.from(escapes[letter]!));
    else if (hex !== undefined) parts.push(Buffer.from([Number.parseInt(hex, 16)]));
    else if (octal !== undefined) {
      const byte = Number.parseInt(octal, 8);
      if (byte > 255) return undefined;
      parts.push(Buffer.from([byte]));
    } else {
      const code = Number.parseInt((short ?? long)!, 16);
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
      parts.push(Buffer.from(String.fromCodePoint(code), 'utf8'));
    }
    at = escapePattern.lastIndex;
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Go's `strconv.Unquote`: double quotes, back quotes, or one character in single quotes. */
export function unquote(text: string): string {
  const invalid = (): never => fail('invalid syntax');
  const mark = text[0];
  if (text.length < 2 || mark !== text.at(-1)) return invalid();
  const inner = text.slice(1, -1);
  if (mark === '`') return inner.includes('`') ? invalid() : inner.replaceAll('\r', '');
  if (mark === '"') return unescapeGo(inner) ?? invalid();
  if (mark !== "'") return invalid();
  const one = unescapeGo(inner.replaceAll("\\'", "'"));
  return one !== undefined && [...one].length === 1 ? one : invalid();
}

const isPrintable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Go's `strconv.Quote`. */
export function quote(text: string): string {
  let quoted = '"';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (character === '"' || character === '\\') quoted += `\\${character}`;
    else if (isPrintable.test(character)) quoted += character;
    else {
      const letter = Object.entries(escapes).find(([, escaped]) => escaped === character)?.[0];
      if (letter !== undefined) quoted += `\\${letter}`;
      else if (code < 0x20 || code === 0x7f) quoted += `\\x${code.toString(16).padStart(2, '0')}`;
      else if (code > 0xffff) quoted += `\\U${code.toString(16).padStart(8, '0')}`;
      else quoted += `\\u${code.toString(16).padStart(4, '0')}`;
    }
  }
  return `${quoted}"`;
}
