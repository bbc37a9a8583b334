import type { InvalidSchema } from '../schema-format.ts';
import { type Features, fieldFeatureProblem } from './features.ts';
import { defaultJsonName } from './names.ts';
import { fieldNumberMax } from './parse-file.ts';
import type { NumberRange, OptionNode, ReservedNode } from './syntax-tree.ts';
import { invalidAt, quoted } from './tokens.ts';
import {
  type EnumType,
  type FieldType,
  isInRanges,
  type LinkedFile,
  type MessageType,
  scalarTypes,
} from './types.ts';

/** Numbers that protobuf's implementations keep for themselves. */
const implementationNumbers = { from: 19_000, to: 19_999 };

/** Integers, bool and string. */
const mapKeyTypes: ReadonlySet<string> = new Set(Object.keys(scalarTypes)).difference(
  new Set(['double', 'float', 'bytes']),
);

const int64Types: ReadonlySet<unknown> = new Set(['int64', 'uint64', 'sint64', 'fixed64', 'sfixed64']);

/** An error in a file; imported files are named. */
export const invalidIn = (file: LinkedFile, at: number, message: string): InvalidSchema => {
  const error = invalidAt(file.node.text, at, message);
  if (file.path !== '') error.message = `${file.path}:${at < 0 ? ' ' : ''}${error.message}`;
  return error;
};

const failIn = (file: LinkedFile) => (at: number, message: string) => invalidIn(file, at, message);

/** An option of one part, if it is there. */
export const optionNamed = (options: readonly OptionNode[], wanted: string): OptionNode | undefined =>
  options.find(({ name }) => name.length === 1 && name[0]!.name === wanted && !name[0]!.extension);

export const booleanOption = (options: readonly OptionNode[], wanted: string): boolean | undefined => {
  const value = optionNamed(options, wanted)?.value;
  return value === undefined ? undefined : value.kind === 'word' && value.text === 'true';
};

export const stringOption = (options: readonly OptionNode[], wanted: string): string | undefined => {
  const value = optionNamed(options, wanted)?.value;
  return value?.kind === 'string' ? Buffer.from(value.bytes).toString('utf8') : undefined;
};

/** Checks what a field may be by itself. */
export const checkField = (field: FieldType, file: LinkedFile): void => {
  const { node, type, number } = field;
  const fail = failIn(file);
  if (number < 1 || number > fieldNumberMax) {
    throw fail(node.at, `the number of field ${quoted(field.name)} must be from 1 to ${fieldNumberMax}`);
  }
  if (number >= implementationNumbers.from && number <= implementationNumbers.to) {
    throw fail(
      node.at,
      `field ${quoted(field.name)} has number ${number}; 19000 to 19999 are reserved for implementations`,
    );
  }
  if (node.mapKey !== undefined && !mapKeyTypes.has(node.mapKey)) {
    throw fail(
      node.typeAt,
      `${quoted(node.mapKey)} must not be the key of a map; use an integer, bool or string`,
    );
  }
  const isMessage = typeof type !== 'string' && type.kind === 'message';
  if (isMessage && type.isMapEntry && node.mapKey === undefined && field.label !== 'repeated') {
    throw fail(
      node.typeAt,
      `field ${quoted(field.name)} must be repeated, as its type is the entry of a map`,
    );
  }
  if (typeof type !== 'string' && type.kind === 'enum' && type.isClosed) {
    if (field.label !== 'repeated' && !field.hasPresence) {
      throw fail(
        node.typeAt,
        `field ${quoted(field.name)} has no presence, and needs an enum whose first value is zero and that is open, ` +
          `not ${quoted(type.fullName)}`,
      );
    }
  }
  checkFieldOptions(field, file, isMessage);
  const problem = fieldFeatureProblem(node.options, {
    isString: type === 'string' || isMapOfStrings(field),
    isMessage,
    isRepeated: field.label === 'repeated',
    isPackable: field.isPackable,
    isMap: field.mapEntry !== undefined,
    isOneofMember: field.oneof !== undefined,
    isExtension: field.extendee !== undefined,
  });
  if (problem !== undefined) throw fail(problem.at, problem.message);
};

/** Whether the keys or the values are strings. A descriptor has the entry of a map as a message. */
const isMapOfStrings = ({ mapEntry }: FieldType): boolean =>
  mapEntry?.node.fields.some(({ typeName }) => typeName === 'string') ?? false;

