import type { AcknowledgeType, ShareError } from '@weir/cluster';
import { expire } from './acquire.ts';
import {
  available,
  done,
  type PartitionRules,
  released,
  type SharePartition,
  type Span,
} from './share-partition.ts';

/** The acknowledgement of a range of records. */
export interface Acknowledgement {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly type: AcknowledgeType;
}

/**
 * Applies the acknowledgements of a member, all or none. The member must hold every record, except those before the
 * window: they are done, and a late repetition is harmless.
 */
export function acknowledge(
  partition: SharePartition,
  memberId: string,
  rows: readonly Acknowledgement[],
  nowMs: number,
  rules: PartitionRules,
): ShareError {
  expire(partition, nowMs, rules);
  let before = -1;
  for (const { first, last, type } of rows) {
    if (!(Number.isSafeInteger(first) && Number.isSafeInteger(last))) return 'INVALID_REQUEST';
    if (first <= before || last < first) return 'INVALID_REQUEST';
    if (type === 'renew' && !rules.mayRenew) return 'INVALID_REQUEST';
    before = last;
    if (!holds(partition, memberId, first, last)) return 'INVALID_RECORD_STATE';
  }
  const { startOffset } = partition;
  for (const { first, last, type } of rows) {
    if (last < startOffset) continue;
    const next = outcomes[type];
    partition.change(Math.max(first, startOffset), last, (span) => next(span, nowMs, rules));
  }
  partition.tidy();
  return 'NONE';
}

const outcomes: {
  readonly [Type in AcknowledgeType]: (span: Span, nowMs: number, rules: PartitionRules) => Span;
} = {
  gap: (span) => done(span, 'archived'),
  accept: (span) => done(span, 'acknowledged'),
  release: (span, _nowMs, rules) => released(span, rules),
  reject: (span) => done(span, 'archived'),
  renew: (span, nowMs, { lockMs }) => ({ ...span, lockedUntilMs: nowMs + lockMs }),
  return: (span) => available(span, span.deliveryCount - 1),
};

function holds(partition: SharePartition, memberId: string, first: number, last: number): boolean {
  if (last < partition.startOffset) return true;
  if (last >= partition.endOffset) return false;
  for (const span of partition.overlapping(Math.max(first, partition.startOffset), last)) {
    if (span.state !== 'acquired' || span.memberId !== memberId) return false;
  }
  return true;
}
