import type { CallName, TopicCloneResult, TopicResult } from '@weir/cluster';
import type { ClusterMachine } from '../../../packages/machine/src/machine.ts';
import { CompactedModel, compactionLagMs, deleteRetentionMs } from './compacted-model.ts';
import type { LifeWorld } from './life-world.ts';
import { LogProblem } from './log-problem.ts';
import { type AnyLogModel, PartitionModel, type RetentionRule } from './partition-model.ts';
import { dayMs, hourMs, minuteMs, softDeleteTtlMs, timerMs } from './setting.ts';
import { type BatchDraft, type TransactionalClient, writeFile } from './traffic.ts';

export interface TopicModel {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: readonly AnyLogModel[];
  readonly rule: RetentionRule;
  readonly isTransactional: boolean;
  readonly isCompacted: boolean;
  state: 'live' | 'deleted' | 'gone';
}

interface TopicKind {
  readonly name: string;
  readonly partitionCount: number;
  readonly rule: RetentionRule;
  /** The mean time between files with records of it, and the number of batches of one. */
  readonly meanMs: number;
  readonly batchesMax: number;
  /** Files that come together. */
  readonly burst?: number;
  readonly valueBytesMax: number;
  readonly isTransactional?: boolean;
  readonly isCompacted?: boolean;
}

const kinds: readonly TopicKind[] = [
  {
    name: 'busy',
    partitionCount: 3,
    rule: { retentionMs: dayMs, retentionBytes: -1 },
    meanMs: 40 * minuteMs,
    batchesMax: 4,
    valueBytesMax: 30,
  },
  {
    name: 'slow',
    partitionCount: 1,
    rule: { retentionMs: 7 * dayMs, retentionBytes: -1 },
    meanMs: 7 * hourMs,
    batchesMax: 1,
    valueBytesMax: 60,
  },
  {
    name: 'bursts',
    partitionCount: 2,
    rule: { retentionMs: -1, retentionBytes: 8 * 1024 },
    meanMs: 16 * hourMs,
    batchesMax: 3,
    burst: 25,
    valueBytesMax: 40,
  },
  {
    name: 'large',
    partitionCount: 1,
    rule: { retentionMs: 2 * dayMs, retentionBytes: 24 * 1024 },
    meanMs: 5 * hourMs,
    batchesMax: 2,
    valueBytesMax: 900,
  },
  {
    name: 'kept',
    partitionCount: 2,
    rule: { retentionMs: -1, retentionBytes: -1 },
    meanMs: 5 * hourMs,
    batchesMax: 2,
    valueBytesMax: 30,
  },
  {
    name: 'transactions',
    partitionCount: 2,
    rule: { retentionMs: 4 * dayMs, retentionBytes: -1 },
    meanMs: 10 * hourMs,
    batchesMax: 1,
    valueBytesMax: 30,
    isTransactional: true,
  },
  {
    name: 'table',
    partitionCount: 2,
    rule: { retentionMs: -1, retentionBytes: -1 },
    meanMs: 3 * hourMs,
    batchesMax: 3,
    valueBytesMax: 40,
    isTransactional: true,
    isCompacted: true,
  },
];

const keyCount = 12;

const shortLived: Omit<TopicKind, 'name'> = {
  partitionCount: 1,
  rule: { retentionMs: 3 * dayMs, retentionBytes: -1 },
  meanMs: 2 * hourMs,
  batchesMax: 2,
  valueBytesMax: 50,
};

const adminAttempts = 60;

type Every = (meanMs: number, run: () => Promise<void> | void) => void;

/** The topics of a cluster, their traffic, and what clients and admins do to them. */
export class TopicLife {
  readonly #world: LifeWorld;
  readonly #topics: TopicModel[] = [];
  #hasEnded = false;
  #created = 0;

  constructor(world: LifeWorld) {
    this.#world = world;
  }

  live(): TopicModel[] {
    return this.#topics.filter(({ state }) => state === 'live');
  }

  /** Live topics, and those that can be restored. */
  held(): TopicModel[] {
    return this.#topics.filter(({ state }) => state !== 'gone');
  }

  end(): void {
    this.#hasEnded = true;
  }

  async begin(): Promise<void> {
    for (const kind of kinds) await this.#create(kind);
  }

