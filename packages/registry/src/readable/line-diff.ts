/** A line that both texts have, or that only the old or only the new one has. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Texts that differ in more lines than this are shown as one large replacement: the search is quadratic in it. */
const differencesMax = 1_000;

/** The shortest list of removed and added lines that leads from one text to the other (Myers' algorithm). */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let tail = 0;
  while (
    tail < before.length - start &&
    tail < after.length - start &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ sign: ' ', text }));
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const trace = searchPaths(before, after);
  if (trace === undefined)
    return [
      ...before.map((text): DiffLine => ({ sign: '-', text })),
      ...after.map((text): DiffLine => ({ sign: '+', text })),
    ];
  const lines: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  for (let distance = trace.length - 1; distance > 0; distance--) {
    const ends = trace[distance - 1]!;
    const diagonal = x - y;
    const isAdded = comesFromAbove(ends, diagonal, distance);
    const fromX = endOf(ends, isAdded ? diagonal + 1 : diagonal - 1, distance - 1);
    const fromY = fromX - (isAdded ? diagonal + 1 : diagonal - 1);
    while (x > fromX + (isAdded ? 0 : 1) && y > fromY + (isAdded ? 1 : 0)) {
      x--;
      y--;
      lines.push({ sign: ' ', text: before[x]! });
    }
    lines.push(isAdded ? { sign: '+', text: after[fromY]! } : { sign: '-', text: before[fromX]! });
    x = fromX;
    y = fromY;
  }
  while (x > 0) {
    x--;
    lines.push({ sign: ' ', text: before[x]! });
  }
  return lines.reverse();
}

/** For each number of differences, how far each diagonal gets in `before`; `undefined` if there are too many. */
function searchPaths(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const trace: Int32Array[] = [];
  const distanceMax = Math.min(before.length + after.length, differencesMax);
  for (let distance = 0; distance <= distanceMax; distance++) {
    const previous = trace[distance - 1];
    const ends = new Int32Array(2 * distance + 1);
    trace.push(ends);
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = 0;
      if (previous !== undefined)
        x = comesFromAbove(previous, diagonal, distance)
          ? endOf(previous, diagonal + 1, distance - 1)
          : endOf(previous, diagonal - 1, distance - 1) + 1;
      let y = x - diagonal;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++;
        y++;
      }
      ends[diagonal + distance] = x;
      if (x >= before.length && y >= after.length) return trace;
    }
  }
  return undefined;
}

function endOf(ends: Int32Array, diagonal: number, distance: number): number {
  return ends[diagonal + distance] ?? -1;
}

/** Whether the farthest path to this diagonal ends with an added line rather than a removed one. */
function comesFromAbove(previous: Int32Array, diagonal: number, distance: number): boolean {
  if (diagonal === -distance) return true;
  if (diagonal === distance) return false;
  return endOf(previous, diagonal - 1, distance - 1) < endOf(previous, diagonal + 1, distance - 1);
}
