/** A position in a text, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

interface Located {
  readonly place: TextPlace;
  /** The number of values in it; the target of an alias counts each time. */
  readonly size: number;
  /** The nesting depth: 1 for a scalar. */
  readonly height: number;
}

export interface YamlScalar extends Located {
  readonly kind: 'scalar';
  readonly value: string | number | bigint | boolean | null;
  /** Of a text over several lines (`|`): how many columns its lines are indented. Its first line follows `place`. */
  readonly indent?: number;
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
  /** In the order of the text. Keys are distinct. */
  readonly entries: readonly YamlEntry[];
}

/** A value of a YAML text with its position. An alias is the same object as its target. */
export type YamlValue = YamlScalar | YamlList | YamlMapping;

/** Where in the file a place within the text of a scalar is. */
export function placeWithin({ place, indent }: YamlScalar, within: TextPlace): TextPlace {
  if (indent !== undefined) return { line: place.line + within.line, column: indent + within.column };
  return within.line === 1 ? { line: place.line, column: place.column + within.column - 1 } : place;
}

export function entryOf(mapping: YamlMapping, key: string): YamlEntry | undefined {
  return mapping.entries.find((entry) => entry.key === key);
}

/** Whether it has no value: `buffer:` and an end of line. */
export function isEmpty(value: YamlValue): boolean {
  return value.kind === 'scalar' && value.value === null;
}

/** Converts to a JavaScript value. */
export function plainValueOf(value: YamlValue): unknown {
  switch (value.kind) {
    case 'scalar':
      return value.value;
    case 'list':
      return value.items.map(plainValueOf);
    case 'mapping':
      // A Map, not an object: there may be keys such as `__proto__`, and keys that look like numbers stay in order.
      return new Map(value.entries.map((entry) => [entry.key, plainValueOf(entry.value)]));
  }
}
