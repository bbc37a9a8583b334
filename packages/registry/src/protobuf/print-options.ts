import { floatOf, parseInteger } from './option-numbers.ts';
import type { AggregateEntry, OptionNamePart, OptionNode, OptionValue } from './syntax-tree.ts';
import type { FieldType, LinkedFile } from './types.ts';

export interface PrintStyle {
  /** Names in full, and everything whose order does not matter in a fixed order. */
  readonly normalize: boolean;
  /** Without extensions and options that are extensions, except Confluent's. */
  readonly ignoreExtensions: boolean;
}

const escapes: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  39: "\\'",
  92: '\\\\',
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A string in quotes. Bytes that are no text are octal, so that they are the same when they are read again. */
export const quoteBytes = (bytes: Uint8Array): string => {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    text = Buffer.from(bytes).toString('latin1');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all bytes but printable ones
    return `"${text.replace(/[\x00-\x1f"'\\\x7f-\xff]/g, (char) => escapes[char.charCodeAt(0)] ?? octal(char))}"`;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
  return `"${text.replace(/[\x00-\x1f"'\\\x7f]/g, (char) => escapes[char.charCodeAt(0)] ?? octal(char))}"`;
};

const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;

/** Indents every line of a text by two spaces: also empty ones, as Confluent's registry does. */
export const indented = (text: string): string => {
  const end = text.endsWith('\n') ? '\n' : '';
  return `  ${text.slice(0, text.length - end.length).replaceAll('\n', '\n  ')}${end}`;
};

/** A value, or entries of an aggregate of which those with the same key are a list. */
type Printed =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly values: readonly Printed[] }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, Printed> };

interface PrintedOption {
  readonly name: string;
  readonly value: Printed;
}

/** Prints options as the Wire library does. */
export class OptionPrinter {
  readonly #file: LinkedFile;
  readonly #style: PrintStyle;

  constructor(file: LinkedFile, style: PrintStyle) {
    this.#file = file;
    this.#style = style;
  }

  /** One statement per option. */
  statements(options: readonly OptionNode[]): string {
    return this.#printed(options)
      .map((option) => `option ${printOption(option)};\n`)
      .join('');
  }

  /** Options in brackets after a space, or nothing. */
  list(options: readonly OptionNode[]): string {
    const printed = this.#printed(options);
    if (printed.length === 0) return '';
    if (printed.length === 1) return ` [${printOption(printed[0]!)}]`;
    return ` [\n${printed.map((option) => indented(printOption(option))).join(',\n')}\n]`;
  }

