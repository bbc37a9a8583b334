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

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The features of an element: those around it, changed by its options. */
export const featuresWith = (inherited: Features, options: readonly OptionNode[], text: string): Features => {
  const changed: Record<string, string> = {};
  const set = (name: string, value: OptionValue) => {
    if (!Object.hasOwn(featureValues, name)) return;
    const values: readonly string[] = featureValues[name as keyof typeof featureValues];
    if (value.kind !== 'word' || !values.includes(value.text)) {
      throw invalidAt(text, value.at, `feature ${quoted(name)} must be one of ${values.join(', ')}`);
    }
    changed[camel(name)] = value.text;
  };
  for (const { name, value } of options) {
    if (name[0]?.name !== 'features' || name[0].extension) continue;
    if (name.length === 2 && !name[1]!.extension) set(name[1]!.name, value);
    if (name.length === 1 && value.kind === 'aggregate') {
      for (const entry of value.entries) set(entry.key, entry.value);
    }
  }
  return Object.keys(changed).length === 0 ? inherited : { ...inherited, ...changed };
};

export const usesFeatures = (options: readonly OptionNode[]): OptionNode | undefined =>
  options.find(({ name }) => name[0]?.name === 'features' && !name[0].extension);
