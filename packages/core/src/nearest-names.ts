/** Longer names are no typos, and would take long to compare. */
const charsMax = 64;

/** With more edits than this it is another name. */
const mistakesMax = 4;

/** The name that the user probably meant, if one is near enough. */
export function nearestName(typed: string, names: Iterable<string>): string | undefined {
  return nearestNames(typed, names, 1)[0];
}

/** The names that the user probably meant, nearest first. */
export function nearestNames(typed: string, names: Iterable<string>, countMax = 3): string[] {
  if (typed.length > charsMax) return [];
  const wanted = typed.toLowerCase();
  const editsMax = Math.min(mistakesMax, Math.max(1, Math.floor(typed.length / 3)));
  const suffix = `.${wanted}`;
  const near: { name: string; edits: number }[] = [];
  for (const name of names) {
    const found = name.toLowerCase();
    // A field without its path matches the whole name: `operation` for `data.operation`.
    const edits = found.endsWith(suffix) ? 0 : editsBetween(wanted, found, editsMax);
    if (edits <= editsMax) near.push({ name, edits });
  }
  near.sort((one, other) => one.edits - other.edits || (one.name < other.name ? -1 : 1));
  return near.slice(0, countMax).map(({ name }) => name);
}

/**
 * The number of characters to replace, insert, delete or swap with a neighbour; some larger number if it exceeds the
 * limit. Only the part of the table near the diagonal is computed: the rest has more edits than allowed.
 */
function editsBetween(one: string, other: string, editsMax: number): number {
  const tooMany = editsMax + 1;
  if (Math.abs(one.length - other.length) > editsMax) return tooMany;
  let fewestLast = 0;
  let beforeLast: number[] = [];
  let last: number[] = [];
  for (let n = 0; n <= other.length; n++) last.push(Math.min(n, tooMany));
  for (let i = 1; i <= one.length; i++) {
    const row: number[] = new Array(other.length + 1).fill(tooMany);
    let fewest = tooMany;
    if (i <= editsMax) fewest = row[0] = i;
    const end = Math.min(other.length, i + editsMax);
    for (let j = Math.max(1, i - editsMax); j <= end; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let edits = Math.min(last[j - 1]! + (isSame ? 0 : 1), last[j]! + 1, row[j - 1]! + 1);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row[j] = edits;
      fewest = Math.min(fewest, edits);
    }
    // A swap continues the row before the last one; from two rows above the limit nothing gets below it again.
    if (fewest > editsMax && fewestLast > editsMax) return tooMany;
    fewestLast = fewest;
    [beforeLast, last] = [last, row];
  }
  return last.at(-1)!;
}
