import {
  type ConfigurationProblem,
  entryOf,
  placeWithin,
  type TextPlace,
  type YamlList,
  type YamlMapping,
  type YamlScalar,
  type YamlValue,
} from '@weir/pipelines/yaml';

/** The items of a list whose form is already checked. */
export function itemsOf(root: YamlMapping, field: string): readonly YamlMapping[] {
  const value = entryOf(root, field)?.value;
  return (value?.kind === 'list' ? value.items : []) as readonly YamlMapping[];
}

/** Collects problems of one table, each with its place in the text. */
export class TableProblems {
  readonly #table: YamlMapping;
  readonly #index: number;
  readonly found: ConfigurationProblem[] = [];

  constructor(table: YamlMapping, index: number) {
    this.#table = table;
    this.#index = index;
  }

  /** `path` is below the table; an absent value has the place of what should have it. */
  add(path: readonly (string | number)[], rule: string, within?: TextPlace): void {
    const value = this.#at(path);
    const place = within !== undefined && value.kind === 'scalar' ? placeWithin(value, within) : value.place;
    const subject = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
    this.found.push({ place, message: `tables[${this.#index}]${subject}: ${rule}` });
  }

  #at(path: readonly (string | number)[]): YamlValue {
    let value: YamlMapping | YamlList | YamlScalar = this.#table;
    for (const part of path) {
      const next: YamlValue | undefined =
        value.kind === 'mapping'
          ? entryOf(value, String(part))?.value
          : value.kind === 'list'
            ? value.items[Number(part)]
            : undefined;
      if (next === undefined) break;
      value = next;
    }
    return value;
  }
}
