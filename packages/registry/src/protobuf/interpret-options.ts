import { invalidIn } from './check-declarations.ts';
import type { OptionsAt } from './link-file.ts';
import { encodeMessage, type FieldValue, MessageValue } from './message-value.ts';
import { floatOf, integerOf } from './option-numbers.ts';
import type { Scope } from './scope.ts';
import type { AggregateEntry, OptionNamePart, OptionNode, OptionValue } from './syntax-tree.ts';
import { quoted } from './tokens.ts';
import type { FieldType, LinkedFile, MessageType } from './types.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Options of fields that are no fields of `FieldOptions`. */
const pseudoOptions = ['default', 'json_name'];

/** An option with an extension that no file of the schema defines. Files that define it need not be registered. */
class UndefinedExtension extends Error {
  override name = 'UndefinedExtension';
}

/**
 * Finds what options mean: fields and extensions of a message of descriptor.proto. Stores their encoding, which
 * descriptors contain. Throws if an option is unknown, or has a value that does not fit. A custom option that is not
 * defined stays in the text alone.
 */
export const interpretOptions = (
  { file, scope, options, field }: OptionsAt,
  optionsMessage: MessageType,
): void => {
  const interpreter = new Interpreter(file, scope);
  const message = new MessageValue(optionsMessage);
  const pseudo = new Set<string>();
  for (const option of options) {
    const [first] = option.name;
    const isPseudo = field !== undefined && option.name.length === 1 && !first!.extension;
    if (!isPseudo || !pseudoOptions.includes(first!.name)) {
      try {
        interpreter.set(message, option);
      } catch (error) {
        if (!(error instanceof UndefinedExtension)) throw error;
      }
      continue;
    }
    if (pseudo.has(first!.name))
      throw invalidIn(file, option.at, `option ${quoted(first!.name)} is set twice`);
    pseudo.add(first!.name);
    if (first!.name === 'default') interpreter.valueOf(field, option.value, false);
  }
  file.optionBytes.set(options, encodeMessage(message));
};

/** The default of a field as descriptors have it: text. */
export const defaultText = (field: FieldType, file: LinkedFile, option: OptionNode): string => {
  const value = new Interpreter(file, undefined).valueOf(field, option.value, false);
  if (value instanceof Uint8Array) return escapeBytes(value);
  if (typeof field.type !== 'string' && field.type.kind === 'enum') {
    return (option.value as { text: string }).text;
  }
  if (field.type === 'float' || field.type === 'double') return floatText(value as number);
  return String(value);
};

/** As C prints it with `%.15g`, or with `%.17g` where that is another number. */
const floatText = (value: number): string => {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const precision = Number(value.toPrecision(15)) === value ? 15 : 17;
  const [digits, exponentText] = value.toExponential(precision - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < precision) {
    return withoutZeros(value.toFixed(Math.max(0, precision - 1 - exponent)));
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${withoutZeros(digits!)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
};

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

const escapeBytes = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) {
    if (byte === 10) text += '\\n';
    else if (byte === 13) text += '\\r';
    else if (byte === 9) text += '\\t';
    else if (byte === 34 || byte === 39 || byte === 92) text += `\\${String.fromCharCode(byte)}`;
    else if (byte < 32 || byte > 126) text += `\\${byte.toString(8).padStart(3, '0')}`;
    else text += String.fromCharCode(byte);
  }
  return text;
};

class Interpreter {
  readonly #file: LinkedFile;
  readonly #scope: Scope | undefined;

  constructor(file: LinkedFile, scope: Scope | undefined) {
    this.#file = file;
    this.#scope = scope;
  }

  #invalid(at: number, message: string) {
    return invalidIn(this.#file, at, message);
  }

