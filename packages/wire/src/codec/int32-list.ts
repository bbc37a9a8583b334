/**
 * Short lists of int32 are the replicas of partitions, and a cluster has few distinct ones. Equal lists share one
 * array: in a Metadata response with 10,000 partitions that saves most of the allocations.
 *
 * Only the types prevent callers from changing them. Frozen arrays would enforce it, and double the time of decoding.
 */
const slotCount = 256;
const empty: readonly number[] = [];
const shared: (readonly number[])[] = new Array<readonly number[]>(slotCount).fill(empty);

/** Reads `count` numbers. The caller has checked that they are within the view. */
export function int32List(view: DataView, start: number, count: number): readonly number[] {
  switch (count) {
    case 0:
      return empty;
    case 1:
      return one(view.getInt32(start));
    case 3:
      return three(view.getInt32(start), view.getInt32(start + 4), view.getInt32(start + 8));
    default:
      return fresh(view, start, count);
  }
}

function one(first: number): readonly number[] {
  const slot = first & (slotCount - 1);
  const found = shared[slot]!;
  if (found.length === 1 && found[0] === first) return found;
  const list = [first];
  shared[slot] = list;
  return list;
}

function three(first: number, second: number, third: number): readonly number[] {
  const slot = (first * 31 + second * 7 + third) & (slotCount - 1);
  const found = shared[slot]!;
  if (found.length === 3 && found[0] === first && found[1] === second && found[2] === third) return found;
  const list = [first, second, third];
  shared[slot] = list;
  return list;
}

function fresh(view: DataView, start: number, count: number): readonly number[] {
  const list = new Array<number>(count);
  for (let index = 0, at = start; index < count; index++, at += 4) list[index] = view.getInt32(at);
  return list;
}