  #printed(options: readonly OptionNode[]): PrintedOption[] {
    const { normalize, ignoreExtensions } = this.#style;
    let kept = options;
    if (ignoreExtensions) {
      kept = kept.filter(({ name }) => !name[0]!.extension || /^\.?confluent\./.test(name[0]!.name));
    }
    // Wire has these two apart from the options, and prints them last.
    const isSpecial = ({ name }: OptionNode, special: string) =>
      name.length === 1 && !name[0]!.extension && name[0]!.name === special;
    const isAnySpecial = (option: OptionNode) =>
      isSpecial(option, 'default') || isSpecial(option, 'json_name');
    kept = [
      ...kept.filter((option) => !isAnySpecial(option)),
      ...kept.filter((option) => isSpecial(option, 'default')),
      ...kept.filter((option) => isSpecial(option, 'json_name')),
    ];
    if (normalize) return this.#normalized(kept.flatMap(featuresOneByOne));
    return kept.map((option) => ({
      name: option.name.map(writtenName).join('.'),
      value: this.#value(option.value),
    }));
  }

  /** Options with several parts become aggregates, those of one message are merged, and all are sorted by name. */
  #normalized(options: readonly OptionNode[]): PrintedOption[] {
    const singular = new Map<string, { order: string; value: Printed }>();
    const repeated: { name: string; order: string; value: Printed }[] = [];
    for (const option of options) {
      const [first, ...rest] = option.name;
      const resolved = this.#file.extensionOf.get(first!);
      const field = resolved?.field;
      const name = resolved === undefined ? writtenName(first!) : `(${resolved.name})`;
      const order = field?.fullName ?? first!.name;
      let value = this.#value(option.value);
      if (field === undefined) {
        const path = [name, ...rest.map(writtenName)].join('.');
        repeated.push({ name: path, order, value });
        continue;
      }
      const keys = rest.map((part) =>
        part.extension ? `[${this.#file.extensionOf.get(part)?.name ?? part.name}]` : part.name,
      );
      for (const key of keys.toReversed()) value = { kind: 'map', entries: new Map([[key, value]]) };
      if (field.label === 'repeated') {
        repeated.push({ name, order, value });
        continue;
      }
      const before = singular.get(name);
      singular.set(name, { order, value: before === undefined ? value : merged(before.value, value, field) });
    }
    return [...[...singular].map(([name, { order, value }]) => ({ name, order, value })), ...repeated].sort(
      (left, right) => (left.order < right.order ? -1 : left.order > right.order ? 1 : 0),
    );
  }

  #value(value: OptionValue): Printed {
    switch (value.kind) {
      case 'string':
        return { kind: 'text', text: quoteBytes(value.bytes) };
      case 'word':
        return { kind: 'text', text: value.text };
      case 'number':
        return { kind: 'text', text: this.#style.normalize ? normalNumber(value.text) : value.text };
      case 'list': {
        const values = value.values.map((item) => this.#value(item));
        return this.#style.normalize && values.length === 1 ? values[0]! : { kind: 'list', values };
      }
      case 'aggregate':
        return { kind: 'map', entries: this.#entries(value.entries) };
    }
  }

  #entries(entries: readonly AggregateEntry[]): ReadonlyMap<string, Printed> {
    const { normalize } = this.#style;
    const lists = new Map<string, Printed[]>();
    for (const entry of entries) {
      const extension = normalize ? this.#file.extensionOf.get(entry) : undefined;
      const key = extension === undefined ? entry.key : `[${extension.name}]`;
      const value = this.#value(entry.value);
      if (normalize && value.kind === 'list' && value.values.length === 0) continue;
      const before = lists.get(key);
      if (before === undefined) lists.set(key, [value]);
      else before.push(value);
    }
    const sorted = normalize ? [...lists].sort(([left], [right]) => (left < right ? -1 : 1)) : lists;
    return new Map(
      [...sorted].map(([key, values]) => {
        if (values.length === 1) return [key, values[0]!];
        return [key, { kind: 'list', values: values.flatMap((value) => itemsOf(value)) }];
      }),
    );
  }
}

/** Features that are set together are the same as features that are set one by one. */
const featuresOneByOne = (option: OptionNode): readonly OptionNode[] => {
  const { name, value, at } = option;
  if (name.length > 1 || name[0]!.extension || name[0]!.name !== 'features' || value.kind !== 'aggregate') {
    return [option];
  }
  return value.entries.map((entry) => ({
    name: [name[0]!, { name: entry.key, extension: false }],
    value: entry.value,
    at,
  }));
};

const itemsOf = (value: Printed): readonly Printed[] => (value.kind === 'list' ? value.values : [value]);

/** Joins two aggregates of one message. What both have is a repeated field, or a message whose fields are joined. */
const merged = (left: Printed, right: Printed, field: FieldType | undefined): Printed => {
  if (left.kind !== 'map' || right.kind !== 'map') return right;
  const entries = new Map(left.entries);
  const type = typeof field?.type === 'object' && field.type.kind === 'message' ? field.type : undefined;
  for (const [key, value] of right.entries) {
    const before = entries.get(key);
    const inner = type?.byName.get(key);
    if (before === undefined) entries.set(key, value);
    else if (inner?.label !== 'repeated' && before.kind === 'map')
      entries.set(key, merged(before, value, inner));
    else entries.set(key, { kind: 'list', values: [...itemsOf(before), ...itemsOf(value)] });
  }
  return { kind: 'map', entries: new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1))) };
};

/** A number in decimal, without a fraction that is zero. */
const normalNumber = (text: string): string => {
  const integer = parseInteger(text);
  if (integer !== undefined) return integer === 0n ? text : String(integer);
  const value = floatOf(text);
  return value !== undefined && value !== 0 && Number.isSafeInteger(value) ? String(value) : text;
};

const printOption = ({ name, value }: PrintedOption): string => `${name} = ${printValue(value)}`;

const printValue = (value: Printed): string => {
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'list':
      if (value.values.length === 0) return '[]';
      return `[\n${value.values.map((item) => indented(printValue(item))).join(',\n')}\n]`;
    case 'map':
      if (value.entries.size === 0) return '{\n}';
      return `{\n${[...value.entries]
        .map(([key, item]) => indented(`${key}: ${printValue(item)}`))
        .join(',\n')}\n}`;
  }
};

/** A part of the name of an option, as it was written. */
const writtenName = ({ name, extension }: OptionNamePart): string => (extension ? `(${name})` : name);