  schedule(every: Every): void {
    for (const [index, { meanMs, batchesMax, burst = 1, valueBytesMax }] of kinds.entries()) {
      every(meanMs, async () => {
        const topic = this.#topics[index]!;
        for (let file = 0; file < burst && !this.#hasEnded; file++) {
          void this.#write(topic, batchesMax, valueBytesMax);
          if (burst > 1) await this.#world.wait(this.#world.random.next() * timerMs(4 * minuteMs));
        }
      });
    }
    every(2 * dayMs, () => this.#shortLife());
    every(9 * hourMs, () => this.#deleteRecords());
    every(3 * dayMs, () => this.#cloneLife());
  }

  /** Checks the starts of all logs after retention was applied. */
  checkRetention(machine: ClusterMachine, nowMs: number): void {
    for (const { topicId, partitions } of this.live()) {
      for (const model of partitions) {
        const query = { topicId, partition: model.partition, offset: 0, bytesMax: 1 };
        const { logStartOffset } = machine.findBatches([query])[0]!;
        if (logStartOffset > 0 && model instanceof PartitionModel)
          model.checkRetention(logStartOffset, nowMs);
      }
    }
  }

  /** One transaction of a client over one or two partitions of transactional topics. */
  async transaction(client: TransactionalClient): Promise<void> {
    const { random } = this.#world;
    const topics = this.live().filter(({ isTransactional }) => isTransactional);
    const partitions = topics.flatMap((topic) => topic.partitions);
    const steps = Array.from({ length: 1 + random.below(3) }, () =>
      Array.from({ length: 1 + random.below(2) }, () => this.#draft(partitions, 30)),
    );
    const roll = random.next();
    const end = roll < 0.6 ? 'commit' : roll < 0.92 ? 'abort' : 'abandon';
    await client.run(steps, end, 14 * minuteMs, () =>
      this.#world.wait(random.next() * timerMs(2 * minuteMs)),
    );
  }

  #draft(partitions: readonly AnyLogModel[], valueBytesMax: number): BatchDraft {
    const { random, clock } = this.#world;
    const recordCount = 1 + random.below(4);
    const partition = partitions[random.below(partitions.length)]!;
    const isKeyed = partition instanceof CompactedModel;
    return {
      partition,
      recordCount,
      // Clocks of clients differ too.
      timestampMs: clock.nowMs() - random.below(20 * minuteMs),
      valueBytes: random.below(valueBytesMax),
      keys: isKeyed ? Array.from({ length: recordCount }, () => `k${random.below(keyCount)}`) : [],
      tombstones: isKeyed
        ? Array.from({ length: recordCount }, (_, index) => index > 0 && random.next() < 0.2)
        : [],
    };
  }

  /** Writes a file with records of a topic, and of some others. */
  async #write(topic: TopicModel, batchesMax: number, valueBytesMax: number): Promise<void> {
    const { random } = this.#world;
    if (topic.state !== 'live') return;
    const drafts = Array.from({ length: 1 + random.below(batchesMax) }, () =>
      this.#draft(topic.partitions, valueBytesMax),
    );
    const others = this.live();
    for (let left = random.below(3); left > 0; left--) {
      const other = others[random.below(others.length)]!;
      drafts.push(this.#draft(other.partitions, 30));
    }
    try {
      const { repeat } = await writeFile(this.#world, this.#world.agent(), drafts);
      if (random.next() > 0.04) return;
      // The answer was lost on its way to the client, and an agent that was paused tries again.
      await this.#world.wait(random.next() * timerMs(3 * hourMs));
      await repeat();
    } catch (error) {
      if ((error as Error).name === 'LogProblem') this.#world.problem(error);
    }
  }

  async #deleteRecords(): Promise<void> {
    const { random, counts } = this.#world;
    const live = this.live().filter(({ isCompacted }) => !isCompacted);
    const { topicId, partitions } = live[random.below(live.length)]!;
    const model = partitions[random.below(partitions.length)] as PartitionModel;
    const { startOffset, nextOffset, partition } = model;
    const offset = startOffset + random.below(nextOffset - startOffset + 1);
    model.deleting(offset);
    const answer = (await this.#surely('deleteRecords', [[{ topicId, partition, offset }]])) as readonly {
      readonly error: string;
    }[];
    if (answer[0]!.error !== 'NONE') return;
    counts.recordsDeleted++;
    model.deleted(offset);
  }

  /** A topic that is created, written to, deleted, and sometimes restored. */
  async #shortLife(): Promise<void> {
    const { random, counts } = this.#world;
    const topic = await this.#create({ ...shortLived, name: `short-${++this.#created}` });
    if (topic === undefined) return;
    const write = async (files: number) => {
      for (let file = 0; file < files && topic.state === 'live' && !this.#hasEnded; file++) {
        void this.#write(topic, shortLived.batchesMax, shortLived.valueBytesMax);
        await this.#world.wait(random.next() * timerMs(2 * shortLived.meanMs));
      }
    };
    await write(10 + random.below(20));
    if (random.next() < 0.25) {
      topic.state = 'gone';
      counts.topicsRemoved++;
      await this.#surely('removeTopics', [[{ name: topic.name }]]);
      return;
    }
    topic.state = 'deleted';
    counts.topicsDeleted++;
    await this.#surely('deleteTopics', [[{ name: topic.name }]]);
    const deletedMs = this.#world.clock.nowMs();
    if (random.next() < 0.5) {
      await this.#world.wait(timerMs(random.next() * 1.5 * softDeleteTtlMs));
      const isInTime = this.#world.clock.nowMs() < deletedMs + softDeleteTtlMs - hourMs;
      const [restored] = (await this.#surely('restoreTopics', [[topic.topicId]])) as TopicResult[];
      if (restored!.error !== 'NONE' && isInTime)
        throw new LogProblem(`${topic.name} cannot be restored in time: ${restored!.error}`);
      if (restored!.error === 'NONE') {
        counts.topicsRestored++;
        for (const model of topic.partitions)
          if (model instanceof PartitionModel) model.retainedSinceMs = this.#world.clock.nowMs();
        topic.state = 'live';
        await write(5);
        topic.state = 'deleted';
        await this.#surely('deleteTopics', [[{ name: topic.name }]]);
      }
    }
    await this.#world.wait(timerMs(softDeleteTtlMs));
    topic.state = 'gone';
  }

  /** A clone of a topic, which lives on while its source does, and sometimes longer. */
  async #cloneLife(): Promise<void> {
    const { random, counts, clock } = this.#world;
    const sources = this.live().filter(({ name, isCompacted }) => !isCompacted && !name.startsWith('clone-'));
    const source = sources[random.below(sources.length)]!;
    const name = `clone-${++this.#created}`;
    const request = { sourceId: source.topicId, name, configs: {}, unsetConfigs: [], ends: [] };
    const logs = source.partitions as readonly PartitionModel[];
    const before = logs.map(({ contents }) => contents);
    const result = (await this.#surely('cloneTopic', [request])) as TopicCloneResult;
    if (result.error !== 'NONE') return;
    counts.topicsCloned++;
    const { topicId } = result.topic!;
    const partitions = logs.map((model, partition) =>
      model.clonedSince(before[partition]!, name, topicId, clock.nowMs()),
    );
    const topic: TopicModel = { ...source, name, topicId, partitions, state: 'live' };
    this.#topics.push(topic);
    for (let file = 0; file < 12 && !this.#hasEnded; file++) {
      void this.#write(topic, 2, 30);
      await this.#world.wait(random.next() * timerMs(8 * hourMs));
    }
    const isFinal = random.next() < 0.5;
    topic.state = isFinal ? 'gone' : 'deleted';
    await this.#surely(isFinal ? 'removeTopics' : 'deleteTopics', [[{ name }]]);
    await this.#world.wait(timerMs(softDeleteTtlMs));
    topic.state = 'gone';
  }

  /** Makes a call of an admin, who repeats it until there is an answer. */
  #surely(name: CallName, args: readonly unknown[]): Promise<unknown> {
    return this.#world.callLeader(name, args, adminAttempts);
  }

  async #create({
    name,
    partitionCount,
    rule,
    isTransactional,
    isCompacted,
  }: TopicKind): Promise<TopicModel | undefined> {
    const configs = isCompacted
      ? {
          'cleanup.policy': 'compact',
          'delete.retention.ms': String(deleteRetentionMs),
          'max.compaction.lag.ms': String(compactionLagMs),
        }
      : { 'retention.ms': String(rule.retentionMs), 'retention.bytes': String(rule.retentionBytes) };
    const [made] = (await this.#surely('createTopics', [
      [{ name, partitionCount, configs }],
      { validateOnly: false },
    ])) as TopicResult[];
    if (made!.error !== 'NONE') return undefined;
    const { topicId } = made!.topic!;
    const nowMs = this.#world.clock.nowMs();
    const topic: TopicModel = {
      name,
      topicId,
      rule,
      isTransactional: isTransactional ?? false,
      isCompacted: isCompacted ?? false,
      partitions: Array.from({ length: partitionCount }, (_, partition) =>
        isCompacted
          ? new CompactedModel(name, topicId, partition)
          : new PartitionModel(name, topicId, partition, rule, nowMs),
      ),
      state: 'live',
    };
    this.#topics.push(topic);
    return topic;
  }
}
