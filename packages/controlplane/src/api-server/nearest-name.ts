/** Longer ones are nobody's mistake in typing. */
const charsMax = 64;

/** The name that somebody probably meant, if one is near enough. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (typed.length > charsMax) return undefined;
  let nearest: string | undefined;
  let leastEdits = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    if (Math.abs(name.length - typed.length) >= leastEdits) continue;
    const edits = editsBetween(typed, name);
    if (edits < leastEdits) [nearest, leastEdits] = [name, edits];
  }
  return nearest;
}

/** Levenshtein's distance, a row of the table at a time. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const swap = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
