import { bloblangLimits } from '../limits.ts';
import { setField } from '../values/path.ts';
import { Float, type Value, type ValueObject } from '../values/value.ts';
import { type XmlName, type XmlToken, XmlTokens } from './xml-tokens.ts';

interface XmlOptions {
  /** Whether texts that are numbers or booleans become such. */
  readonly casts: boolean;
}

interface OpenElement {
  readonly name: XmlName;
  /** Attributes behind a hyphen, and elements. */
  readonly fields: ValueObject;
  fieldCount: number;
  /** The last text before any field. */
  text: Value | undefined;
}

const textKey = '#text';

/** Makes an object of each XML document of a text that may come in parts. Elements that occur again become arrays. */
export class XmlDocuments {
  readonly #tokens = new XmlTokens();
  readonly #casts: boolean;
  readonly #open: OpenElement[] = [];
  #elements = 0;

  constructor({ casts }: XmlOptions) {
    this.#casts = casts;
  }

  /** Characters of the document that is not complete, as far as they are no tokens. */
  get waiting(): number {
    return this.#tokens.waiting;
  }

  add(text: string): void {
    this.#tokens.add(text);
  }

  /** No more text follows. */
  end(): void {
    this.#tokens.end();
  }

  /** The next document; `undefined` if it is not complete. Throws if the text is no XML. */
  next(): ValueObject | undefined {
    for (;;) {
      const token = this.#tokens.next();
      if (token === undefined) return undefined;
      const document = this.#take(token);
      if (document !== undefined) return document;
    }
  }

  get isWithin(): boolean {
    return this.#open.length > 0;
  }

  #take(token: XmlToken): ValueObject | undefined {
    if (token.kind === 'text') {
      this.#text(token.text);
      return undefined;
    }
    if (token.kind === 'end') return this.#end(token.name);
    this.#start(token.name, token.attributes);
    return token.isEmpty ? this.#close() : undefined;
  }

  #start(name: XmlName, attributes: readonly (readonly [string, string])[]): void {
    if (this.#open.length >= bloblangLimits.valueDepthMax) throw new Error('the XML is nested too deeply');
    this.#elements += 1 + attributes.length;
    if (this.#elements > bloblangLimits.xmlElementsMax)
      throw new Error(`the XML has more than ${bloblangLimits.xmlElementsMax} elements and attributes`);
    const fields: ValueObject = {};
    for (const [key, value] of attributes) setField(fields, `-${key}`, this.#valueOf(value));
    this.#open.push({ name, fields, fieldCount: attributes.length, text: undefined });
  }

  #text(text: string): void {
    const element = this.#open.at(-1);
    const trimmed = trimmedText(text);
    if (element === undefined || trimmed === '') return;
    if (element.fieldCount > 0) {
      setField(element.fields, textKey, this.#valueOf(trimmed));
      element.fieldCount++;
    } else element.text = this.#valueOf(trimmed);
  }

  /** Closes all elements up to the one of this name; all of them if there is none. */
  #end(name: XmlName): ValueObject | undefined {
    if (this.#open.length === 0) throw new Error(`unexpected end element </${name.local.slice(0, 100)}>`);
    for (;;) {
      const { local, prefix } = this.#open.at(-1)!.name;
      const isIt = local === name.local;
      if (isIt && prefix !== name.prefix)
        throw new Error(`element <${local.slice(0, 100)}> is closed with another prefix`);
      const document = this.#close();
      if (isIt || document !== undefined) return document;
    }
  }

  /** Closes the innermost element. Returns the document if it was the outermost. */
  #close(): ValueObject | undefined {
    const { name, fields, fieldCount, text } = this.#open.pop()!;
    if (fieldCount > 0 && text !== undefined) setField(fields, textKey, text);
    const value = fieldCount > 0 ? fields : (text ?? '');
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#elements = 0;
      const document: ValueObject = {};
      setField(document, name.local, value);
      return document;
    }
    const before = Object.hasOwn(parent.fields, name.local) ? parent.fields[name.local] : undefined;
    if (Array.isArray(before)) before.push(value);
    else setField(parent.fields, name.local, before === undefined ? value : [before, value]);
    parent.fieldCount++;
    return undefined;
  }

  #valueOf(text: string): Value {
    return this.#casts ? castOf(text) : text;
  }
}

/** Characters that are noise around a text; also a backspace is. */
const noise: ReadonlySet<string | undefined> = new Set(['\t', '\r', '\b', '\n', ' ']);

function trimmedText(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && noise.has(text[from])) from++;
  while (to > from && noise.has(text[to - 1])) to--;
  return text.slice(from, to);
}

const decimal = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?$/;
const booleans: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['t', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false])),
};

function castOf(text: string): Value {
  if (Object.hasOwn(booleans, text)) return booleans[text]!;
  if (!decimal.test(text)) return text;
  const number = Number(text.replaceAll('_', ''));
  return Number.isFinite(number) ? new Float(number) : text;
}

/** The first document of bytes whose declaration may name another encoding than UTF-8. */
export function parseXml(bytes: Buffer, options: XmlOptions): ValueObject {
  const documents = new XmlDocuments(options);
  documents.add(xmlDecoder(bytes).decode(bytes));
  documents.end();
  const document = documents.next();
  if (document === undefined)
    throw new Error(documents.isWithin ? 'unexpected end of XML' : 'there is no XML element');
  return document;
}

/** The decoder for bytes that begin like these. */
export function xmlDecoder(start: Buffer): InstanceType<typeof TextDecoder> {
  const head = start.subarray(0, 1024).toString('latin1');
  const [, encoding = 'utf-8'] = /^[^<]{0,3}<\?xml\s[^>]*?encoding\s*=\s*['"]([^'"]*)['"]/.exec(head) ?? [];
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new Error(`the encoding ${encoding.slice(0, 100)} is not known`);
  }
}
