import {
  type JobsState,
  type ManagedTopicState,
  migrationTopicsKind,
  type ReportedMigration,
  type ReportedMigrationTopic,
} from '@weir/cluster';
import type { MigratedTopicFacts, MigrationFacts } from './diagnostic-snapshot.ts';

/** The migration of a cluster that should run. */
export interface WantedMigration {
  readonly pipelineId: string;
  readonly name: string;
}

/** What the leader and agents say about a migration. */
export function migrationFacts(
  { pipelineId, name }: WantedMigration,
  managed: readonly ManagedTopicState[],
  { topics, copied, errors }: ReportedMigration,
  { takers }: Pick<JobsState, 'takers'>,
): MigrationFacts {
  const reports = new Map(topics.map((topic) => [topic.topic, topic]));
  const copyErrors = new Map(copied.map(({ topicId, error }) => [topicId, error]));
  const here = managed.map((known): MigratedTopicFacts => {
    const { topic, migration, nextOffset } = known;
    const report = reports.get(topic.name);
    const isDone = migration.state === 'MIGRATED';
    return {
      name: topic.name,
      state: migration.state,
      changedBy: migration.changedBy,
      changedMs: migration.changedMs,
      reason: migration.reason,
      isCuttingOver: migration.deadlineMs !== undefined,
      partitionCount: nextOffset.length,
      lagOffsets: isDone ? 0 : lagOf(nextOffset, report),
      stopped: isDone ? [] : (report?.stopped ?? []),
      error: isDone ? undefined : (report?.error ?? copyErrors.get(topic.topicId)),
      unproxiedRecords: report?.hasUnproxiedLately === true ? (report.unproxiedRecords ?? 0) : 0,
    };
  });
  const names = new Set(managed.map(({ topic }) => topic.name));
  const others = topics
    .filter(({ topic }) => !names.has(topic))
    .map(
      ({ topic, sourceEnds, error }): MigratedTopicFacts => ({
        name: topic,
        state: undefined,
        changedBy: '',
        changedMs: 0,
        reason: '',
        isCuttingOver: false,
        partitionCount: sourceEnds.length,
        lagOffsets: undefined,
        stopped: [],
        error,
        unproxiedRecords: 0,
      }),
    );
  return {
    pipelineId,
    name,
    agentCount: takers.find(({ kind }) => kind === migrationTopicsKind)?.agentCount ?? 0,
    errors,
    topics: [...here, ...others],
  };
}

/** Absent if the end of one of the partitions is not known. */
function lagOf(nextOffset: Float64Array, report: ReportedMigrationTopic | undefined): number | undefined {
  if (report === undefined) return undefined;
  let lag = 0;
  for (const [partition, end] of report.sourceEnds.entries()) {
    if (end < 0) return undefined;
    lag += Math.max(0, end - (nextOffset[partition] ?? Math.max(0, report.sourceStarts[partition] ?? 0)));
  }
  return lag;
}
