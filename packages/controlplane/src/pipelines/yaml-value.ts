/** Where something stands in a text, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

interface Located {
  readonly place: TextPlace;
  /** How many values it is, with all that are in it; what an alias stands for counts each time. */
  readonly size: number;
  /** How deep it is nested: 1 for a scalar. */
  readonly height: number;
}

export interface YamlScalar extends Located {
  readonly kind: 'scalar';
  readonly value: string | number | bigint | boolean | null;
}

export interface YamlList extends Located {
  readonly kind: 'list';
  readonly items: readonly YamlValue[];
}

export interface YamlEntry {
  readonly key: string;
  /** Of the key. */
  readonly place: TextPlace;
  readonly value: YamlValue;
}

export interface YamlMapping extends Located {
  readonly kind: 'mapping';
  /** In the order of the text. No key is there twice. */
  readonly entries: readonly YamlEntry[];
}

/**
 * A value of a YAML text that knows where it stands. What an alias stands for is the same object as what it refers to.
 */
export type YamlValue = YamlScalar | YamlList | YamlMapping;

export function entryOf(mapping: YamlMapping, key: string): YamlEntry | undefined {
  return mapping.entries.find((entry) => entry.key === key);
}

/** Whether nothing is said: `buffer:` and an end of line. */
export function isEmpty(value: YamlValue): boolean {
  return value.kind === 'scalar' && value.value === null;
}

/** The value as JavaScript has it. */
export function plainValueOf(value: YamlValue): unknown {
  switch (value.kind) {
    case 'scalar':
      return value.value;
    case 'list':
      return value.items.map(plainValueOf);
    case 'mapping':
      // A map and no object: there may be keys such as `__proto__`, and keys that look like numbers keep their place.
      return new Map(value.entries.map((entry) => [entry.key, plainValueOf(entry.value)]));
  }
}
