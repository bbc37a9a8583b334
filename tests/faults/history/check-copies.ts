/** A record of the source, by its place. */
export interface SourcePlace {
  readonly partition: number;
  readonly offset: number;
}

/** A copy that was found in the target. */
export interface FoundCopy {
  readonly of: SourcePlace;
  readonly partition: number;
  readonly offset: number;
}

/** What was seen at one time: committed offsets of the group first, and where the target ended then. */
export interface Observation {
  readonly committed: ReadonlyMap<number, number>;
  readonly ends: ReadonlyMap<number, number>;
}

/**
 * Checks copies of a topic that a group made at least once. Returns what is wrong: a record without a copy, or an
 * offset that was committed before all records before it had a copy.
 */
export function checkCopies(
  counts: readonly number[],
  copies: readonly FoundCopy[],
  observations: readonly Observation[],
): readonly string[] {
  const first = new Map<string, FoundCopy[]>();
  for (const copy of copies) {
    const place = `${copy.of.partition}:${copy.of.offset}`;
    first.set(place, [...(first.get(place) ?? []), copy]);
  }
  const findings: string[] = [];
  /** By partition of the source, and by offset: the copies that are needed before that offset may be committed. */
  const needed = counts.map((count, partition) => {
    const before: (readonly FoundCopy[])[] = [];
    for (let offset = 0; offset < count; offset++) {
      const found = first.get(`${partition}:${offset}`);
      if (found === undefined) findings.push(`record ${offset} of partition ${partition} has no copy`);
      before.push(found ?? []);
    }
    return before;
  });
  /** Up to which offset the copies were there, in the order of observations: later ones have at least as much. */
  const reached = counts.map(() => 0);
  for (const { committed, ends } of observations)
    for (const [partition, offset] of committed) {
      const before = needed[partition] ?? [];
      const isThere = (copy: FoundCopy) => copy.offset < (ends.get(copy.partition) ?? 0);
      while (reached[partition]! < offset && before[reached[partition]!]?.some(isThere))
        reached[partition]!++;
      if (reached[partition]! >= offset) continue;
      findings.push(
        `offset ${offset} of partition ${partition} was committed before record ${reached[partition]} had a copy`,
      );
    }
  return findings;
}
