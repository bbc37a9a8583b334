import { type ConfigTexts, topicConfigValue } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { PointerPool } from '../log/pointer-pool.ts';
import type { MachineLimits } from '../machine-limits.ts';
import type { LogStarts } from './log-starts.ts';

/** Where to go on looking: a partition of the topic with this number, or the first one behind it that is there. */
export interface RetentionPlace {
  readonly topicNumber: number;
  readonly partition: number;
}

interface Retention {
  readonly starts: LogStarts;
  /** Where the next call goes on; `null` when all partitions have been looked at. */
  readonly next: RetentionPlace | null;
}

/**
 * Decides which logs begin later because their records are too old or too many; changes nothing. It looks at so many partitions
 * and pointers and says where to go on, so that a call is short whatever has piled up.
 *
 * A pointer is out of date when all its records are (`retention.ms`), and too much when the log is large enough without it
 * (`retention.bytes`). Only heads of logs go, never beyond the last stable offset, and nothing of a topic that is only compacted.
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
    const rule = ruleOf(description.configs, clusterConfigs, nowMs);
    const first = number === from.topicNumber ? from.partition : 0;
    for (let partition = first; partition < partitions.length; partition++) {
      if (partitionsLeft === 0 || pointersLeft === 0) {
        return { starts, next: { topicNumber: number, partition } };
      }
      partitionsLeft--;
      if (rule === undefined) continue;
      const log = partitions[partition]!;
      const { gone, seen } = countGone(log, pointers, rule, pointersLeft);
      pointersLeft -= seen;
      if (gone === 0) continue;
      starts.set(log, log.endOf(gone - 1));
      // There may be more of the same log.
      if (pointersLeft === 0) return { starts, next: { topicNumber: number, partition } };
    }
  }
  return { starts, next: null };
}

interface Rule {
  /** Records that are older than this go. */
  readonly oldestMs: number;
  /** A log that has at least this much without its first pointer loses it. */
  readonly bytesMax: number;
}

function ruleOf(topicTexts: ConfigTexts, clusterTexts: ConfigTexts, nowMs: number): Rule | undefined {
  if (!topicConfigValue('cleanup.policy', topicTexts, clusterTexts).includes('delete')) return undefined;
  const retentionMs = topicConfigValue('retention.ms', topicTexts, clusterTexts);
  const retentionBytes = topicConfigValue('retention.bytes', topicTexts, clusterTexts);
  if (retentionMs < 0 && retentionBytes < 0) return undefined;
  return {
    oldestMs: retentionMs < 0 ? Number.NEGATIVE_INFINITY : nowMs - retentionMs,
    bytesMax: retentionBytes < 0 ? Number.POSITIVE_INFINITY : retentionBytes,
  };
}

function countGone(log: PartitionLog, pool: PointerPool, rule: Rule, seenMax: number) {
  const { lastStableOffset } = log;
  let bytesLeft = log.byteCount;
  let gone = 0;
  let seen = 0;
  for (; seen < Math.min(log.pointerCount, seenMax); seen++) {
    if (log.endOf(seen) > lastStableOffset) break;
    const slot = log.slot(seen);
    const timestampMs = pool.maxTimestampMs(slot);
    bytesLeft -= pool.fileSlot(slot) === markerFileSlot ? 0 : pool.byteLength(slot);
    const isTooMuch = bytesLeft >= rule.bytesMax;
    // Records without a time, which have a negative one, are as old as what follows them.
    if (isTooMuch || (timestampMs >= 0 && timestampMs < rule.oldestMs)) gone = seen + 1;
    else if (timestampMs >= 0 || rule.oldestMs === Number.NEGATIVE_INFINITY) break;
  }
  return { gone, seen };
}
