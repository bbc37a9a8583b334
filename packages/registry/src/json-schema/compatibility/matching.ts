/**
 * Pairs the left with the right nodes of a graph so that as many as possible have a partner. `edges` lists the right
 * nodes of each left one. Each left node that is left over looks for a way to shift partners (Kuhn's algorithm), which
 * takes at most as many steps as there are edges.
 */
export function maximumMatching(
  edges: readonly (readonly number[])[],
  rightCount: number,
  work: (steps: number) => void,
): (readonly [left: number, right: number])[] {
  const partners = new Array<number>(rightCount).fill(-1);
  const visitedBy = new Array<number>(rightCount).fill(-1);
  for (const start of edges.keys()) findPartner(start);
  return partners
    .flatMap((left, right) => (left === -1 ? [] : [[left, right] as const]))
    .sort(([left], [right]) => left - right);

  /** Depth first, without recursion: each entry of `path` tries its edges in order. */
  function findPartner(start: number): void {
    const path = [{ left: start, at: 0 }];
    const chosen: number[] = [];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const right = edges[top.left]![top.at++];
      work(1 / 16);
      if (right === undefined) {
        path.pop();
        chosen.pop();
        continue;
      }
      if (visitedBy[right] === start) continue;
      visitedBy[right] = start;
      chosen.push(right);
      const holder = partners[right]!;
      if (holder === -1) {
        for (const [index, { left }] of path.entries()) partners[chosen[index]!] = left;
        return;
      }
      path.push({ left: holder, at: 0 });
    }
  }
}
