import {
  boundedSourceTopic,
  type CopiedTopicState,
  type MigrationReport,
  migrationLine,
  type ReportedMigration,
  type ReportedMigrationTopic,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';
import { metadataLimits } from '../limits.ts';

/** What no report confirmed for so long is not known any more. */
const silenceMsMax = 60_000;

/** A cluster has one migration; a few more may be known after one was replaced. */
const migrationsMax = 8;

interface Known<Value> {
  readonly value: Value;
  /** By the monotonic clock. */
  readonly atMs: number;
}

interface Migration {
  /** By name here. */
  readonly topics: Map<string, Known<ReportedMigrationTopic>>;
  /** By slot. */
  readonly copied: Map<number, Known<readonly CopiedTopicState[]>>;
  /** By slot; -1 is the job that keeps the topics. */
  readonly errors: Map<number, Known<string>>;
  atMs: number;
}

/** What agents last reported about migrations. In memory only: the next leader receives the next reports. */
export class MigrationReports {
  readonly #clock: Clock;
  readonly #migrations = new Map<string, Migration>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  receive(report: MigrationReport): void {
    const { pipelineId, slot = -1, topics = [], copied, error } = report;
    const { reportedMigrationTopicsMax, reportedMigrationPartitionsMax } = clusterLimits;
    if (Math.max(topics.length, copied?.length ?? 0) > reportedMigrationTopicsMax)
      throw new RangeError(`a report has at most ${reportedMigrationTopicsMax} topics`);
    // A topic alone may have more.
    const partitionCount = topics.reduce((sum, { sourceEnds }) => sum + sourceEnds.length, 0);
    if (topics.length > 1 && partitionCount > reportedMigrationPartitionsMax)
      throw new RangeError(`a report has at most ${reportedMigrationPartitionsMax} partitions`);
    const atMs = this.#clock.monotonicMs();
    const migration = this.#open(pipelineId, atMs);
    if (error === undefined) migration.errors.delete(slot);
    else if (migration.errors.size < metadataLimits.openMigrationJobsMax + 1)
      migration.errors.set(slot, { value: migrationLine(error), atMs });
    const reportedMs = this.#clock.nowMs();
    let held = 0;
    for (const { value } of migration.topics.values()) held += value.sourceEnds.length;
    for (const topic of topics.map(boundedSourceTopic)) {
      const before = migration.topics.get(topic.topic)?.value.sourceEnds.length ?? 0;
      held += topic.sourceEnds.length - before;
      migration.topics.delete(topic.topic);
      if (migration.topics.size >= metadataLimits.migrationTopicsMax) continue;
      if (held > metadataLimits.migrationPartitionsMax) continue;
      migration.topics.set(topic.topic, { value: { ...topic, reportedMs }, atMs });
    }
    if (copied !== undefined && slot >= 0 && slot < metadataLimits.openMigrationJobsMax)
      migration.copied.set(slot, { value: copied.map(boundedCopy), atMs });
  }

  get(pipelineId: string): ReportedMigration {
    const migration = this.#migrations.get(pipelineId);
    if (migration === undefined) return { topics: [], copied: [], errors: [] };
    const oldestMs = this.#clock.monotonicMs() - silenceMsMax;
    for (const known of [migration.topics, migration.copied, migration.errors])
      forgetBefore(known as Map<unknown, Known<unknown>>, oldestMs);
    return {
      topics: Array.from(migration.topics.values(), ({ value }) => value),
      copied: sumsOf([...migration.copied.values()].flatMap(({ value }) => value)),
      errors: [...new Set(Array.from(migration.errors.values(), ({ value }) => value))],
    };
  }

  #open(pipelineId: string, atMs: number): Migration {
    const known = this.#migrations.get(pipelineId);
    if (known !== undefined) {
      known.atMs = atMs;
      return known;
    }
    if (this.#migrations.size >= migrationsMax) {
      const [oldest] = [...this.#migrations].toSorted(([, a], [, b]) => a.atMs - b.atMs);
      this.#migrations.delete(oldest![0]);
    }
    const opened = { topics: new Map(), copied: new Map(), errors: new Map(), atMs };
    this.#migrations.set(pipelineId, opened);
    return opened;
  }
}

function forgetBefore<Key>(known: Map<Key, Known<unknown>>, oldestMs: number): void {
  for (const [key, { atMs }] of known) if (atMs < oldestMs) known.delete(key);
}

function boundedCopy(copy: CopiedTopicState): CopiedTopicState {
  return copy.error === undefined ? copy : { ...copy, error: migrationLine(copy.error) };
}

/** What all slots do together, topic by topic. */
function sumsOf(copies: readonly CopiedTopicState[]): readonly CopiedTopicState[] {
  const sums = new Map<string, CopiedTopicState>();
  for (const copy of copies) {
    const before = sums.get(copy.topicId);
    sums.set(
      copy.topicId,
      before === undefined
        ? copy
        : {
            topicId: copy.topicId,
            bytesPerSecond: before.bytesPerSecond + copy.bytesPerSecond,
            recordsPerSecond: before.recordsPerSecond + copy.recordsPerSecond,
            error: before.error ?? copy.error,
          },
    );
  }
  return [...sums.values()];
}
