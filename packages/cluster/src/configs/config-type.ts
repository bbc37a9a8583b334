import { coreLimits } from '@weir/core';

/**
 * Config types, as DescribeConfigs names them. Values are sent and stored as text; a type defines which texts are valid
 * and what they mean.
 */
export interface ConfigType<Value> {
  readonly kafkaType: 'BOOLEAN' | 'STRING' | 'INT' | 'LONG' | 'DOUBLE' | 'LIST';
  /** What a value must be; completes the sentence "must be …". */
  readonly rule: string;
  /** All words that are valid, if they are known. */
  readonly words?: readonly string[];
  /** The bounds of a number, as text because not every 64-bit integer is a number here. */
  readonly min?: string;
  readonly max?: string;
  /** Returns `undefined` if the text is invalid. */
  parse(text: string): Value | undefined;
}

export const bool: ConfigType<boolean> = {
  kafkaType: 'BOOLEAN',
  rule: 'true or false',
  words: ['true', 'false'],
  parse: (text) => {
    const word = text.trim().toLowerCase();
    return word === 'true' ? true : word === 'false' ? false : undefined;
  },
};

function integer(kafkaType: 'INT' | 'LONG', min: number, max: bigint): ConfigType<number> {
  return {
    kafkaType,
    rule: `a whole number from ${min} to ${max}`,
    min: String(min),
    max: String(max),
    parse: (text) => {
      if (!/^[+-]?\d{1,19}$/.test(text.trim())) return undefined;
      const value = BigInt(text.trim().replace(/^\+/, ''));
      if (value < min || value > max) return undefined;
      return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
    },
  };
}

export function int({ min, max = 2 ** 31 - 1 }: { min: number; max?: number }): ConfigType<number> {
  return integer('INT', min, BigInt(max));
}

/**
 * 2^63 - 1 is a common way to write "never", so it is valid; it is read as 2^53 - 1, which is 285,000 years of
 * milliseconds.
 */
export function long({ min }: { min: number }): ConfigType<number> {
  return integer('LONG', min, 2n ** 63n - 1n);
}

export function oneOf<const Words extends readonly string[]>(...words: Words): ConfigType<Words[number]> {
  return {
    kafkaType: 'STRING',
    rule: `one of ${words.join(', ')}`,
    words,
    parse: (text) => words.find((word) => word === text.trim()),
  };
}

/** Several buckets as one: the URLs of the buckets follow, separated by `<>`. */
const wrapper = /^service_(?:multi|stripe):\/\//;

/** A URL such as `s3://bucket?region=eu-west-1`. Code that uses it checks that it is supported. */
export const url: ConfigType<string> = {
  kafkaType: 'STRING',
  rule: `a URL such as s3://bucket, with at most ${coreLimits.configTextCharsMax} characters and no user info`,
  parse: (text) => {
    const trimmed = text.trim();
    if (trimmed.length > coreLimits.configTextCharsMax) return undefined;
    const urls = wrapper.test(trimmed) ? trimmed.replace(wrapper, '').split('<>') : [trimmed];
    return urls.every(isWithoutUser) ? trimmed : undefined;
  },
};

/** User info in a URL is usually a secret, and many users can read configs. */
function isWithoutUser(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Comma-separated words from a set, each counted once; empty for none. */
export function anyOf<const Words extends readonly string[]>(
  ...words: Words
): ConfigType<readonly Words[number][]> {
  return {
    kafkaType: 'LIST',
    rule: `any of ${words.join(', ')}, separated by commas, or empty`,
    words,
    parse: (text) => {
      const chosen = new Set<Words[number]>();
      if (text.trim() === '') return [];
      for (const part of text.split(',')) {
        const word = words.find((known) => known === part.trim());
        if (word === undefined) return undefined;
        chosen.add(word);
      }
      return [...chosen];
    },
  };
}

export function double({ min, max }: { min: number; max: number }): ConfigType<number> {
  return {
    kafkaType: 'DOUBLE',
    rule: `a number from ${min} to ${max}`,
    min: String(min),
    max: String(max),
    parse: (text) => {
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return undefined;
      const value = Number(text);
      return value >= min && value <= max ? value : undefined;
    },
  };
}

/** Comma-separated words without duplicates; may be empty. */
export function words(
  rule: string,
  isAllowed: (word: string) => boolean = () => true,
  areAllowed: (words: readonly string[]) => boolean = () => true,
): ConfigType<readonly string[]> {
  return {
    kafkaType: 'LIST',
    rule: `${rule}, separated by commas, with at most ${coreLimits.configTextCharsMax} characters`,
    parse: (text) => {
      if (text.length > coreLimits.configTextCharsMax) return undefined;
      const chosen = wordsOf(text);
      if (new Set(chosen).size !== chosen.length || !areAllowed(chosen)) return undefined;
      return chosen.every(isAllowed) ? chosen : undefined;
    },
  };
}

/** Splits a comma-separated list, ignoring blanks. */
export function wordsOf(text: string): string[] {
  if (text.trim() === '') return [];
  return text.split(',').map((word) => word.trim());
}

/** Returns a value as it is shown: normalised, so that tools that compare texts find no spurious differences. */
export function shownText({ kafkaType }: ConfigType<unknown>, text: string): string {
  if (kafkaType === 'LIST') return wordsOf(text).join(',');
  return kafkaType === 'BOOLEAN' ? text.trim().toLowerCase() : text.trim();
}
