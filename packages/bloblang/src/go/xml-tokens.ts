/** What an XML text consists of. Comments, directives and processing instructions are left out. */
export type XmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'start';
      readonly name: XmlName;
      readonly attributes: readonly (readonly [name: string, value: string])[];
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'end'; readonly name: XmlName };

export interface XmlName {
  readonly prefix: string;
  readonly local: string;
}

/** A token is not complete; it is if more of the text follows. */
class Incomplete extends Error {}

const predefined: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

const nameBytes = /[A-Za-z0-9_:.\-\u0080-\uffff]*/y;
/** Letters of all languages; not digits, hyphens and dots. */
const nameStart = /^[\p{L}\p{Nl}_:]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML must not have
const illegal = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const spaces = /[ \r\n\t]*/y;
const bareValue = /[A-Za-z0-9_:-]*/y;
const reference = /&(?:#(x[0-9a-fA-F]+|\d+)|([A-Za-z_:\u0080-\uffff][A-Za-z0-9_:.\-\u0080-\uffff]*));/g;

/**
 * Reads tokens as the decoder of Go does when it is not strict: references to unknown entities stay as they are,
 * attributes need no quotes and no values. The text may come in parts.
 */
export class XmlTokens {
  #text = '';
  #at = 0;
  #isEnd = false;
  /** A token that is not complete is read again when there is twice as much of it, so that the cost stays linear. */
  #enough = 0;

  add(text: string): void {
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
  }

  end(): void {
    this.#isEnd = true;
    this.#enough = 0;
  }

  /** Characters that are not part of a token yet. */
  get waiting(): number {
    return this.#text.length - this.#at;
  }

  /** `undefined` if there is no complete token. */
  next(): XmlToken | undefined {
    if (this.waiting < this.#enough) return undefined;
    for (;;) {
      const from = this.#at;
      if (from >= this.#text.length) return undefined;
      try {
        const token = this.#text[from] === '<' ? this.#markup() : this.#characters();
        this.#enough = 0;
        if (token !== undefined) return token;
      } catch (error) {
        if (!(error instanceof Incomplete)) throw error;
        if (this.#isEnd) throw new Error('unexpected end of XML');
        this.#at = from;
        this.#enough = (this.#text.length - from) * 2;
        return undefined;
      }
    }
  }

  #characters(): XmlToken | undefined {
    const end = this.#text.indexOf('<', this.#at);
    if (end < 0 && !this.#isEnd) throw new Incomplete();
    const raw = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at += raw.length;
    if (raw.includes(']]>')) throw new Error('unescaped ]]> not in CDATA section');
    return { kind: 'text', text: resolved(raw) };
  }

  #markup(): XmlToken | undefined {
    const kind = this.#text[this.#at + 1];
    if (kind === undefined) throw new Incomplete();
    if (kind === '/') return this.#endTag();
    if (kind === '?') return this.#instruction();
    if (kind === '!') return this.#declaration();
    this.#at++;
    return this.#startTag();
  }

  #endTag(): XmlToken {
    this.#at += 2;
    const name = this.#name('an element name after </');
    this.#skipSpaces();
    if (this.#peek() !== '>') throw new Error(`invalid characters between </${name} and >`);
    this.#at++;
    return { kind: 'end', name: splitName(name) };
  }

  #instruction(): undefined {
    const end = this.#indexOf('?>', this.#at + 2);
    const content = this.#text.slice(this.#at + 2, end);
    const [, version] = /^xml\s.*?version\s*=\s*['"]([^'"]*)['"]/s.exec(content) ?? [];
    if (version !== undefined && version !== '1.0') throw new Error('unsupported version of XML; use 1.0');
    this.#at = end + 2;
    return undefined;
  }

  #declaration(): XmlToken | undefined {
    const head = this.#text.slice(this.#at, this.#at + 9);
    if (head.startsWith('<!--')) {
      const end = this.#indexOf('--', this.#at + 4);
      if (this.#text.length <= end + 2) throw new Incomplete();
      if (this.#text[end + 2] !== '>') throw new Error('invalid sequence "--" not allowed in comments');
      this.#at = end + 3;
      return undefined;
    }
    if (head === '<![CDATA[') {
      const end = this.#indexOf(']]>', this.#at + 9);
      const text = this.#text.slice(this.#at + 9, end);
      this.#at = end + 3;
      return { kind: 'text', text: checked(text.replaceAll(/\r\n?/g, '\n')) };
    }
    if (head.length < 9 && ('<!--'.startsWith(head) || '<![CDATA['.startsWith(head))) throw new Incomplete();
    if (head.startsWith('<![')) throw new Error('invalid <![ sequence');
    this.#skipDirective();
    return undefined;
  }

  /** A directive ends with the `>` that is in no quotes and closes no `<` within it. */
  #skipDirective(): void {
    let depth = 0;
    let quote = '';
    for (let at = this.#at + 2; at < this.#text.length; at++) {
      const char = this.#text[at]!;
      if (quote !== '') {
        if (char === quote) quote = '';
      } else if (char === '"' || char === "'") quote = char;
      else if (char === '<') depth++;
      else if (char === '>' && depth-- === 0) {
        this.#at = at + 1;
        return;
      }
    }
    throw new Incomplete();
  }

  #startTag(): XmlToken {
    const name = this.#name('an element name after <');
    const attributes: [string, string][] = [];
    for (;;) {
      this.#skipSpaces();
      const next = this.#peek();
      if (next === '>' || next === '/') {
        this.#at++;
        if (next === '/' && this.#peek() !== '>') throw new Error('expected /> in element');
        if (next === '/') this.#at++;
        return { kind: 'start', name: splitName(name), attributes, isEmpty: next === '/' };
      }
      const { local } = splitName(this.#name('an attribute name in element'));
      this.#skipSpaces();
      attributes.push([local, this.#peek() === '=' ? this.#attributeValue() : local]);
    }
  }

  #attributeValue(): string {
    this.#at++;
    this.#skipSpaces();
    const quote = this.#peek();
    if (quote !== '"' && quote !== "'") return this.#match(bareValue);
    const end = this.#indexOf(quote, this.#at + 1);
    const raw = this.#text.slice(this.#at + 1, end);
    if (raw.includes('<')) throw new Error('unescaped < inside quoted string');
    this.#at = end + 1;
    return resolved(raw);
  }

  #name(what: string): string {
    const name = this.#match(nameBytes);
    if (name === '') throw new Error(`expected ${what}`);
    if (!nameStart.test(name)) throw new Error(`invalid XML name ${name.slice(0, 100)}`);
    return name;
  }

  #peek(): string {
    const char = this.#text[this.#at];
    if (char === undefined) throw new Incomplete();
    return char;
  }

  #skipSpaces(): void {
    this.#match(spaces);
  }

  /** What a pattern finds here; it may go on behind the end of the text. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text)!;
    this.#at += found.length;
    if (this.#at >= this.#text.length) throw new Incomplete();
    return found;
  }

  #indexOf(sought: string, from: number): number {
    const found = this.#text.indexOf(sought, from);
    if (found < 0) throw new Incomplete();
    return found;
  }
}

function splitName(name: string): XmlName {
  const parts = name.split(':', 3);
  if (parts.length === 3) throw new Error(`invalid XML name ${name.slice(0, 100)}`);
  const [prefix, local] = parts;
  return local === undefined || local === '' || prefix === ''
    ? { prefix: '', local: name }
    : { prefix: prefix!, local };
}

/** A text with its references replaced; those to entities that XML does not define stay. */
function resolved(raw: string): string {
  const lines = raw.includes('\r') ? raw.replaceAll(/\r\n?/g, '\n') : raw;
  if (!lines.includes('&')) return checked(lines);
  return checked(
    lines.replaceAll(reference, (whole, code: string | undefined, name: string | undefined) => {
      if (code === undefined) return Object.hasOwn(predefined, name!) ? predefined[name!]! : whole;
      const point = code.startsWith('x') ? Number.parseInt(code.slice(1), 16) : Number(code);
      if (!(point <= 0x10ffff)) return whole;
      return point >= 0xd800 && point <= 0xdfff ? '\ufffd' : String.fromCodePoint(point);
    }),
  );
}

function checked(text: string): string {
  const found = illegal.exec(text);
  if (found !== null)
    throw new Error(`illegal character code U+${found[0].charCodeAt(0).toString(16).padStart(4, '0')}`);
  return text;
}
