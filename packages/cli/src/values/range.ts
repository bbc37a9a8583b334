/** The limits of a number. `min` and `max` are inclusive, `above` is exclusive. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
}

export function isInRange(value: number, range: Range): boolean {
  if (range.min !== undefined && value < range.min) return false;
  if (range.max !== undefined && value > range.max) return false;
  return range.above === undefined || value > range.above;
}

/** `1MiB to 128MiB`, `at least 25ms`, `at most 128MiB`, `above 0`; `undefined` when everything is in range. */
export function rangeInWords(
  { min, max, above }: Range,
  print: (value: number) => string,
): string | undefined {
  if (min !== undefined && max !== undefined) return `${print(min)} to ${print(max)}`;
  if (above !== undefined && max !== undefined) return `above ${print(above)}, at most ${print(max)}`;
  if (min !== undefined) return `at least ${print(min)}`;
  if (max !== undefined) return `at most ${print(max)}`;
  return above === undefined ? undefined : `above ${print(above)}`;
}
