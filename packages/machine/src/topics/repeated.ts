/** Returns the values that occur more than once. */
export function repeated<Value>(values: readonly Value[]): ReadonlySet<Value> {
  const seen = new Set<Value>();
  const twice = new Set<Value>();
  for (const value of values) (seen.has(value) ? twice : seen).add(value);
  return twice;
}
