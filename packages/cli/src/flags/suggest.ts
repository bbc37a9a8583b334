/** The known name that was most likely meant, or `undefined` when none is near. */
export function nearestName(unknown: string, known: readonly string[]): string | undefined {
  const lowercased = unknown.toLowerCase();
  let nearest: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(lowercased, name.toLowerCase());
    if (nearest === undefined || distance < nearest.distance) nearest = { name, distance };
  }
  if (nearest === undefined) return undefined;
  // A quarter of the letters may be wrong; beyond that a suggestion misleads more often than it helps.
  return nearest.distance <= Math.max(1, Math.floor(nearest.name.length / 4)) ? nearest.name : undefined;
}

/** How many letters must be added, dropped, changed or swapped with their neighbour to turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let distance = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
      );
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap && row > 1 && column > 1) distance = Math.min(distance, beforeLast[column - 2]! + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
