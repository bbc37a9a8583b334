import {
  acquired,
  available,
  done,
  type PartitionRules,
  released,
  type SharePartition,
  type Span,
} from './share-partition.ts';

/** The part of a log that can be acquired now. */
export interface ReadableLog {
  /** The log start offset. */
  readonly startOffset: number;
  /** The offset after the last record that can be acquired. */
  readonly endOffset: number;
  /** Offsets without records, ascending. */
  readonly gaps: readonly Pick<Span, 'first' | 'last'>[];
}

interface Acquirer {
  readonly memberId: string;
  readonly recordsMax: number;
}

/**
 * Acquires records for a member: released records first, then those that no member had yet, in offset order. Only
 * available records are acquired, so no two members hold a record at the same time.
 */
export function acquire(
  partition: SharePartition,
  { memberId, recordsMax }: Acquirer,
  log: ReadableLog,
  nowMs: number,
  rules: PartitionRules,
): Span[] {
  partition.startNoEarlierThan(log.startOffset);
  expire(partition, nowMs, rules);
  const taken: Span[] = [];
  const lockedUntilMs = nowMs + rules.lockMs;
  let left = recordsMax;
  for (const span of partition.spans.filter(({ state }) => state === 'available')) {
    if (left <= 0 || span.first >= log.endOffset) break;
    const last = Math.min(span.last, log.endOffset - 1, span.first + left - 1);
    partition.change(span.first, last, (own) => acquired(own, memberId, lockedUntilMs));
    taken.push(acquired({ ...span, last }, memberId, lockedUntilMs));
    left -= last - span.first + 1;
  }
  for (const span of beyond(partition, log, left, rules)) {
    const own = span.isGap ? done(span, 'archived') : acquired(available(span, 0), memberId, lockedUntilMs);
    partition.append(own);
    if (!span.isGap) taken.push(own);
  }
  partition.tidy();
  return joined(taken);
}

/** Returns whether `acquire` would return records. */
export function mayAcquire(partition: SharePartition, log: ReadableLog, rules: PartitionRules): boolean {
  const { firstAvailable, endOffset, startOffset } = partition;
  const offset = Math.max(firstAvailable, log.startOffset);
  if (offset >= log.endOffset) return false;
  return offset < endOffset || offset < Math.max(startOffset, log.startOffset) + rules.windowMax;
}

/**
 * Releases expired locks, and archives records that have reached the delivery limit: the limit may have been lowered,
 * and a failover ends the locks of last deliveries. Returns whether anything changed.
 */
export function expire(partition: SharePartition, nowMs: number, rules: PartitionRules): boolean {
  const isExpired = partition.changeAll(
    ({ state, deliveryCount, lockedUntilMs }) =>
      lockedUntilMs <= nowMs || (state === 'available' && deliveryCount >= rules.deliveriesMax),
    (span) => released(span, rules),
  );
  if (isExpired) partition.tidy();
  return isExpired;
}

/** Releases all locks of a member. Returns whether it had any. */
export function releaseAll(partition: SharePartition, memberId: string, rules: PartitionRules): boolean {
  const isReleased = partition.changeAll(
    (span) => span.state === 'acquired' && span.memberId === memberId,
    (span) => released(span, rules),
  );
  if (isReleased) partition.tidy();
  return isReleased;
}

/** Yields the acquirable ranges after the window, records and gaps in order. Gaps do not count against the limit. */
function* beyond(
  partition: SharePartition,
  { endOffset, gaps }: ReadableLog,
  recordsMax: number,
  { windowMax }: PartitionRules,
): Generator<{ readonly first: number; readonly last: number; readonly isGap: boolean }> {
  let at = partition.endOffset;
  const end = Math.min(endOffset, partition.startOffset + windowMax);
  let left = recordsMax;
  for (const gap of [...gaps, { first: end, last: end }]) {
    if (gap.last < at) continue;
    const last = Math.min(gap.first - 1, end - 1, at + left - 1);
    if (last >= at) {
      yield { first: at, last, isGap: false };
      left -= last - at + 1;
      at = last + 1;
    }
    if (left <= 0 || at >= end || at < gap.first) return;
    yield { first: at, last: Math.min(gap.last, end - 1), isGap: true };
    at = gap.last + 1;
  }
}

/** Merges adjacent spans of equal delivery count. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const before = all.at(-1);
    if (
      before !== undefined &&
      before.last + 1 === span.first &&
      before.deliveryCount === span.deliveryCount
    ) {
      all[all.length - 1] = { ...before, last: span.last };
    } else all.push(span);
  }
  return all;
}
