/**
 * Runs deletions whose order matters: a schema that others refer to is refused until these are deleted. Returns what
 * was refused to the end, with the last refusal.
 */
export async function inAnyOrder<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
  isReferenced: (error: unknown) => boolean,
): Promise<{ readonly left: readonly Item[]; readonly problem: unknown }> {
  let left = items;
  let problem: unknown;
  while (left.length > 0) {
    const postponed: Item[] = [];
    for (const item of left) {
      try {
        await run(item);
      } catch (error) {
        if (!isReferenced(error)) throw error;
        problem = error;
        postponed.push(item);
      }
    }
    if (postponed.length === left.length) break;
    left = postponed;
  }
  return { left, problem };
}
