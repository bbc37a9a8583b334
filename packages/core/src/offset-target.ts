/** From where a group goes on. */
export type OffsetTarget =
  | { readonly kind: 'earliest' | 'latest' | 'current' }
  | { readonly kind: 'offset'; readonly offset: bigint }
  | { readonly kind: 'shift'; readonly by: bigint }
  | { readonly kind: 'time'; readonly timestampMs: number };

interface OffsetRange {
  readonly earliest: bigint;
  readonly latest: bigint;
}

export interface PartitionFacts extends OffsetRange {
  /** Absent if the group has committed none. */
  readonly committed: bigint | undefined;
  /** The first offset of the wanted time, or -1 if there is no such record. */
  readonly atTime?: bigint | undefined;
}

interface NewOffset {
  readonly offset: bigint;
  /** What was asked for, if the partition does not have it. */
  readonly outOfRange?: bigint;
}

/** The new offset, clamped as by Kafka's tool; `undefined` where there is no offset that could be shifted. */
export function newOffset(target: OffsetTarget, facts: PartitionFacts): NewOffset | undefined {
  const { committed, earliest, latest, atTime } = facts;
  switch (target.kind) {
    case 'earliest':
      return { offset: earliest };
    case 'latest':
      return { offset: latest };
    case 'current':
      return { offset: committed ?? latest };
    case 'time':
      return { offset: atTime === undefined || atTime < 0n ? latest : atTime };
    case 'offset':
      return clamped(target.offset, facts);
    case 'shift':
      return committed === undefined ? undefined : clamped(committed + target.by, facts);
  }
}

function clamped(wanted: bigint, { earliest, latest }: OffsetRange): NewOffset {
  if (wanted < earliest) return { offset: earliest, outOfRange: wanted };
  return wanted > latest ? { offset: latest, outOfRange: wanted } : { offset: wanted };
}
