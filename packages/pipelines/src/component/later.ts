/** A result that may be there already: most work needs no promise. */
export type Later<T> = T | Promise<T>;

/** Goes on with a result, at once if it is there. */
export function after<T, Result>(value: Later<T>, next: (value: T) => Later<Result>): Later<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Calls for one item after the other, and for the next when the last call has ended. */
export function inOrder<T, Result>(
  items: readonly T[],
  call: (item: T, index: number) => Later<Result>,
): Later<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < items.length; index++) {
    const result = call(items[index]!, index);
    if (result instanceof Promise) return restInOrder(items, call, results, result);
    results.push(result);
  }
  return results;
}

async function restInOrder<T, Result>(
  items: readonly T[],
  call: (item: T, index: number) => Later<Result>,
  results: Result[],
  first: Promise<Result>,
): Promise<Result[]> {
  results.push(await first);
  for (let index = results.length; index < items.length; index++)
    results.push(await call(items[index]!, index));
  return results;
}
