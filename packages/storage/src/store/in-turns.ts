/**
 * Calls a function for all items, at most `inFlightMax` at a time. After a failure no further call begins; it is thrown
 * when those in flight have ended.
 */
export async function inTurns<Item>(
  items: readonly Item[],
  inFlightMax: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failure: { readonly error: unknown } | undefined;
  async function work(): Promise<void> {
    for (const item of rest) {
      try {
        await run(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlightMax, items.length) }, work));
  if (failure !== undefined) throw failure.error;
}