const checkFieldOptions = (field: FieldType, file: LinkedFile, isMessage: boolean): void => {
  const { node, type } = field;
  const fail = failIn(file);
  const defaultOption = optionNamed(node.options, 'default');
  if (defaultOption !== undefined) {
    if (field.label === 'repeated' || isMessage) {
      throw fail(defaultOption.at, `field ${quoted(field.name)} must not have a default`);
    }
    if (file.node.syntax === 'proto3') {
      throw fail(defaultOption.at, 'proto3 does not support defaults of fields');
    }
    if (!field.hasPresence) throw fail(defaultOption.at, 'a field without presence cannot have a default');
  }
  const packed = optionNamed(node.options, 'packed');
  if (packed !== undefined) {
    if (file.node.syntax === 'editions') {
      throw fail(
        packed.at,
        'editions do not support the option "packed"; use the feature repeated_field_encoding',
      );
    }
    if (!field.isPackable && booleanOption(node.options, 'packed') === true) {
      throw fail(packed.at, 'only repeated numbers, bools and enums can be packed');
    }
  }
  const jsType = optionNamed(node.options, 'jstype');
  if (jsType !== undefined && !int64Types.has(type) && !isWord(jsType, 'JS_NORMAL')) {
    throw fail(jsType.at, 'only 64-bit integers have the option "jstype"');
  }
  const jsonName = optionNamed(node.options, 'json_name');
  if (jsonName !== undefined) {
    if (jsonName.value.kind !== 'string') throw fail(jsonName.at, 'the option "json_name" must be a string');
    if (field.extendee !== undefined) throw fail(jsonName.at, 'an extension cannot have a "json_name"');
    if (/^\[.*\]$/s.test(field.jsonName)) {
      throw fail(jsonName.at, 'a name in JSON must not be in brackets');
    }
    if (field.jsonName.includes('\0')) throw fail(jsonName.at, 'a name in JSON has a null character');
  }
};

const isWord = (option: OptionNode, text: string): boolean =>
  option.value.kind === 'word' && option.value.text === text;

/** Checks a message with all its fields. */
export const checkMessage = (type: MessageType): void => {
  const { file, node } = type;
  const reserved = node.reserved.flatMap(({ ranges }) => ranges);
  const extensions = node.extensionRanges.flatMap(({ ranges }) => ranges);
  checkRanges(file, [
    ...reserved.map((range) => ({ range, what: 'reserved' })),
    ...extensions.map((range) => ({ range, what: 'an extension range' })),
    ...type.fields.map((field) => ({
      range: { from: field.number, to: field.number, single: true, at: field.node.at },
      what: `the number of field ${quoted(field.name)}`,
    })),
  ]);
  checkReservedNames(file, node.reserved, type.fields);
  checkJsonNames(type);
  if (type.isMapEntry) checkMapEntry(type);
};

/** Ranges must not overlap. Sorted by their begin, each is compared with the furthest one before it. */
const checkRanges = (
  file: LinkedFile,
  all: readonly { readonly range: NumberRange; readonly what: string }[],
): void => {
  const sorted = all.toSorted((left, right) => left.range.from - right.range.from);
  let furthest = sorted[0];
  for (const next of sorted.slice(1)) {
    if (next.range.from <= furthest!.range.to) {
      const later = next.range.at >= furthest!.range.at ? next : furthest!;
      const other = later === next ? furthest! : next;
      throw invalidIn(
        file,
        later.range.at,
        `number ${next.range.from} is ${other.what} and also ${later.what}`,
      );
    }
    furthest = next;
  }
};

const checkReservedNames = (
  file: LinkedFile,
  reserved: readonly ReservedNode[],
  named: readonly { readonly name: string }[],
): void => {
  const names = new Set<string>();
  for (const { names: more, at } of reserved) {
    for (const name of more) {
      if (names.has(name)) throw invalidIn(file, at, `name ${quoted(name)} is reserved more than once`);
      names.add(name);
    }
  }
  for (const { name } of named) {
    if (names.has(name)) throw invalidIn(file, -1, `name ${quoted(name)} is reserved`);
  }
};

