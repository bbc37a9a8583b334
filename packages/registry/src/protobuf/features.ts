import type { OptionNode, OptionValue } from './syntax-tree.ts';
import { invalidAt, quoted } from './tokens.ts';

/** The features of edition 2023 with their values. */
const featureValues = {
  field_presence: ['EXPLICIT', 'IMPLICIT', 'LEGACY_REQUIRED'],
  enum_type: ['OPEN', 'CLOSED'],
  repeated_field_encoding: ['PACKED', 'EXPANDED'],
  utf8_validation: ['VERIFY', 'NONE'],
  message_encoding: ['LENGTH_PREFIXED', 'DELIMITED'],
  json_format: ['ALLOW', 'LEGACY_BEST_EFFORT'],
} as const;

export interface Features {
  readonly fieldPresence: 'EXPLICIT' | 'IMPLICIT' | 'LEGACY_REQUIRED';
  readonly enumType: 'OPEN' | 'CLOSED';
  readonly repeatedFieldEncoding: 'PACKED' | 'EXPANDED';
  readonly utf8Validation: 'VERIFY' | 'NONE';
  readonly messageEncoding: 'LENGTH_PREFIXED' | 'DELIMITED';
  readonly jsonFormat: 'ALLOW' | 'LEGACY_BEST_EFFORT';
}

/** The features of files without any of their own. */
export const defaultFeatures: Readonly<Record<'proto2' | 'proto3' | 'editions', Features>> = {
  proto2: {
    fieldPresence: 'EXPLICIT',
    enumType: 'CLOSED',
    repeatedFieldEncoding: 'EXPANDED',
    utf8Validation: 'NONE',
    messageEncoding: 'LENGTH_PREFIXED',
    jsonFormat: 'LEGACY_BEST_EFFORT',
  },
  proto3: {
    fieldPresence: 'IMPLICIT',
    enumType: 'OPEN',
    repeatedFieldEncoding: 'PACKED',
    utf8Validation: 'VERIFY',
    messageEncoding: 'LENGTH_PREFIXED',
    jsonFormat: 'ALLOW',
  },
  editions: {
    fieldPresence: 'EXPLICIT',
    enumType: 'OPEN',
    repeatedFieldEncoding: 'PACKED',
    utf8Validation: 'VERIFY',
    messageEncoding: 'LENGTH_PREFIXED',
    jsonFormat: 'ALLOW',
  },
};

/** The elements that a feature can be set on. */
const featureTargets: Readonly<Record<keyof typeof featureValues, readonly string[]>> = {
  field_presence: ['FileOptions', 'FieldOptions'],
  enum_type: ['FileOptions', 'EnumOptions'],
  repeated_field_encoding: ['FileOptions', 'FieldOptions'],
  utf8_validation: ['FileOptions', 'FieldOptions'],
  message_encoding: ['FileOptions', 'FieldOptions'],
  json_format: ['FileOptions', 'MessageOptions', 'EnumOptions'],
};

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

interface FeatureSetting {
  readonly name: keyof typeof featureValues;
  readonly value: OptionValue;
}

/** The features that options set, one by one or together. */
const settingsOf = (options: readonly OptionNode[]): FeatureSetting[] => {
  const settings: FeatureSetting[] = [];
  const add = (name: string, value: OptionValue) => {
    if (Object.hasOwn(featureValues, name))
      settings.push({ name: name as keyof typeof featureValues, value });
  };
  for (const { name, value } of options) {
    if (name[0]?.name !== 'features' || name[0].extension) continue;
    if (name.length === 2 && !name[1]!.extension) add(name[1]!.name, value);
    if (name.length === 1 && value.kind === 'aggregate') {
      for (const entry of value.entries) add(entry.key, entry.value);
    }
  }
  return settings;
};

/** The features of an element: those around it, changed by its options. */
export const featuresWith = (inherited: Features, options: readonly OptionNode[], text: string): Features => {
  if (options.length === 0) return inherited;
  const changed: Record<string, string> = {};
  for (const { name, value } of settingsOf(options)) {
    const values: readonly string[] = featureValues[name];
    if (value.kind !== 'word' || !values.includes(value.text)) {
      throw invalidAt(text, value.at, `feature ${quoted(name)} must be one of ${values.join(', ')}`);
    }
    changed[camel(name)] = value.text;
  }
  return Object.keys(changed).length === 0 ? inherited : { ...inherited, ...changed };
};

/** What a field is, as far as features go. */
interface FieldTraits {
  readonly isString: boolean;
  readonly isMessage: boolean;
  readonly isRepeated: boolean;
  readonly isPackable: boolean;
  readonly isMap: boolean;
  readonly isOneofMember: boolean;
  readonly isExtension: boolean;
}

/** What is wrong with the features that an element sets, and where. */
export const featureProblem = (
  options: readonly OptionNode[],
  optionsType: string,
): { readonly at: number; readonly message: string } | undefined => {
  for (const { name, value } of settingsOf(options)) {
    if (!featureTargets[name].includes(optionsType)) {
      return { at: value.at, message: `feature ${quoted(name)} is not allowed here` };
    }
    if (optionsType === 'FileOptions' && value.kind === 'word' && value.text === 'LEGACY_REQUIRED') {
      return { at: value.at, message: 'only fields can be LEGACY_REQUIRED' };
    }
  }
  return undefined;
};

/** What is wrong with the features that a field sets. */
export const fieldFeatureProblem = (
  options: readonly OptionNode[],
  field: FieldTraits,
): { readonly at: number; readonly message: string } | undefined => {
  for (const { name, value } of settingsOf(options)) {
    const text = value.kind === 'word' ? value.text : '';
    const fits = {
      field_presence:
        !field.isRepeated &&
        !field.isOneofMember &&
        !field.isExtension &&
        !(field.isMessage && text === 'IMPLICIT'),
      enum_type: false,
      repeated_field_encoding: field.isRepeated && !field.isMap && (field.isPackable || text !== 'PACKED'),
      utf8_validation: field.isString,
      message_encoding: field.isMessage && !field.isMap,
      json_format: false,
    }[name];
    if (!fits) return { at: value.at, message: `feature ${quoted(name)} does not apply to the field` };
  }
  return undefined;
};

export const usesFeatures = (options: readonly OptionNode[]): OptionNode | undefined =>
  options.find(({ name }) => name[0]?.name === 'features' && !name[0].extension);
