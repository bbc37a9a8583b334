import type { CutOverHold, MigrationTopicState, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import {
  type CopiedTopicState,
  type JobsState,
  type ManagedTopicState,
  migrationTopicsKind,
  type ReportedMigration,
  type ReportedMigrationTopic,
} from '@weir/cluster';
import { timeText } from '@weir/core';

type Described = OutputOf<'orbit/describe_migration'>;
export type MigrationTopic = Described['topics'][number];
type Sums = Omit<Described['totals'], 'partition_count'>;
type Partition = NonNullable<Described['partitions']>[number];
type Hold = MigrationTopic['holds'][number];

/** What is known of a migration. */
export interface MigrationFacts {
  readonly isRunning: boolean;
  /** Topics that are here, those that are handed over too. */
  readonly managed: readonly ManagedTopicState[];
  readonly reported: ReportedMigration;
  /** Absent while the leader does not say. */
  readonly jobs?: Pick<JobsState, 'takers'> | undefined;
}

/** How many agents a hold names. */
const shownAgentsMax = 3;

const states: Readonly<Record<ManagedTopicState['migration']['state'], MigrationTopicState>> = {
  REPLICATING: 'replicating',
  PROXY: 'proxy',
  BLOCKED: 'blocked',
  MIGRATED: 'migrated',
};

export function stateOf({ migration }: ManagedTopicState): MigrationTopicState {
  return states[migration.state];
}

/** Whether a cut-over was asked for and has not ended. */
export function isCuttingOver({ migration: { state, deadlineMs } }: ManagedTopicState): boolean {
  return state === 'BLOCKED' || (state === 'PROXY' && deadlineMs !== undefined);
}

/** All topics of a migration by name: those that are here, and those that the source has and that are not here. */
export function topicsOf(facts: MigrationFacts): readonly MigrationTopic[] {
  const { managed, reported } = facts;
  const reports = new Map(reported.topics.map((topic) => [topic.topicId ?? topic.topic, topic]));
  const copies = new Map(reported.copied.map((copy) => [copy.topicId, copy]));
  const here = managed.map((topic) => {
    const { topicId: id, name } = topic.topic;
    return managedTopic(facts, topic, reports.get(id) ?? reports.get(name), copies.get(id));
  });
  const names = new Set(managed.map(({ topic }) => topic.name));
  const others = reported.topics.filter(({ topic }) => !names.has(topic)).map(waitingTopic);
  return [...here, ...others]
    .sort((a, b) => (a.topic < b.topic ? -1 : 1))
    .slice(0, apiLimits.describedMigrationTopicsMax);
}

function managedTopic(
  facts: MigrationFacts,
  known: ManagedTopicState,
  report: ReportedMigrationTopic | undefined,
  copy: CopiedTopicState | undefined,
): MigrationTopic {
  const { topic, migration } = known;
  const { sourceTopic, epoch, changedMs, changedBy, reason, deadlineMs } = migration;
  const sums = sumsOf(known, report, copy);
  const error = report?.error ?? copy?.error;
  return {
    topic: topic.name,
    topic_id: topic.topicId,
    source_topic: lineOf(sourceTopic),
    state: stateOf(known),
    epoch,
    changed_at: timeText(changedMs),
    changed_by: lineOf(changedBy),
    ...(reason === '' ? {} : { reason: lineOf(reason) }),
    cut_over_requested: isCuttingOver(known),
    ...(deadlineMs === undefined ? {} : { deadline: timeText(deadlineMs) }),
    partition_count: known.nextOffset.length,
    ...sums,
    ...(report === undefined ? {} : { reported_at: timeText(report.reportedMs) }),
    ...(error === undefined ? {} : { error: lineOf(error) }),
    holds: migration.state === 'MIGRATED' ? [] : holdsOf(facts, known, report, copy),
  };
}

/** A topic of the source that is not here. */
function waitingTopic(report: ReportedMigrationTopic): MigrationTopic {
  const { topic, sourceTopic, sourceEnds, error, reportedMs } = report;
  const message = error === undefined ? 'it is not created yet' : lineOf(error);
  return {
    topic: topic.slice(0, 249),
    source_topic: lineOf(sourceTopic),
    state: error === undefined ? 'waiting' : 'refused',
    cut_over_requested: false,
    partition_count: sourceEnds.length,
    ...sourceOffsets(report),
    copied_offsets: 0,
    bytes: 0,
    bytes_per_second: 0,
    records_per_second: 0,
    forwarded_records: 0,
    stopped_partitions: 0,
    reported_at: timeText(reportedMs),
    ...(error === undefined ? {} : { error: message }),
    holds: [{ code: 'not_copied', message }],
  };
}

function sumsOf(
  { migration, logStartOffset, nextOffset, byteCount, forwardedRecords }: ManagedTopicState,
  report: ReportedMigrationTopic | undefined,
  copy: CopiedTopicState | undefined,
): Sums {
  const isDone = migration.state === 'MIGRATED';
  const lag = isDone ? undefined : lagOf(nextOffset, report);
  const { bytesPerSecond = 0, recordsPerSecond = 0 } = (isDone ? undefined : copy) ?? {};
  let copied = 0;
  for (const [partition, next] of nextOffset.entries())
    copied += Math.max(0, next - logStartOffset[partition]!);
  return {
    ...(lag === undefined ? {} : { lag_offsets: lag }),
    ...(isDone ? {} : sourceOffsets(report)),
    copied_offsets: copied,
    bytes: whole(byteCount),
    bytes_per_second: Math.max(0, bytesPerSecond),
    records_per_second: Math.max(0, recordsPerSecond),
    ...etaOf(lag, recordsPerSecond),
    forwarded_records: whole(forwardedRecords),
    ...(report?.unproxiedRecords === undefined ? {} : { unproxied_records: whole(report.unproxiedRecords) }),
    stopped_partitions: isDone ? 0 : (report?.stopped.length ?? 0),
  };
}

/** Absent if the end of one of the partitions is not known. */
function lagOf(nextOffset: Float64Array, report: ReportedMigrationTopic | undefined): number | undefined {
  if (report === undefined) return undefined;
  let lag = 0;
  for (const [partition, end] of report.sourceEnds.entries()) {
    if (end < 0) return undefined;
    // A partition that is not here yet lacks all that the source has.
    const next = nextOffset[partition] ?? Math.max(0, report.sourceStarts[partition] ?? 0);
    lag += Math.max(0, end - next);
  }
  return lag;
}

function sourceOffsets(report: ReportedMigrationTopic | undefined): Pick<Sums, 'source_offsets'> {
  if (report === undefined) return {};
  let offsets = 0;
  for (const [partition, end] of report.sourceEnds.entries()) {
    const start = report.sourceStarts[partition] ?? -1;
    if (end < 0 || start < 0) return {};
    offsets += Math.max(0, end - start);
  }
  return { source_offsets: offsets };
}

function etaOf(lag: number | undefined, recordsPerSecond: number): Pick<Sums, 'eta_seconds'> {
  if (lag === undefined || lag === 0 || recordsPerSecond <= 0) return {};
  return { eta_seconds: whole(Math.ceil(lag / recordsPerSecond)) };
}

/** What keeps a topic from being cut over, from what a user decided to what only time mends. */
function holdsOf(
  { isRunning, jobs }: MigrationFacts,
  known: ManagedTopicState,
  report: ReportedMigrationTopic | undefined,
  copy: CopiedTopicState | undefined,
): Hold[] {
  const { migration, nextOffset, lastStableOffset, unconfirmedAgents } = known;
  const found: Hold[] = [];
  const add = (code: CutOverHold, message: string) => found.push({ code, message: lineOf(message) });
  if (!isRunning) add('pipeline_paused', 'the pipeline is paused: start it');
  const { agentCount = 1 } =
    jobs === undefined
      ? {}
      : (jobs.takers.find(({ kind }) => kind === migrationTopicsKind) ?? { agentCount: 0 });
  if (agentCount === 0) add('no_agent', 'no agent runs migrations: start one with the role jobs');
  if (migration.state === 'REPLICATING')
    add(
      'not_forwarding',
      'agents do not pass writes on to the source yet: start forwarding, and point producers here',
    );
  if (report === undefined) {
    if (isRunning && agentCount > 0) add('no_report', 'no agent has reported about it in the last minute');
  } else if (report.error !== undefined) add('source_failing', report.error);
  if (copy?.error !== undefined) add('copy_failing', copy.error);
  const [stopped] = report?.stopped ?? [];
  if (stopped !== undefined)
    add(
      'partition_stopped',
      `${report!.stopped.length} of ${nextOffset.length} partitions are stopped; partition ${stopped.partition}: ${stopped.error}`,
    );
  const { unproxiedRecords = 0, hasUnproxiedLately = false } = report ?? {};
  if (hasUnproxiedLately && migration.state === 'PROXY')
    add(
      'unproxied_writes',
      `the source got ${unproxiedRecords} records past the agents, some of them in the last half minute: point the producers that are left here, or stop them`,
    );
  const lag = lagOf(nextOffset, report);
  if (lag !== undefined && lag > 0) add('lag', `the copy is ${lag} offsets behind the source`);
  let open = 0;
  for (const [partition, next] of nextOffset.entries()) if (lastStableOffset[partition]! < next) open++;
  if (open > 0)
    add('open_transaction', `${open} partitions have a transaction that has not ended at the source`);
  if (migration.state === 'BLOCKED' && unconfirmedAgents.length > 0) {
    const more = unconfirmedAgents.length - shownAgentsMax;
    const shown = unconfirmedAgents.slice(0, shownAgentsMax).join(', ');
    add('unconfirmed_agents', `may still pass writes on: ${shown}${more > 0 ? `, and ${more} more` : ''}`);
  }
  // The engine names what is above in its own words.
  if (found.length === 0 && report?.held !== undefined && isCuttingOver(known))
    add('cut_over_waits', report.held);
  return found;
}

/** The sums of all topics. What is not known of one is not known of all. */
export function totalsOf(topics: readonly MigrationTopic[]): Described['totals'] {
  const open = topics.filter(({ state }) => state !== 'migrated' && state !== 'refused');
  const sum = (of: (topic: MigrationTopic) => number, some = topics) =>
    whole(some.reduce((total, topic) => total + of(topic), 0));
  const knownSum = (of: (topic: MigrationTopic) => number | undefined) =>
    open.some((topic) => of(topic) === undefined) ? undefined : sum((topic) => of(topic)!, open);
  const lag = knownSum(({ lag_offsets }) => lag_offsets);
  const source = knownSum(({ source_offsets }) => source_offsets);
  const recordsPerSecond = topics.reduce((total, topic) => total + topic.records_per_second, 0);
  const unproxied = topics.filter(({ unproxied_records }) => unproxied_records !== undefined);
  return {
    partition_count: sum(({ partition_count }) => partition_count),
    ...(lag === undefined ? {} : { lag_offsets: lag }),
    ...(source === undefined ? {} : { source_offsets: source }),
    copied_offsets: sum(({ copied_offsets }) => copied_offsets),
    bytes: sum(({ bytes }) => bytes),
    bytes_per_second: topics.reduce((total, topic) => total + topic.bytes_per_second, 0),
    records_per_second: recordsPerSecond,
    ...etaOf(lag, recordsPerSecond),
    forwarded_records: sum(({ forwarded_records }) => forwarded_records),
    ...(unproxied.length === 0
      ? {}
      : { unproxied_records: sum(({ unproxied_records }) => unproxied_records ?? 0) }),
    stopped_partitions: sum(({ stopped_partitions }) => stopped_partitions),
  };
}

/** The partitions of one topic. */
export function partitionsOf(
  { logStartOffset, nextOffset, lastStableOffset, migration }: ManagedTopicState,
  report: ReportedMigrationTopic | undefined,
): Partition[] {
  const isDone = migration.state === 'MIGRATED';
  const errors = new Map(isDone ? [] : report?.stopped.map(({ partition, error }) => [partition, error]));
  return Array.from(
    nextOffset.subarray(0, apiLimits.describedMigrationPartitionsMax),
    (next, partition): Partition => {
      const start = isDone ? -1 : (report?.sourceStarts[partition] ?? -1);
      const end = isDone ? -1 : (report?.sourceEnds[partition] ?? -1);
      const error = errors.get(partition);
      return {
        partition,
        first_offset: whole(logStartOffset[partition]!),
        next_offset: whole(next),
        last_stable_offset: whole(lastStableOffset[partition]!),
        ...(start < 0 ? {} : { source_first_offset: start }),
        ...(end < 0 ? {} : { source_next_offset: end, lag_offsets: Math.max(0, end - next) }),
        is_stopped: error !== undefined,
        ...(error === undefined ? {} : { error: lineOf(error) }),
      };
    },
  );
}

/** As text that an answer may have. */
export function lineOf(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, apiLimits.migrationMessageCharsMax)
    .toWellFormed();
}

function whole(value: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(value)));
}
