import { registryLimits } from '../limits.ts';
import { InvalidPayload, InvalidSchema } from '../schema-format.ts';
import { builtinFiles } from './builtin-files.ts';
import { decodeMessage } from './decode-message.ts';
import { isDescriptor } from './is-descriptor.ts';
import type { OptionsAt } from './link-file.ts';
import { type FieldValue, MessageValue } from './message-value.ts';
import { emptyMessage, fieldNumberMax } from './parse-file.ts';
import type {
  AggregateEntry,
  EnumNode,
  ExtendNode,
  FieldNode,
  FileNode,
  Label,
  MessageNode,
  NumberRange,
  OneofNode,
  OptionNode,
  OptionValue,
  ReservedNode,
} from './syntax-tree.ts';
import { quoted, Tokens } from './tokens.ts';
import { type ExtensionTable, type FieldType, type MessageType, scalarTypes } from './types.ts';

/** The bytes of a descriptor in base64; undefined for `.proto` text. */
export const base64Descriptor = (text: string): Uint8Array | undefined =>
  isDescriptor(text) ? Buffer.from(text.trim(), 'base64') : undefined;

const nowhere = -1;
const groupType = 10;
const scalarNames = new Map<number, string>(
  Object.entries(scalarTypes).map(([name, number]) => [number, name]),
);
const labels: readonly (Label | undefined)[] = [undefined, 'optional', 'required', 'repeated'];

/** Options of descriptors that are not known yet, as they are encoded there. */
const unknownOptions = new WeakMap<readonly OptionNode[], readonly Uint8Array[]>();

/** Reads an encoded `FileDescriptorProto`. Throws `InvalidSchema`. */
export const nodeOfDescriptor = (bytes: Uint8Array): FileNode => {
  let file: MessageValue;
  try {
    file = decodeMessage(builtinFiles().descriptorMessage('FileDescriptorProto'), bytes, undefined);
  } catch (error) {
    if (!(error instanceof InvalidPayload)) throw error;
    throw new InvalidSchema(`the schema is neither .proto text nor a descriptor in base64: ${error.message}`);
  }
  return new DescriptorReader(file).read();
};

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const dottedName = /^\.?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

const checkedName = (name: string, pattern: RegExp, max: number): string => {
  if (name.length > max) throw new InvalidSchema(`a name is longer than ${max} characters`);
  if (!pattern.test(name)) throw new InvalidSchema(`${quoted(name)} in the descriptor is not a valid name`);
  return name;
};

const nameIn = (value: MessageValue): string =>
  checkedName(textIn(value, 1), identifier, registryLimits.protobufNameCharsMax);

const typeNameIn = (value: MessageValue, number: number): string =>
  checkedName(textIn(value, number), dottedName, registryLimits.protobufFullNameCharsMax);

const textIn = (value: MessageValue, number: number): string =>
  (value.get(number) as string | undefined) ?? '';
const numberIn = (value: MessageValue, number: number): number =>
  (value.get(number) as number | undefined) ?? 0;
const messagesIn = (value: MessageValue, number: number) => value.all(number) as readonly MessageValue[];

class DescriptorReader {
  readonly #file: MessageValue;
  readonly #syntax: FileNode['syntax'];
  readonly #syntaxText: string | undefined;
  #place = -1_000_000_000;

  constructor(file: MessageValue) {
    this.#file = file;
    const syntax = textIn(file, 12);
    if (syntax === 'editions') {
      if (numberIn(file, 14) !== 1000)
        throw new InvalidSchema('the edition of the descriptor is not supported; use 2023');
      this.#syntax = 'editions';
      this.#syntaxText = '2023';
    } else if (syntax === '' || syntax === 'proto2' || syntax === 'proto3') {
      this.#syntax = syntax === 'proto3' ? 'proto3' : 'proto2';
      this.#syntaxText = syntax === '' ? undefined : syntax;
    } else {
      throw new InvalidSchema(`syntax ${quoted(syntax)} is unknown`);
    }
  }

