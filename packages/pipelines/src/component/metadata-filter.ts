import { textOf } from '@weir/bloblang';
import { compileSearch } from '@weir/cluster/patterns';
import { type Field, object, type Values } from './field.ts';
import { list, string } from './field-types.ts';
import type { Metadata } from './message.ts';

const fields = {
  include_prefixes: list('Keys that begin with one of these are included.', string('A prefix.')).or([]),
  include_patterns: list(
    'Keys in which one of these regular expressions finds something are included.',
    string('A regular expression (RE2).'),
  )
    .or([])
    .check((patterns) => {
      const wrong = patterns.find((pattern) => compileSearch(pattern).problem !== undefined);
      return wrong === undefined
        ? undefined
        : `has a pattern with a problem: ${compileSearch(wrong).problem}`;
    }),
};

/** Names keys of metadata by prefixes and patterns; without any, it names none. */
export function metadataFilter(about: string): Field<Values<typeof fields>> {
  return object(about, fields);
}

/** Which keys a filter names. */
export class MetadataFilter {
  readonly #prefixes: readonly string[];
  readonly #searches: readonly { finds(text: string): boolean }[];

  constructor({ include_prefixes, include_patterns }: Values<typeof fields>) {
    this.#prefixes = include_prefixes;
    this.#searches = include_patterns.flatMap((pattern) => {
      const search = compileSearch(pattern);
      return search.problem === undefined ? [search] : [];
    });
  }

  get isEmpty(): boolean {
    return this.#prefixes.length === 0 && this.#searches.length === 0;
  }

  includes(key: string): boolean {
    return (
      this.#prefixes.some((prefix) => key.startsWith(prefix)) ||
      this.#searches.some((search) => search.finds(key))
    );
  }

  /** What metadata has under keys that are included, as texts. */
  textsOf(metadata: Metadata): [key: string, text: string][] {
    if (this.isEmpty) return [];
    return [...metadata].filter(([key]) => this.includes(key)).map(([key, value]) => [key, textOf(value)]);
  }
}
