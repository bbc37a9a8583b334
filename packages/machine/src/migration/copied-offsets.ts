import type { CopiedGroupOffsets, CopiedGroupResult } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { ownMigrationOf } from '../managed/managed-topics.ts';
import type { GroupOffsets } from '../offsets/commit-offsets.ts';

type OffsetError = CopiedGroupResult['offsets'][number];

/** What is admitted of one group, and which of its offsets these are. */
interface AdmittedGroup {
  readonly group: number;
  readonly rows: readonly number[];
  readonly offsets: GroupOffsets;
}

/**
 * An offset that is there already is committed again when it is older than this: a group that has no members here would
 * lose its offsets by `offsets.retention.minutes` although it lives at the source.
 */
const refreshedAfterMs = 30 * 60_000;

/**
 * Decides which offsets of the source are committed here: of topics that the migration still manages, not beyond the
 * copy, and never backwards (U6). The coordinator has found the groups empty.
 */
export function admitCopiedOffsets(
  state: ClusterState,
  pipelineId: string,
  groups: readonly CopiedGroupOffsets[],
  nowMs: number,
): { admitted: AdmittedGroup[]; errors: OffsetError[][] } {
  const admitted: AdmittedGroup[] = [];
  const errors = groups.map(({ groupId, offsets }, group) => {
    const rows: number[] = [];
    const errorsOfGroup = offsets.map((wanted, row): OffsetError => {
      const error = problemOf(state, pipelineId, groupId, wanted, nowMs);
      if (error === undefined) rows.push(row);
      return error ?? 'NONE';
    });
    // Epochs of the source mean nothing here.
    const own = rows.map((row) => ({ ...offsets[row]!, leaderEpoch: -1 }));
    if (rows.length > 0) admitted.push({ group, rows, offsets: { groupId, retentionMs: -1, offsets: own } });
    return errorsOfGroup;
  });
  return { admitted, errors };
}

/** Returns why an offset is not committed, or `NONE` if it is there already; `undefined` if it is to be committed. */
function problemOf(
  state: ClusterState,
  pipelineId: string,
  groupId: string,
  { topicId, partition, offset }: CopiedGroupOffsets['offsets'][number],
  nowMs: number,
): OffsetError | undefined {
  const topic = state.topics.byId(topicId);
  if (topic === undefined) return 'UNKNOWN_TOPIC_ID';
  const log = topic.partitions[partition];
  if (log === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
  if (ownMigrationOf(state, topicId)?.pipelineId !== pipelineId) return 'NOT_MANAGED';
  if (offset > log.nextOffset) return 'OFFSET_OUT_OF_RANGE';
  const committed = state.offsets.get(groupId, topic.number, partition);
  if (committed === undefined || committed.offset < offset) return undefined;
  return committed.offset === offset && nowMs - committed.committedMs >= refreshedAfterMs
    ? undefined
    : 'NONE';
}
