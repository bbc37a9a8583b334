import { systemClock } from '@weir/core';
import { headerAt, RecordBatchView } from '@weir/wire';
import type {
  CopiedPart,
  CopyDestination,
  CopyEnd,
  CopyOutcome,
  GroupOffsets,
  LastBatch,
  ManagedLogStart,
  ManagedTopicState,
  ManagedTopicView,
  SourceTopicReport,
  StateChanges,
  TopicsDestination,
  TopicToManage,
} from '../src/engine/index.ts';
import { endBatchOf } from '../src/truncation/index.ts';

interface MemoryPartition {
  readonly parts: Buffer[];
  logStart: number;
  end: number;
}

interface MemoryTopic {
  view: ManagedTopicView;
  configs: Readonly<Record<string, string>>;
  readonly partitions: MemoryPartition[];
}

/** A cluster that a migration writes to, in memory, with the rules of the real one that its jobs rely on. */
export class MemoryDestination implements CopyDestination, TopicsDestination {
  readonly topics = new Map<string, MemoryTopic>();
  readonly committed = new Map<string, number>();
  readonly groupsWithMembers = new Set<string>();
  readonly acls: unknown[] = [];
  readonly configs: Record<string, string> = {};
  /** Why no partitions can be added, if so. */
  growthRefusal: string | undefined;
  forwardedRecords = 0;
  unconfirmedAgents: readonly string[] = [];
  reported: readonly SourceTopicReport[] = [];
  error: string | undefined;
  /** Answers of appends in place of the real ones, one each. */
  readonly nextOutcomes: CopyOutcome[] = [];
  /** Appends wait for this, and read their bytes afterwards. */
  beforeAppend: () => Promise<void> = () => Promise.resolve();
  #lastId = 0;
  #changedMs = 0;

  topic(name: string): MemoryTopic {
    const found = [...this.topics.values()].find(({ view }) => view.name === name);
    if (found === undefined) throw new Error(`there is no topic ${name}`);
    return found;
  }

  /** The bytes of a partition, one batch after another. */
  bytes(name: string, partition = 0): Buffer {
    return Buffer.concat(this.topic(name).partitions[partition]!.parts);
  }

  managedTopics(): readonly ManagedTopicView[] {
    return Array.from(this.topics.values(), ({ view }) => view);
  }

  endOffset(topicId: string, partition: number): number | undefined {
    return this.topics.get(topicId)?.partitions[partition]?.end;
  }

  async append(part: CopiedPart): Promise<CopyOutcome> {
    const scripted = this.nextOutcomes.shift();
    if (scripted !== undefined) return scripted;
    const { topicId, partition, expectedOffset, nextOffset, slices } = part;
    const topic = this.topics.get(topicId);
    if (topic === undefined) return { error: 'UNKNOWN_TOPIC_ID', nextOffset: -1, message: 'gone' };
    if (topic.view.state === 'MIGRATED')
      return { error: 'NOT_MANAGED', nextOffset: -1, message: 'handed over' };
    const log = topic.partitions[partition]!;
    await this.beforeAppend();
    // The caller has the bytes back when this settles.
    const copy = Buffer.concat(slices);
    if (log.end !== expectedOffset)
      return { error: 'END_CHANGED', nextOffset: log.end, message: `ends at ${log.end}` };
    log.parts.push(copy);
    log.end = nextOffset;
    return { error: 'NONE', nextOffset };
  }

  async lastBatches(ends: readonly CopyEnd[]): Promise<readonly (LastBatch | undefined)[]> {
    return ends.map(({ topicId, partition }) => {
      const topic = this.topics.get(topicId);
      const bytes = topic?.partitions[partition]?.parts.at(-1);
      if (topic === undefined || bytes === undefined) return undefined;
      let batch = new RecordBatchView(bytes);
      for (let at = 0; at < bytes.length; at += headerAt.batchLength + 4 + batch.batchLength)
        batch = new RecordBatchView(bytes.subarray(at));
      const isCompacted = topic.configs['cleanup.policy']?.includes('compact') === true;
      return { batch: endBatchOf(batch, Number(batch.baseOffset)), isCompacted };
    });
  }

  async moveLogStarts(starts: readonly ManagedLogStart[]) {
    return starts.map(({ topicId, partition, logStartOffset, endOffset }) => {
      const log = this.topics.get(topicId)!.partitions[partition]!;
      if (logStartOffset > log.end) {
        if (endOffset !== log.end)
          return { error: 'END_CHANGED', logStartOffset: log.logStart, nextOffset: log.end };
        log.parts.length = 0;
        log.end = logStartOffset;
      }
      log.logStart = Math.max(log.logStart, logStartOffset);
      return { error: 'NONE', logStartOffset: log.logStart, nextOffset: log.end };
    });
  }