  set(message: MessageValue, option: OptionNode): void {
    let target = message;
    for (const [at, part] of option.name.entries()) {
      const field = part.extension
        ? this.#extension(part.name, target.type, option.at)
        : target.type.byNumber.size === 0
          ? undefined
          : fieldNamed(target.type, part.name);
      if (field === undefined || (at === 0 && field.name === 'uninterpreted_option')) {
        throw this.#invalid(option.at, `option ${quoted(part.name)} is unknown`);
      }
      if (part.extension) this.#remember(part, field);
      if (at === option.name.length - 1) {
        this.#assign(target, field, option.value, false);
        return;
      }
      if (field.label === 'repeated' || typeof field.type === 'string' || field.type.kind === 'enum') {
        throw this.#invalid(
          option.at,
          `option ${quoted(part.name)} has no fields that could be set one by one`,
        );
      }
      let [next] = target.fields.get(field) ?? [];
      if (next === undefined) {
        next = new MessageValue(field.type);
        target.add(field, next);
      }
      target = next as MessageValue;
    }
  }

  #assign(target: MessageValue, field: FieldType, value: OptionValue, isNested: boolean): void {
    if (field.label !== 'repeated' && target.fields.has(field)) {
      throw this.#invalid(value.at, `option ${quoted(field.name)} is set twice`);
    }
    if (field.oneof?.fields.some((other) => target.fields.has(other)) === true) {
      throw this.#invalid(value.at, `two fields of oneof ${quoted(field.oneof.name)} are set`);
    }
    if (value.kind === 'list') {
      if (field.label !== 'repeated') throw this.#invalid(value.at, `${quoted(field.name)} is not repeated`);
      for (const item of value.values) target.add(field, this.valueOf(field, item, isNested));
      return;
    }
    target.add(field, this.valueOf(field, value, isNested));
  }

  valueOf(field: FieldType, value: OptionValue, isNested: boolean): FieldValue {
    const { type } = field;
    if (typeof type === 'string') return this.#scalar(field, value, isNested);
    if (type.kind === 'enum') {
      if (value.kind === 'word') {
        const number = type.numberOf.get(value.text);
        if (number !== undefined) return number;
      } else if (value.kind === 'number' && isNested) {
        const number = integerOf(value.text, 'int32');
        if (number !== undefined) return Number(number);
      }
      throw this.#invalid(value.at, `${quoted(field.name)} needs a value of enum ${quoted(type.fullName)}`);
    }
    if (value.kind !== 'aggregate')
      throw this.#invalid(value.at, `${quoted(field.name)} needs a message in braces`);
    const message = new MessageValue(type);
    for (const entry of value.entries) this.#setEntry(message, entry);
    return message;
  }

  #setEntry(message: MessageValue, entry: AggregateEntry): void {
    const { type } = message;
    if (!entry.key.startsWith('[')) {
      const field = fieldNamed(type, entry.key);
      if (field === undefined) {
        throw this.#invalid(entry.at, `message ${quoted(type.fullName)} has no field ${quoted(entry.key)}`);
      }
      this.#assign(message, field, entry.value, true);
      return;
    }
    const name = entry.key.slice(1, -1);
    const slash = name.lastIndexOf('/');
    if (slash === -1) {
      const field = this.#extension(name, type, entry.at);
      this.#remember(entry, field);
      this.#assign(message, field, entry.value, true);
      return;
    }
    const found = this.#scope?.resolve(`.${name.slice(slash + 1)}`, this.#file, 'type')?.meaning as
      | MessageType
      | undefined;
    const [urlField, valueField] = [type.byNumber.get(1), type.byNumber.get(2)];
    if (type.fullName !== 'google.protobuf.Any' || found?.kind !== 'message') {
      throw this.#invalid(entry.at, `${quoted(entry.key)} is not a known message type of an Any`);
    }
    if (entry.value.kind !== 'aggregate') throw this.#invalid(entry.at, 'an Any needs a message in braces');
    const inner = new MessageValue(found);
    for (const innerEntry of entry.value.entries) this.#setEntry(inner, innerEntry);
    message.add(urlField!, name);
    message.add(valueField!, encodeMessage(inner));
  }

  #remember(part: OptionNamePart | AggregateEntry, field: FieldType): void {
    const found = this.#scope?.resolve(field.fullName, this.#file, 'extension')?.meaning;
    this.#file.extensionOf.set(part, {
      field,
      name: found === field ? field.fullName : `.${field.fullName}`,
    });
  }

  #extension(name: string, extendee: MessageType, at: number): FieldType {
    const field = this.#scope?.resolve(name, this.#file, 'extension')?.meaning as FieldType | undefined;
    if (field === undefined) throw new UndefinedExtension(name);
    if (field.extendee !== extendee) {
      throw this.#invalid(at, `option ${quoted(`(${name})`)} does not extend ${quoted(extendee.fullName)}`);
    }
    return field;
  }

  #scalar(field: FieldType, value: OptionValue, isNested: boolean): FieldValue {
    const fail = (what: string) => this.#invalid(value.at, `${quoted(field.name)} needs ${what}`);
    const type = field.type as Exclude<FieldType['type'], object>;
    switch (type) {
      case 'string':
        if (value.kind !== 'string') throw fail('a string');
        try {
          return utf8.decode(value.bytes);
        } catch {
          throw fail('a string that is UTF-8');
        }
      case 'bytes':
        if (value.kind !== 'string') throw fail('a string');
        return value.bytes;
      case 'bool': {
        const text = value.kind === 'word' || (isNested && value.kind === 'number') ? value.text : '';
        const [yes, no] = isNested
          ? [
              ['true', 'True', 't', '1'],
              ['false', 'False', 'f', '0'],
            ]
          : [['true'], ['false']];
        if (yes!.includes(text)) return true;
        if (no!.includes(text)) return false;
        throw fail('true or false');
      }
      case 'double':
      case 'float': {
        const number = value.kind === 'word' || value.kind === 'number' ? floatOf(value.text) : undefined;
        if (number === undefined) throw fail('a number');
        return number;
      }
      default: {
        const number = value.kind === 'number' ? integerOf(value.text, type) : undefined;
        if (number === undefined) throw fail(`a number that fits ${type}`);
        return type.endsWith('64') ? number : Number(number);
      }
    }
  }
}

/** A field by its own name, not by its name in JSON. Groups have the name of their message too. */
const fieldNamed = (type: MessageType, name: string): FieldType | undefined => {
  const field = type.byName.get(name) ?? type.byName.get(name.toLowerCase());
  if (field?.name === name) return field;
  return field?.node.group?.name === name ? field : undefined;
};
