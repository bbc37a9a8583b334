import { clusterLimits } from '../limits.ts';
import * as s from '../shapes/shape.ts';
import { leaderCall } from './call.ts';

/** A partition that a migration does not copy any more until an operator decides. */
const stoppedPartition = s.struct({
  partition: s.whole,
  /** Why, in one line. */
  error: s.text,
});

/** A topic of the source that a migration is about, as the job that keeps its topics knows it. */
const sourceTopicState = s.struct({
  /** Its name here. */
  topic: s.text,
  sourceTopic: s.text,
  /** Absent while there is no managed topic: `error` says why. */
  topicId: s.optional(s.text),
  /** The epoch of the migration of the topic that the agent knew when it read the ends below. */
  epoch: s.optional(s.whole),
  /** Per partition of the source; -1 if it is not known. */
  sourceStarts: s.column(Float64Array),
  sourceEnds: s.column(Float64Array),
  /** How often in a row the ends were read with the same result in that epoch, with a pause between. */
  unchangedReads: s.whole,
  /** Records that the source got in this epoch without the agents, while these pass on what clients write. */
  unproxiedRecords: s.optional(s.whole),
  /** Whether there were some in the last seconds, which hold back a cut-over. */
  hasUnproxiedLately: s.optional(s.flag),
  /** Why a cut-over that was asked for waits, in one line. */
  held: s.optional(s.text),
  /** At most `reportedStoppedPartitionsMax`. */
  stopped: s.list(stoppedPartition),
  error: s.optional(s.text),
});
export type SourceTopicState = s.TypeOf<typeof sourceTopicState>;

/** What one slot copies of a topic. */
const copiedTopicState = s.struct({
  topicId: s.text,
  /** Of the last seconds. */
  bytesPerSecond: s.number,
  recordsPerSecond: s.number,
  /** What went wrong last, in one line; absent since it worked again. */
  error: s.optional(s.text),
});
export type CopiedTopicState = s.TypeOf<typeof copiedTopicState>;

const migrationReport = s.struct({
  agentId: s.text,
  pipelineId: s.text,
  /** The slot that reports what it copies; absent in reports of the job that keeps the topics. */
  slot: s.optional(s.whole),
  /** Of the job that keeps the topics. A long list takes several reports. */
  topics: s.optional(s.list(sourceTopicState)),
  copied: s.optional(s.list(copiedTopicState)),
  /** Why the job as a whole does not get on, in one line; absent since it worked again. */
  error: s.optional(s.text),
});
export type MigrationReport = s.TypeOf<typeof migrationReport>;

/** What is known of a topic of a migration. */
export interface ReportedMigrationTopic extends SourceTopicState {
  /** By the clock of the leader. */
  readonly reportedMs: number;
}

/** What agents last reported about a migration. */
export interface ReportedMigration {
  readonly topics: readonly ReportedMigrationTopic[];
  /** Of all slots together. */
  readonly copied: readonly CopiedTopicState[];
  /** Of the jobs as a whole; one line each. */
  readonly errors: readonly string[];
}

/** Calls about how a migration gets on. */
export const migrationReportCalls = {
  /** Reports what a job of a migration does. A leader forgets it after a minute. */
  reportMigration: leaderCall<[report: MigrationReport], void>(s.tuple(migrationReport), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Returns what agents last reported about a migration. */
  describeReportedMigration: leaderCall<[pipelineId: string], ReportedMigration>(s.tuple(s.text), {
    membersOnly: true,
    onRetry: 'reexecute',
  }),
};

/** Splits what an agent knows of the topics of a migration into reports within the limits of a call. */
export function migrationTopicReports(
  { agentId, pipelineId, error }: Pick<MigrationReport, 'agentId' | 'pipelineId' | 'error'>,
  topics: readonly SourceTopicState[],
): readonly MigrationReport[] {
  const { reportedMigrationTopicsMax, reportedMigrationPartitionsMax } = clusterLimits;
  const parts: SourceTopicState[][] = [[]];
  let partitionCount = 0;
  for (const topic of topics.map(boundedSourceTopic)) {
    partitionCount += topic.sourceEnds.length;
    const open = parts.at(-1)!;
    const isFull =
      open.length >= reportedMigrationTopicsMax || partitionCount > reportedMigrationPartitionsMax;
    if (isFull && open.length > 0) {
      parts.push([topic]);
      partitionCount = topic.sourceEnds.length;
    } else open.push(topic);
  }
  return parts.map((part) => ({ agentId, pipelineId, error, topics: part }));
}

/** Without what a report has no room for. */
export function boundedSourceTopic(topic: SourceTopicState): SourceTopicState {
  return {
    ...topic,
    stopped: topic.stopped
      .slice(0, clusterLimits.reportedStoppedPartitionsMax)
      .map(({ partition, error }) => ({ partition, error: migrationLine(error) })),
    held: topic.held === undefined ? undefined : migrationLine(topic.held),
    error: topic.error === undefined ? undefined : migrationLine(topic.error),
  };
}

/** A message as one line of bounded length. */
export function migrationLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, clusterLimits.reportedTableTextCharsMax);
}
