import { coreLimits } from '@weir/core';

/**
 * The types that a config can have, as DescribeConfigs names them. Values travel and are stored as text; a type says which
 * text is allowed and what it means.
 */
export interface ConfigType<Value> {
  readonly kafkaType: 'BOOLEAN' | 'STRING' | 'INT' | 'LONG' | 'DOUBLE' | 'LIST';
  /** What a value must be, to follow "must be". */
  readonly rule: string;
  /** Returns `undefined` when the text is not allowed. */
  parse(text: string): Value | undefined;
}

export const bool: ConfigType<boolean> = {
  kafkaType: 'BOOLEAN',
  rule: 'true or false',
  parse: (text) => {
    const word = text.trim().toLowerCase();
    return word === 'true' ? true : word === 'false' ? false : undefined;
  },
};

function integer(kafkaType: 'INT' | 'LONG', min: number, max: bigint): ConfigType<number> {
  return {
    kafkaType,
    rule: `a whole number from ${min} to ${max}`,
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

/** People write 2^63 - 1 for "never", so that it is allowed; it counts as 2^53 - 1, which is 285,000 years of milliseconds. */
export function long({ min }: { min: number }): ConfigType<number> {
  return integer('LONG', min, 2n ** 63n - 1n);
}

export function oneOf<const Words extends readonly string[]>(...words: Words): ConfigType<Words[number]> {
  return {
    kafkaType: 'STRING',
    rule: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text.trim()),
  };
}

/** An address such as `s3://bucket?region=eu-west-1`. Whoever uses it says whether it can. */
export const url: ConfigType<string> = {
  kafkaType: 'STRING',
  rule: `an address such as s3://bucket, with at most ${coreLimits.configTextCharsMax} characters and no user in it`,
  parse: (text) => {
    const trimmed = text.trim();
    if (trimmed.length > coreLimits.configTextCharsMax || !URL.canParse(trimmed)) return undefined;
    // What stands before the @ is a secret more often than not, and configs are shown to many.
    const { username, password } = new URL(trimmed);
    return username === '' && password === '' ? trimmed : undefined;
  },
};

/** Words separated by commas, each at most once and at least one. */
export function someOf<const Words extends readonly string[]>(
  ...words: Words
): ConfigType<readonly Words[number][]> {
  return {
    kafkaType: 'LIST',
    rule: `one or more of ${words.join(', ')}, separated by commas`,
    parse: (text) => {
      const chosen: Words[number][] = [];
      for (const part of text.split(',')) {
        const word = words.find((known) => known === part.trim());
        if (word === undefined || chosen.includes(word)) return undefined;
        chosen.push(word);
      }
      return chosen;
    },
  };
}

export function double({ min, max }: { min: number; max: number }): ConfigType<number> {
  return {
    kafkaType: 'DOUBLE',
    rule: `a number from ${min} to ${max}`,
    parse: (text) => {
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return undefined;
      const value = Number(text);
      return value >= min && value <= max ? value : undefined;
    },
  };
}

/** Any words separated by commas, none twice; no words at all is allowed. */
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

/** The words of a list as people write it. */
export function wordsOf(text: string): string[] {
  if (text.trim() === '') return [];
  return text.split(',').map((word) => word.trim());
}

/** A value as it is shown: without what people write and nobody reads, so that tools that compare texts are not surprised. */
export function shownText({ kafkaType }: ConfigType<unknown>, text: string): string {
  if (kafkaType === 'LIST') return wordsOf(text).join(',');
  return kafkaType === 'BOOLEAN' ? text.trim().toLowerCase() : text.trim();
}
