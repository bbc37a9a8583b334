import { type ConfigTexts, topicConfigValue } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { PointerPool } from '../log/pointer-pool.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { isManaged } from '../managed/managed-topics.ts';
import type { LogStarts } from './log-starts.ts';

/** Position to continue from: a partition of the topic with this number, or the next existing one. */
export interface RetentionPlace {
  readonly topicNumber: number;
  readonly partition: number;
}

interface Retention {
  readonly starts: LogStarts;
  /** Position for the next call; `null` when all partitions have been examined. */
  readonly next: RetentionPlace | null;
}

/**
 * Decides which log starts retention raises, without applying it. It examines a limited number of partitions and
 * pointers and returns where to continue, so that a call is short whatever the backlog.
 *
 * A pointer has expired when all its records have (`retention.ms`), and is excess when the log is large enough without
 * it (`retention.bytes`). Only heads of logs are removed, never beyond the last stable offset, and nothing of a topic
 * that is only compacted (L10).
 */
export function decideRetention(
  state: ClusterState,
  limits: MachineLimits,
  from: RetentionPlace,
  nowMs: number,
): Retention {
  const { topics, clusterConfigs, pointers } = state;
  const starts = new Map<PartitionLog, number>();
  let partitionsLeft = limits.retentionPartitionsPerCallMax;
  let pointersLeft = limits.retentionPointersPerCallMax;
  for (const { number, description, partitions } of topics.live()) {
    if (number < from.topicNumber) continue;
    const rule = isManaged(state, description.topicId)
      ? undefined
      : ruleOf(description.configs, clusterConfigs, nowMs);
    const first = number === from.topicNumber ? from.partition : 0;
    for (let partition = first; partition < partitions.length; partition++) {
      if (partitionsLeft === 0 || pointersLeft === 0) {
        return { starts, next: { topicNumber: number, partition } };
      }
      partitionsLeft--;
      if (rule === undefined) continue;
      const log = partitions[partition]!;
      const { gone, seen } = countGone(log, pointers, rule, { firstIndex: 0, bytesBefore: 0 }, pointersLeft);
      pointersLeft -= seen;
      if (gone === 0) continue;
      starts.set(log, log.endOf(gone - 1));
      // The log may have more expired pointers.
      if (pointersLeft === 0) return { starts, next: { topicNumber: number, partition } };
    }
  }
  return { starts, next: null };
}

export interface RetentionRule {
  /** Older records are removed. */
  readonly oldestMs: number;
  /** A log that has at least this many bytes without its first pointer loses that pointer. */
  readonly bytesMax: number;
}

/** Returns `undefined` if retention deletes nothing. */
export function ruleOf(
  topicTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
  nowMs: number,
): RetentionRule | undefined {
  if (!topicConfigValue('cleanup.policy', topicTexts, clusterTexts).includes('delete')) return undefined;
  const retentionMs = topicConfigValue('retention.ms', topicTexts, clusterTexts);
  const retentionBytes = topicConfigValue('retention.bytes', topicTexts, clusterTexts);
  if (retentionMs < 0 && retentionBytes < 0) return undefined;
  return {
    oldestMs: retentionMs < 0 ? Number.NEGATIVE_INFINITY : nowMs - retentionMs,
    bytesMax: retentionBytes < 0 ? Number.POSITIVE_INFINITY : retentionBytes,
  };
}

/** Where in a log to begin: a pointer, and the bytes of the pointers before it. */
interface LogPlace {
  readonly firstIndex: number;
  readonly bytesBefore: number;
}

/**
 * Counts the pointers from a place on that retention removes, of at most `seenMax` that are examined. Those before the
 * place are removed too.
 */
export function countGone(
  log: PartitionLog,
  pool: PointerPool,
  rule: RetentionRule,
  { firstIndex, bytesBefore }: LogPlace,
  seenMax: number,
) {
  const { lastStableOffset } = log;
  const available = log.pointerCount - firstIndex;
  let bytesLeft = log.byteCount - bytesBefore;
  let gone = 0;
  let seen = 0;
  for (; seen < Math.min(available, seenMax); seen++) {
    if (log.endOf(firstIndex + seen) > lastStableOffset) break;
    const slot = log.slot(firstIndex + seen);
    const timestampMs = pool.maxTimestampMs(slot);
    bytesLeft -= pool.fileSlot(slot) === markerFileSlot ? 0 : pool.byteLength(slot);
    const isTooMuch = bytesLeft >= rule.bytesMax;
    // Records without a timestamp (negative) are as old as the records after them.
    if (isTooMuch || (timestampMs >= 0 && timestampMs < rule.oldestMs)) gone = seen + 1;
    else if (timestampMs >= 0 || rule.oldestMs === Number.NEGATIVE_INFINITY) break;
  }
  return { gone, seen };
}
