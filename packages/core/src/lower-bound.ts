/** The first index whose item is not before what is sought, by binary search; the length if there is none. */
export function lowerBound<Item>(sorted: readonly Item[], isBefore: (item: Item) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(sorted[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
