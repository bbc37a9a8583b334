import { type ClusterChange, clusterConfigValue, type GroupError, type OffsetToCommit } from '@weir/cluster';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { layoutOf, type OffsetLayout, readOffset, writeOffset } from './offset-field.ts';
import type { OffsetRow } from './offsets.ts';

/** The offsets of one group in a commit. The group coordinator has already admitted the commit. */
export interface GroupOffsets {
  readonly groupId: string;
  /** -1 for the cluster's retention of offsets. */
  readonly retentionMs: number;
  readonly offsets: readonly OffsetToCommit[];
}

/** One group in a journal entry. */
interface CommittedGroup {
  readonly groupId: string;
  readonly expiresMs: number | undefined;
  readonly rows: readonly OffsetRow[];
}

/** Remaining capacity for offsets. Counts everything that a call adds, even if it replaces an existing offset. */
export class OffsetBudget {
  #rows: number;
  #chars: number;

  constructor({ offsets }: ClusterState, limits: MachineLimits) {
    this.#rows = limits.committedOffsetsMax - offsets.count - offsets.pendingCount;
    this.#chars = limits.offsetTextCharsMax - offsets.textChars;
  }

  take(rows: number, chars: number): boolean {
    if (rows > this.#rows || chars > this.#chars) return false;
    this.#rows -= rows;
    this.#chars -= chars;
    return true;
  }
}

/**
 * Decides which offsets of a group can be stored, one error per offset; changes only the budget. Negative offsets are
 * stored as in Kafka: clients commit -1 and -2 to forget their position, and read them back.
 */
export function validateOffsets(
  state: ClusterState,
  budget: OffsetBudget,
  groupId: string,
  offsets: readonly OffsetToCommit[],
): { errors: GroupError[]; rows: OffsetRow[] } {
  const metadataCharsMax = clusterConfigValue('offset.metadata.max.bytes', state.clusterConfigs);
  const rows: OffsetRow[] = [];
  const errors = offsets.map((wanted): GroupError => {
    const { topicId, partition, offset, leaderEpoch, metadata } = wanted;
    const topic = state.topics.byId(topicId);
    if (topic === undefined) return 'UNKNOWN_TOPIC_ID';
    if (!(partition in topic.partitions)) return 'UNKNOWN_TOPIC_OR_PARTITION';
    if (metadata.length > metadataCharsMax) return 'OFFSET_METADATA_TOO_LARGE';
    if (!Number.isSafeInteger(offset)) return 'INVALID_REQUEST';
    if (!Number.isInteger(leaderEpoch) || leaderEpoch < -1 || leaderEpoch > 0x7fff_ffff) {
      return 'INVALID_REQUEST';
    }
    const stored = state.offsets.get(groupId, topic.number, partition);
    const chars = metadata.length - (stored?.metadata.length ?? -groupId.length);
    if (!budget.take(stored === undefined ? 1 : 0, chars)) return 'INVALID_COMMIT_OFFSET_SIZE';
    rows.push({ topicNumber: topic.number, partition, offset, leaderEpoch, metadata });
    return 'NONE';
  });
  return { errors, rows };
}

/** Decides a commit of many groups without applying it. */
export function decideCommitOffsets(
  state: ClusterState,
  limits: MachineLimits,
  groups: readonly GroupOffsets[],
  nowMs: number,
): { committed: CommittedGroup[]; results: GroupError[][] } {
  const budget = new OffsetBudget(state, limits);
  const committed: CommittedGroup[] = [];
  const results = groups.map(({ groupId, retentionMs, offsets }) => {
    const { errors, rows } = validateOffsets(state, budget, groupId, offsets);
    const expiresMs = retentionMs < 0 ? undefined : nowMs + retentionMs;
    if (rows.length > 0) committed.push({ groupId, expiresMs, rows });
    return errors;
  });
  return { committed, results };
}

export function layoutOfCommit(groups: readonly CommittedGroup[]): OffsetLayout {
  return groups.some(({ rows }) => layoutOf(rows) === 'signed') ? 'signed' : 'unsigned';
}

export function writeOffsetsCommitted(
  writer: ByteWriter,
  groups: readonly CommittedGroup[],
  layout: OffsetLayout,
): void {
  writer.varint(groups.length);
  for (const { groupId, expiresMs, rows } of groups) {
    writer.text(groupId);
    writer.varint(expiresMs === undefined ? 0 : expiresMs + 1);
    writeOffsetRows(writer, rows, layout);
  }
}

export function applyOffsetsCommitted(
  state: ClusterState,
  reader: ByteReader,
  layout: OffsetLayout,
): readonly ClusterChange[] | undefined {
  for (let groups = reader.varint(); groups > 0; groups--) {
    const groupId = reader.text();
    const expiresMsPlusOne = reader.varint();
    const expiresMs = expiresMsPlusOne === 0 ? undefined : expiresMsPlusOne - 1;
    for (const row of readOffsetRows(reader, layout)) {
      state.offsets.commit(groupId, row, state.nowMs, expiresMs);
    }
  }
  return undefined;
}

export function writeOffsetRows(writer: ByteWriter, rows: readonly OffsetRow[], layout: OffsetLayout): void {
  writer.varint(rows.length);
  for (const { topicNumber, partition, offset, leaderEpoch, metadata } of rows) {
    writer.varint(topicNumber);
    writer.varint(partition);
    writeOffset(writer, offset, layout);
    writer.varint(leaderEpoch + 1);
    writer.text(metadata);
  }
}

export function readOffsetRows(reader: ByteReader, layout: OffsetLayout): OffsetRow[] {
  const rows: OffsetRow[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    rows.push({
      topicNumber: reader.varint(),
      partition: reader.varint(),
      offset: readOffset(reader, layout),
      leaderEpoch: reader.varint() - 1,
      metadata: reader.text(),
    });
  }
  return rows;
}
