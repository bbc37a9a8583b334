interface Facet {
  readonly name: string;
  readonly types: readonly string[];
  readonly events: number;
  readonly distinct_values: number;
}

/**
 * Fields that distinguish events come first: those with several values that repeat. Then those with a single value, and
 * those that are different in nearly every event. An object has no values of its own, and is left out.
 */
export function usefulFirst<Field extends Facet>(fields: readonly Field[]): readonly Field[] {
  return fields
    .filter(({ types }) => types.some((type) => type !== 'object'))
    .sort((a, b) => rank(a) - rank(b));
}

function rank({ distinct_values: values, events }: Facet): number {
  if (values <= 1) return 1;
  return values > events / 2 && values > 5 ? 2 : 0;
}
