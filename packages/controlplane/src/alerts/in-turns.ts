/** Works on items in order, several at a time. Rejects with the first failure. */
export async function inTurns<Item>(
  items: readonly Item[],
  runningMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // The workers share one iterator.
  const next = items.values();
  const takeTurns = async () => {
    for (const item of next) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(runningMax, items.length) }, takeTurns));
}