  /** Places of messages have no lines, but an order: groups stay between the messages next to them. */
  #nextPlace(): number {
    this.#place += 1;
    return this.#place;
  }

  read(): FileNode {
    const file = this.#file;
    const kinds = new Map<FieldValue, 'public' | 'weak'>([
      ...file.all(10).map((at) => [at, 'public'] as const),
      ...file.all(11).map((at) => [at, 'weak'] as const),
    ]);
    const packageName = textIn(file, 2);
    const messages = messagesIn(file, 4).map((message) => this.#message(message, 1));
    return {
      text: '',
      syntax: this.#syntax,
      syntaxText: this.#syntaxText,
      packageName:
        packageName === ''
          ? ''
          : checkedName(packageName, dottedName, registryLimits.protobufFullNameCharsMax).replace(/^\./, ''),
      imports: file
        .all(3)
        .map((path, at) => ({ path: path as string, kind: kinds.get(at) ?? 'plain', at: nowhere })),
      options: optionsIn(file, 8),
      messages,
      enums: messagesIn(file, 5).map((value) => this.#enum(value)),
      extends: this.#extends(messagesIn(file, 7), messages),
      services: messagesIn(file, 6).map((service) => ({
        name: nameIn(service),
        at: nowhere,
        options: optionsIn(service, 3),
        methods: messagesIn(service, 2).map((method) => ({
          name: nameIn(method),
          at: nowhere,
          input: typeNameIn(method, 2),
          inputAt: nowhere,
          output: typeNameIn(method, 3),
          outputAt: nowhere,
          clientStreaming: method.get(5) === true,
          serverStreaming: method.get(6) === true,
          options: optionsIn(method, 4),
        })),
      })),
    };
  }

  #message(value: MessageValue, depth: number): MessageNode {
    if (depth > registryLimits.protobufNestingMax) {
      throw new InvalidSchema(`messages are nested deeper than ${registryLimits.protobufNestingMax}`);
    }
    const message: MessageNode = {
      ...emptyMessage(nameIn(value), this.#nextPlace()),
      messages: messagesIn(value, 3).map((child) => this.#message(child, depth + 1)),
      enums: messagesIn(value, 4).map((child) => this.#enum(child)),
      options: optionsIn(value, 7),
      reserved: reservedIn(value, 9, 10, 1),
      extensionRanges: messagesIn(value, 5).map((range) => ({
        ranges: [rangeIn(range, 1)],
        options: optionsIn(range, 3),
      })),
    };
    const oneofs: OneofNode[] = messagesIn(value, 8).map((oneof) => ({
      name: nameIn(oneof),
      at: nowhere,
      options: optionsIn(oneof, 2),
    }));
    const used = new Set<OneofNode>();
    for (const field of messagesIn(value, 2)) {
      const index = field.get(9) as number | undefined;
      const oneof = index === undefined || field.get(17) === true ? undefined : oneofs[index];
      if (index !== undefined && oneofs[index] === undefined) {
        throw new InvalidSchema(`field ${quoted(textIn(field, 1))} names a oneof that does not exist`);
      }
      if (oneof !== undefined) used.add(oneof);
      message.fields.push(this.#field(field, message.messages, oneof));
    }
    for (const oneof of oneofs) if (used.has(oneof)) message.oneofs.push(oneof);
    for (const block of this.#extends(messagesIn(value, 6), message.messages)) message.extends.push(block);
    return message;
  }

  #enum(value: MessageValue): EnumNode {
    return {
      name: nameIn(value),
      at: nowhere,
      values: messagesIn(value, 2).map((constant) => ({
        name: nameIn(constant),
        at: nowhere,
        number: numberIn(constant, 2),
        options: optionsIn(constant, 3),
      })),
      reserved: reservedIn(value, 4, 5, 0),
      options: optionsIn(value, 3),
    };
  }

  /** Consecutive extensions of one message are one block. */
  #extends(fields: readonly MessageValue[], siblings: MessageNode[]): ExtendNode[] {
    const blocks: ExtendNode[] = [];
    for (const field of fields) {
      const extendee = typeNameIn(field, 2);
      let block = blocks.at(-1);
      if (block?.extendee !== extendee) {
        block = { extendee, at: nowhere, fields: [] };
        blocks.push(block);
      }
      block.fields.push(this.#field(field, siblings, undefined));
    }
    return blocks;
  }

  #field(value: MessageValue, siblings: MessageNode[], oneof: OneofNode | undefined): FieldNode {
    const name = nameIn(value);
    const type = numberIn(value, 5);
    const hasTypeName = value.get(6) !== undefined;
    const typeName = hasTypeName ? typeNameIn(value, 6) : scalarNames.get(type);
    if (typeName === undefined)
      throw new InvalidSchema(`field ${quoted(name)} in the descriptor has no type`);
    let group: MessageNode | undefined;
    if (type === groupType && this.#syntax === 'proto2') {
      // A group is a field and a message, and the text has both in one place.
      const at = siblings.findIndex(
        (message) => message.name.toLowerCase() === name && typeName.endsWith(message.name),
      );
      if (at === -1) throw new InvalidSchema(`group ${quoted(name)} in the descriptor has no message`);
      [group] = siblings.splice(at, 1);
    }
    const label = labels[numberIn(value, 4)];
    const options = optionsIn(value, 8);
    const isLabelless = oneof !== undefined || (label === 'optional' && this.#syntax !== 'proto2');
    this.#addSpecialOptions(value, options, hasTypeName ? 'enum' : typeName);
    return {
      name,
      at: nowhere,
      label: value.get(17) === true ? 'optional' : isLabelless ? undefined : label,
      typeName: group?.name ?? typeName,
      typeAt: nowhere,
      mapKey: undefined,
      number: numberIn(value, 3),
      options,
      group,
      oneof,
    };
  }

  #addSpecialOptions(value: MessageValue, options: OptionNode[], type: string): void {
    const defaultValue = value.get(7) as string | undefined;
    const at = nowhere;
    if (defaultValue !== undefined && this.#syntax !== 'proto3') {
      let node: OptionValue = { kind: 'number', text: defaultValue, at };
      if (type === 'string') node = { kind: 'string', bytes: Buffer.from(defaultValue, 'utf8'), at };
      else if (type === 'bytes') node = { kind: 'string', bytes: unescaped(defaultValue), at };
      else if (type === 'bool' || type === 'enum' || /^-?(?:inf|nan)$/.test(defaultValue)) {
        node = { kind: 'word', text: defaultValue, at };
      }
      const pattern = node.kind === 'word' ? /^-?[A-Za-z_][A-Za-z0-9_]*$/ : /^-?[0-9][0-9.e+-]*$/;
      if (node.kind !== 'string') checkedName(defaultValue, pattern, registryLimits.protobufNameCharsMax);
      options.push({ name: [{ name: 'default', extension: false }], value: node, at });
    }
    const jsonName = value.get(10) as string | undefined;
    if (jsonName !== undefined) {
      options.push({
        name: [{ name: 'json_name', extension: false }],
        value: { kind: 'string', bytes: Buffer.from(jsonName, 'utf8'), at },
        at,
      });
    }
  }
}

const unescaped = (text: string): Uint8Array => {
  const tokens = new Tokens(`"${text.replaceAll('\n', '\\n')}"`);
  if (tokens.kind !== 'string') throw new InvalidSchema('a default of bytes is invalid');
  return tokens.bytes;
};

const rangeIn = (value: MessageValue, exclusive: number): NumberRange => {
  const [from, to] = [numberIn(value, 1), numberIn(value, 2) - exclusive];
  if (to < from || (exclusive === 1 && (from < 1 || to > fieldNumberMax))) {
    throw new InvalidSchema(`range ${from} to ${to} in the descriptor is invalid`);
  }
  return { from, to, single: from === to, at: nowhere };
};

const reservedIn = (
  value: MessageValue,
  ranges: number,
  names: number,
  exclusive: number,
): ReservedNode[] => [
  ...messagesIn(value, ranges).map((range) => ({
    ranges: [rangeIn(range, exclusive)],
    names: [],
    at: nowhere,
  })),
  ...value.all(names).map((name) => ({ ranges: [], names: [name as string], at: nowhere })),
];

/** The options of a descriptor whose fields are known. */
const optionsIn = (value: MessageValue, number: number): OptionNode[] => {
  const message = value.get(number) as MessageValue | undefined;
  const options = message === undefined ? [] : optionNodes(message, undefined);
  unknownOptions.set(options, unknownIn(value, number));
  return options;
};

const unknownIn = (value: MessageValue, number: number): readonly Uint8Array[] =>
  (value.get(number) as MessageValue | undefined)?.unknown ?? [];

/** Adds the options that are extensions, which are known when the imports of a file are. */
export const addCustomOptions = (
  { file, scope, options }: OptionsAt,
  type: MessageType,
  extensions: ExtensionTable,
): void => {
  const unknown = unknownOptions.get(options);
  if (unknown === undefined || unknown.length === 0) return;
  unknownOptions.delete(options);
  let message: MessageValue;
  try {
    message = decodeMessage(type, Buffer.concat(unknown), extensions);
  } catch (error) {
    if (!(error instanceof InvalidPayload)) throw error;
    throw new InvalidSchema(`an option of the descriptor is invalid: ${error.message}`);
  }
  const nameOf = (field: FieldType) =>
    scope.resolve(field.fullName, file, 'extension')?.meaning === field
      ? field.fullName
      : `.${field.fullName}`;
  for (const option of optionNodes(message, nameOf)) (options as OptionNode[]).push(option);
};

const optionNodes = (
  message: MessageValue,
  nameOf: ((field: FieldType) => string) | undefined,
): OptionNode[] => {
  const options: OptionNode[] = [];
  const at = nowhere;
  for (const [field, values] of inOrder(message)) {
    if (field.name === 'uninterpreted_option')
      throw new InvalidSchema('the descriptor has options that are not interpreted');
    const name =
      field.extendee === undefined
        ? { name: field.name, extension: false }
        : { name: nameOf!(field), extension: true };
    for (const value of values) {
      if (field.name === 'features' && field.extendee === undefined) {
        for (const [feature, [setting]] of inOrder(value as MessageValue)) {
          options.push({
            name: [name, { name: feature.name, extension: false }],
            value: optionValue(feature, setting!),
            at,
          });
        }
      } else {
        options.push({ name: [name], value: optionValue(field, value), at });
      }
    }
  }
  return options;
};

const inOrder = (message: MessageValue): [FieldType, FieldValue[]][] => {
  const order = new Map(message.type.fields.map((field, at) => [field, at]));
  const rank = (field: FieldType) => order.get(field) ?? order.size + field.number;
  return [...message.fields].sort(([left], [right]) => rank(left) - rank(right));
};

const optionValue = (field: FieldType, value: FieldValue): OptionValue => {
  const at = nowhere;
  if (value instanceof MessageValue) {
    const entries: AggregateEntry[] = [];
    for (const [inner, values] of inOrder(value)) {
      const key = inner.extendee === undefined ? inner.name : `[${inner.fullName}]`;
      for (const item of values) entries.push({ key, value: optionValue(inner, item), at });
    }
    return { kind: 'aggregate', entries, at };
  }
  if (typeof value === 'string') return { kind: 'string', bytes: Buffer.from(value, 'utf8'), at };
  if (value instanceof Uint8Array) return { kind: 'string', bytes: value, at };
  if (typeof value === 'boolean') return { kind: 'word', text: String(value), at };
  if (typeof field.type !== 'string' && field.type.kind === 'enum') {
    const name = field.type.nameOf.get(value as number);
    return name === undefined
      ? { kind: 'number', text: String(value), at }
      : { kind: 'word', text: name, at };
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { kind: 'word', text: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf', at };
  }
  return { kind: 'number', text: Object.is(value, -0) ? '-0.0' : String(value), at };
};
