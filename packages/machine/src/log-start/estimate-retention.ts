import type { RetentionEstimatePart, RetentionEstimatePlace, RetentionEstimateRequest } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { PointerPool } from '../log/pointer-pool.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { isManaged } from '../managed/managed-topics.ts';
import type { Topic } from '../topics/topics.ts';
import { countGone, type RetentionRule, ruleOf } from './retention.ts';

/**
 * Counts what retention would remove now from the topics whose retention a change of configs alters: with their present
 * configs, or with the new ones. Like `decideRetention`, a call examines a limited number of partitions and pointers
 * and returns where to continue.
 */
export function estimateRetention(
  state: ClusterState,
  limits: MachineLimits,
  { topicId, configs, rules }: RetentionEstimateRequest,
  from: RetentionEstimatePlace,
  nowMs: number,
): RetentionEstimatePart {
  const { clusterConfigs, pointers } = state;
  const rows: { name: string; records: number; bytes: number }[] = [];
  let partitionsLeft = limits.retentionPartitionsPerCallMax;
  let pointersLeft = limits.retentionPointersPerCallMax;
  for (const { number, description, partitions } of topicsFrom(state, topicId, from.topicNumber)) {
    const present = ruleOf(description.configs, clusterConfigs, nowMs);
    const altered =
      topicId === null ? ruleOf(description.configs, configs, nowMs) : ruleOf(configs, clusterConfigs, nowMs);
    const rule = rules === 'present' ? present : altered;
    const isExamined =
      rule !== undefined && !isManaged(state, description.topicId) && !isSame(present, altered);
    let records = 0;
    let bytes = 0;
    const part = (next: RetentionEstimatePlace | null) => {
      if (records > 0) rows.push({ name: description.name, records, bytes });
      return { topics: rows, next };
    };
    const isContinued = number === from.topicNumber;
    for (let partition = isContinued ? from.partition : 0; partition < partitions.length; partition++) {
      let place = isContinued && partition === from.partition ? from : placeOf(number, partition);
      if (partitionsLeft === 0 || pointersLeft === 0) return part(place);
      partitionsLeft--;
      if (!isExamined) continue;
      const log = partitions[partition]!;
      const firstIndex = indexOf(log, place.offset);
      const isWhole = pointersLeft === limits.retentionPointersPerCallMax;
      const { gone, seen } = countGone(
        log,
        pointers,
        rule,
        { firstIndex, bytesBefore: firstIndex === 0 ? 0 : place.bytesBefore },
        pointersLeft,
      );
      pointersLeft -= seen;
      const counted = countRecords(log, pointers, firstIndex, gone);
      records += counted.records;
      bytes += counted.bytes;
      // Without progress of a whole call, as with very many records without a timestamp, the rest counts as kept.
      if (pointersLeft > 0 || (gone === 0 && isWhole) || firstIndex + gone === log.pointerCount) continue;
      if (gone > 0) {
        const offset = log.endOf(firstIndex + gone - 1);
        place = { ...place, offset, bytesBefore: place.bytesBefore + counted.bytes };
      }
      return part(place);
    }
    part(null);
  }
  return { topics: rows, next: null };
}

function placeOf(topicNumber: number, partition: number): RetentionEstimatePlace {
  return { topicNumber, partition, offset: 0, bytesBefore: 0 };
}

function indexOf(log: PartitionLog, offset: number): number {
  if (offset <= log.logStartOffset) return 0;
  return offset >= log.nextOffset ? log.pointerCount : log.indexOfOffset(offset);
}

function* topicsFrom(state: ClusterState, topicId: string | null, topicNumber: number): Generator<Topic> {
  const one = topicId === null ? undefined : state.topics.byId(topicId);
  for (const topic of topicId === null ? state.topics.held() : one === undefined ? [] : [one]) {
    if (topic.number >= topicNumber && topic.deletedMs === undefined) yield topic;
  }
}

function isSame(a: RetentionRule | undefined, b: RetentionRule | undefined): boolean {
  return a?.oldestMs === b?.oldestMs && a?.bytesMax === b?.bytesMax;
}

/** Transaction markers have offsets and are no records. */
function countRecords(log: PartitionLog, pool: PointerPool, firstIndex: number, count: number) {
  let records = 0;
  let bytes = 0;
  for (let index = firstIndex; index < firstIndex + count; index++) {
    const slot = log.slot(index);
    if (pool.fileSlot(slot) === markerFileSlot) continue;
    records += log.endOf(index) - Math.max(pool.baseOffset(slot), log.logStartOffset);
    bytes += pool.byteLength(slot);
  }
  return { records, bytes };
}