  async list(topicIds?: readonly string[]): Promise<readonly ManagedTopicState[]> {
    return [...this.topics.values()]
      .filter(({ view }) => topicIds === undefined || topicIds.includes(view.topicId))
      .map(({ view, configs, partitions }) => ({
        topic: { topicId: view.topicId, name: view.name, partitionCount: partitions.length, configs },
        migration: view,
        logStartOffset: Float64Array.from(partitions, ({ logStart }) => logStart),
        nextOffset: Float64Array.from(partitions, ({ end }) => end),
        lastStableOffset: Float64Array.from(partitions, ({ end }) => end),
        forwardedRecords: this.forwardedRecords,
        unconfirmedAgents: this.unconfirmedAgents,
      }));
  }

  async manage(topics: readonly TopicToManage[]) {
    return topics.map(({ name, sourceTopic, sourceTopicId, configs, logStarts }) => {
      const topicId = `id-${++this.#lastId}`;
      const view: ManagedTopicView = {
        topicId,
        name,
        partitionCount: logStarts.length,
        sourceTopic,
        sourceTopicId,
        state: 'REPLICATING',
        epoch: 1,
        changedMs: 0,
        changedBy: 'migration',
        reason: '',
      };
      const partitions = Array.from(logStarts, (start) => ({ parts: [], logStart: start, end: start }));
      this.topics.set(topicId, { view, configs, partitions });
      return { error: 'NONE', message: null };
    });
  }

  async grow(topics: Parameters<TopicsDestination['grow']>[0]) {
    return topics.map(({ topicId, partitionCount, logStarts }) => {
      const topic = this.topics.get(topicId)!;
      if (topic.partitions.length !== partitionCount || this.growthRefusal !== undefined)
        return { error: 'INVALID_PARTITIONS', message: this.growthRefusal ?? 'another count' };
      for (const start of logStarts) topic.partitions.push({ parts: [], logStart: start, end: start });
      topic.view = { ...topic.view, partitionCount: topic.partitions.length };
      return { error: 'NONE', message: null };
    });
  }

  async remove(topicIds: readonly string[]) {
    return topicIds.map((topicId) => {
      this.topics.delete(topicId);
      return { error: 'NONE', message: null };
    });
  }

  async setConfigs(topics: Parameters<TopicsDestination['setConfigs']>[0]) {
    return topics.map(({ topicId, configs }) => {
      this.topics.get(topicId)!.configs = configs;
      return { error: 'NONE', message: null };
    });
  }

  async changeStates(changes: StateChanges, changedBy = 'migration') {
    const { topics, to, reason, lastsMs } = changes;
    const deadlineMs = lastsMs === undefined ? changes.deadlineMs : systemClock.nowMs() + lastsMs;
    this.#changedMs++;
    const found = topics.map(({ topicId }) => this.topics.get(topicId)!);
    const isCurrent = found.every(
      ({ view }, at) => view.state === topics[at]!.from && view.epoch === topics[at]!.epoch,
    );
    if (!isCurrent) return { error: 'CHANGED', message: 'changed meanwhile' };
    for (const topic of found)
      topic.view = {
        ...topic.view,
        state: to,
        epoch: topic.view.epoch + 1,
        deadlineMs,
        reason,
        changedBy,
        changedMs: this.#changedMs,
      };
    return { error: 'NONE', message: null };
  }

  async commitOffsets(groups: readonly GroupOffsets[]) {
    return groups.map(({ groupId, offsets }) => {
      if (this.groupsWithMembers.has(groupId)) return { error: 'NON_EMPTY_GROUP', offsets: [] };
      return {
        error: 'NONE',
        offsets: offsets.map(({ topicId, partition, offset }) => {
          this.committed.set(`${groupId} ${this.topics.get(topicId)!.view.name} ${partition}`, offset);
          return 'NONE';
        }),
      };
    });
  }

  async createAcls(acls: readonly unknown[]) {
    this.acls.push(...acls);
    return acls.map(() => ({ message: null }));
  }

  clusterConfigs(): Readonly<Record<string, string>> {
    return this.configs;
  }

  async setClusterConfigs(configs: Readonly<Record<string, string>>): Promise<readonly string[]> {
    Object.assign(this.configs, configs);
    return [];
  }

  report(topics: readonly SourceTopicReport[], error: string | undefined): void {
    this.reported = topics;
    this.error = error;
  }
}
