/**
 * Runs a function for every item in order, with bounded concurrency. After a failure no further item starts; running
 * items are awaited, and then the first failure is thrown.
 */
export async function forEachBounded<Item>(
  items: readonly Item[],
  runningMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  async function worker(): Promise<void> {
    while (next < items.length && failure === undefined) {
      const item = items[next++]!;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(runningMax, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
}

/** Like `forEachBounded`, with the results in the order of the items. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  runningMax: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEachBounded([...items.entries()], runningMax, async ([index, item]) => {
    results[index] = await work(item);
  });
  return results;
}