const checkJsonNames = (type: MessageType): void => {
  const seen = new Map<string, FieldType>();
  const isStrict = type.features.jsonFormat === 'ALLOW';
  const isCustom = (field: FieldType) => optionNamed(field.node.options, 'json_name') !== undefined;
  for (const field of type.fields) {
    const other = seen.get(field.jsonName);
    if (other !== undefined && (isStrict || (isCustom(field) && isCustom(other)))) {
      throw invalidIn(
        type.file,
        field.node.at,
        `fields ${quoted(other.name)} and ${quoted(field.name)} have the same name in JSON`,
      );
    }
    seen.set(field.jsonName, field);
  }
  if (!isStrict) return;
  const byDefault = new Map<string, FieldType>();
  for (const field of type.fields) {
    const name = defaultJsonName(field.name);
    const other = byDefault.get(name);
    if (other !== undefined) {
      throw invalidIn(
        type.file,
        field.node.at,
        `fields ${quoted(other.name)} and ${quoted(field.name)} have the same default name in JSON`,
      );
    }
    byDefault.set(name, field);
  }
};

/** Texts that were printed from descriptors declare the entries of maps as messages. */
const checkMapEntry = (type: MessageType): void => {
  const [key, value, ...others] = type.fields;
  const isEntry =
    key?.name === 'key' &&
    key.number === 1 &&
    key.label === 'optional' &&
    typeof key.type === 'string' &&
    mapKeyTypes.has(key.type) &&
    value?.name === 'value' &&
    value.number === 2 &&
    value.label === 'optional' &&
    others.length === 0;
  if (!isEntry) {
    throw invalidIn(
      type.file,
      type.node.at,
      `message ${quoted(type.fullName)} is not a valid map entry; use map<key, value>`,
    );
  }
};

/** Checks an enum and its values. */
export const checkEnum = (type: EnumType, features: Features): void => {
  const { file, node } = type;
  const fail = failIn(file);
  const [first] = node.values;
  if (first === undefined) throw fail(node.at, `enum ${quoted(type.fullName)} has no value`);
  if (features.enumType === 'OPEN' && first.number !== 0) {
    throw fail(first.at, `the first value of enum ${quoted(type.fullName)} must be zero`);
  }
  const allowsAlias = booleanOption(node.options, 'allow_alias') === true;
  const hasAlias = type.nameOf.size !== node.values.length;
  if (hasAlias && !allowsAlias) {
    const alias = node.values.find(({ name, number }) => type.nameOf.get(number) !== name)!;
    throw fail(
      alias.at,
      `values ${quoted(type.nameOf.get(alias.number)!)} and ${quoted(alias.name)} have number ${alias.number}; ` +
        'use the option allow_alias',
    );
  }
  if (allowsAlias && !hasAlias) {
    throw fail(node.at, `enum ${quoted(type.fullName)} has allow_alias, but every value has its own number`);
  }
  const reserved = node.reserved.flatMap(({ ranges }) => ranges);
  checkRanges(
    file,
    reserved.map((range) => ({ range, what: 'reserved' })),
  );
  const sorted = reserved.toSorted((left, right) => left.from - right.from);
  for (const { name, number, at } of node.values) {
    if (isInRanges(sorted, number)) throw fail(at, `the number of value ${quoted(name)} is reserved`);
  }
  checkReservedNames(file, node.reserved, node.values);
  if (features.jsonFormat === 'ALLOW') checkEnumJsonNames(type);
};

/** Values must differ also without the name of the enum before them, as some languages remove it. */
const checkEnumJsonNames = (type: EnumType): void => {
  const seen = new Map<string, { readonly name: string; readonly number: number }>();
  for (const value of type.node.values) {
    const name = shortValueName(value.name, type.node.name);
    const other = seen.get(name);
    if (other !== undefined && other.number !== value.number) {
      throw invalidIn(
        type.file,
        value.at,
        `values ${quoted(other.name)} and ${quoted(value.name)} are the same in camel case without the name of the enum`,
      );
    }
    seen.set(name, value);
  }
};

/** Removes the name of the enum, whatever its case and underscores, and makes the rest camel case. */
const shortValueName = (value: string, enumName: string): string => {
  const prefix = enumName.replaceAll('_', '').toLowerCase();
  let at = 0;
  let matched = 0;
  while (at < value.length && matched < prefix.length) {
    if (value[at] !== '_') {
      if (value[at]!.toLowerCase() !== prefix[matched]) break;
      matched += 1;
    }
    at += 1;
  }
  let rest = value;
  if (matched === prefix.length) {
    const candidate = value.slice(at).replace(/^_+/, '');
    if (candidate !== '') rest = candidate;
  }
  let camel = '';
  let capital = true;
  for (const char of rest) {
    if (char === '_') {
      capital = true;
    } else {
      camel += capital ? char.toUpperCase() : char.toLowerCase();
      capital = false;
    }
  }
  return camel;
};
