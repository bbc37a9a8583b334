import assert from 'node:assert/strict';
import { lightningRows, type ProducedBatch } from '@weir/broker';
import { batchOf, DataPath, produced, testAgent } from '@weir/broker/testing';
import {
  type ClaimedJob,
  type ClusterPort,
  ClusterUnavailable,
  readReplayTask,
  sequenceReplayKind,
} from '@weir/cluster';
import { Metrics, type Random, seededRandom } from '@weir/core';
import { settle } from '@weir/core/testing';
import { aroundStore, type ListOptions, logFileKey, type ObjectStore } from '@weir/storage';
import { batchRecords, recordBatches } from '@weir/wire';
import { sequenceReplay } from '../src/sequence-replay.ts';

const partitionCount = 2;

/** How an agent is cut off from its leader. */
type Cut = 'no' | 'calls are lost' | 'answers are lost';

interface Sent {
  readonly connection: number;
  readonly partition: number;
  readonly value: string;
  /** Whether the client got an answer without an error, and answers to all that it sent before. */
  isAcknowledged: boolean;
}

interface RipcordSettings {
  /** How many files the agent keeps in memory until it commits them; it leaves others to a job. */
  readonly sealedFilesMax: number;
}

/**
 * An agent that writes to a lightning topic, its leader, and jobs of another agent, in virtual time. The network
 * between agent and leader, uploads, and the life of the agent are the test's.
 */
export class LightningStage {
  readonly random: Random;
  readonly path: DataPath;
  readonly sent: Sent[] = [];
  cut: Cut = 'no';
  isDead = false;
  /** Further buckets that jobs look into. */
  readonly retired: ObjectStore[] = [];
  /** Called at each operation of the agent, before it and, of calls and puts, after it. May end the agent. */
  onOperation: (operation: string) => Promise<void> = async () => {};
  #topicId = '';
  readonly #puts: (() => void)[] = [];
  readonly #connections = [{}, {}, {}];
  readonly #answered = this.#connections.map(() => [] as { isAnswered: boolean; sent: Sent }[]);

  constructor(seed: number, ripcord?: RipcordSettings) {
    this.random = seededRandom(seed);
    this.path = new DataPath({
      lightningAgentId: 'a',
      ...(ripcord && { hasRipcord: true, sealedFilesMax: ripcord.sealedFilesMax }),
      seed,
      pages: { ownFiles: 'none' },
      port: (cluster) => this.#around(cluster),
    });
    this.path.store.beforePut = async () => {
      await this.onOperation('put');
      await new Promise<void>((resolve) => {
        this.#puts.push(resolve);
      });
      await this.onOperation('stored');
    };
    const head = this.path.store.head.bind(this.path.store);
    this.path.store.head = async (key) => {
      await this.onOperation('head');
      return head(key);
    };
  }

  /** How many files the agent has acknowledged that are not committed, as far as it knows. */
  get outstanding(): number {
    const { name } = lightningRows.outstanding;
    return this.path.metrics.read().find(({ row }) => row.name === name)!.series[0]!.value;
  }

  /** The agent's way to its leader. */
  #around(cluster: ClusterPort): ClusterPort {
    return new Proxy(cluster, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (!['commitFiles', 'keepFileSequences', 'closeFileSequences'].includes(String(name)))
          return value.bind(target);
        return async (...args: unknown[]) => {
          await this.onOperation(String(name));
          if (this.isDead) return await new Promise(() => undefined);
          if (this.cut === 'calls are lost') throw new ClusterUnavailable('the call was lost');
          const answer = await (value as (...given: unknown[]) => Promise<unknown>).apply(target, args);
          await this.onOperation(`${String(name)} answered`);
          if (this.isDead) return await new Promise(() => undefined);
          if (this.cut === 'answers are lost') throw new ClusterUnavailable('the answer was lost');
          return answer;
        };
      },
    });
  }

  async open(): Promise<void> {
    const { cluster } = this.path;
    const configs = { 'service.topic.type': 'lightning', 'retention.ms': '-1' };
    this.#topicId = cluster.addTopic('t', partitionCount, configs).topicId;
    await this.path.ready();
    this.send();
    await this.pass(50);
    await this.finishPuts(1);
  }

  send(): void {
    const connection = this.random.below(this.#connections.length);
    const partition = this.random.below(partitionCount);
    const value = `${connection}/${this.sent.length}`;
    const sent: Sent = { connection, partition, value, isAcknowledged: false };
    const state = { isAnswered: false, sent };
    this.sent.push(sent);
    const earlier = this.#answered[connection]!;
    earlier.push(state);
    const batch: ProducedBatch = {
      ...produced(this.#topicId, partition, batchOf([value])),
      isLightning: true,
    };
    const { clock } = this.path;
    const options = { deadlineMs: clock.monotonicMs() + 30_000, connection: this.#connections[connection]! };
    void this.path.writePath.append([batch], options).then(({ results }) => {
      if (this.isDead || results[0]!.error !== 'NONE') return;
      state.isAnswered = true;
      // Answers of a connection go out in the order of its requests.
      for (const one of earlier) {
        if (!one.isAnswered) return;
        one.sent.isAcknowledged = true;
      }
    });
  }

  /** Ends some uploads, in any order. */
  async finishPuts(share: number): Promise<void> {
    for (let left = Math.ceil(this.#puts.length * share); left > 0; left--) {
      const [finish] = this.#puts.splice(this.random.below(this.#puts.length), 1);
      finish?.();
      await settle();
    }
  }

  async pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
      const stepMs = Math.min(leftMs, 1_000);
      if (!this.isDead) this.path.clock.advance(stepMs);
      void this.path.cluster.heartbeat(testAgent('b'));
      await this.path.cluster.clock.pass(stepMs);
      await settle();
    }
  }

  /** Claims the replay of a sequence that the leader plans. */
  async claim(): Promise<ClaimedJob> {
    const job = await this.claimIfAny(60);
    assert.ok(job !== undefined, 'the leader plans no replay');
    return job;
  }

  /** The same; `undefined` if so many claims of some seconds found none. */
  async claimIfAny(claimsMax: number): Promise<ClaimedJob | undefined> {
    let claimed: readonly ClaimedJob[] = [];
    for (let claims = 0; claimed.length === 0; claims++) {
      if (claims === claimsMax) return undefined;
      let isAnswered = false;
      void this.path.cluster
        .claimJobs({ agentId: 'b', kinds: [sequenceReplayKind], slots: 1, waitMs: 5_000 })
        .then((jobs) => {
          claimed = jobs;
          isAnswered = true;
        });
      for (let seconds = 0; !isAnswered; seconds++) {
        assert.ok(seconds < 60, 'the leader does not answer');
        await this.pass(1_000);
      }
    }
    return claimed[0];
  }

  /** Runs the job of another agent, which calls `before` at each operation. */
  async replay({ jobId, task }: ClaimedJob, before: (operation: string) => Promise<void>): Promise<string> {
    const { cluster } = this.path;
    const store = this.path.store as ObjectStore;
    const around = <Name extends 'unknownFiles' | 'commitFiles' | 'closeFileSequences'>(name: Name) =>
      (async (...args: unknown[]) => {
        await before(name);
        return (cluster[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      }) as ClusterPort[Name];
    const stored = this.path.store.objects;
    const seen: ObjectStore = {
      ...aroundStore(store, ({ run, signal }) => run(signal)),
      // Only uploads of the agent wait for the test.
      async put(key) {
        await before('put');
        stored.set(key, Buffer.from('ended'));
      },
      async *list(prefix, options) {
        await before('list');
        yield* sortedList(store, prefix, options);
      },
      async getRange(key, start, end, options) {
        await before('getRange');
        return store.getRange(key, start, end, options);
      },
    };
    const { run } = sequenceReplay({
      clusterId: cluster.clusterId,
      port: {
        unknownFiles: around('unknownFiles'),
        commitFiles: around('commitFiles'),
        closeFileSequences: around('closeFileSequences'),
      },
      buckets: () => [
        { number: 0, open: () => seen },
        ...this.retired.map((one) => ({ open: () => withSortedList(one) })),
      ],
      checkOwner: async () => {},
      clock: cluster.clock,
      metrics: new Metrics(),
    });
    let message = '';
    let problem: unknown;
    let isOver = false;
    const running = run(task, { signal: new AbortController().signal, checkpoint: null, progress() {} })
      .then(
        (said) => {
          message = said;
        },
        (error: unknown) => {
          problem = error;
        },
      )
      .finally(() => {
        isOver = true;
      });
    // After it has ended the leases of the bucket, it waits.
    const { hasBucketLease = false } = readReplayTask(task);
    for (let turns = 0; hasBucketLease && !isOver; turns++) {
      await settle();
      if (turns > 200) await this.pass(1_000);
    }
    await running;
    const progress = { doneCount: 0, totalCount: -1 };
    const state = problem === undefined ? 'done' : 'failed';
    await cluster.reportJob({ agentId: 'b', jobId, state, progress, checkpoint: null, message });
    if (problem !== undefined) throw problem;
    return message;
  }

  /** What consumers read of each partition. */
  async read(): Promise<string[][]> {
    const { cluster, store } = this.path;
    const queries = Array.from({ length: partitionCount }, (_, partition) => ({
      topicId: this.#topicId,
      partition,
      offset: 0,
      bytesMax: 1e9,
    }));
    return (await cluster.findBatches(queries)).map(({ pointers }) =>
      pointers.fileId.flatMap((fileId, row) => {
        const start = pointers.byteStart[row]!;
        const bytes = store.objects
          .get(logFileKey(cluster.clusterId, fileId))!
          .subarray(start, start + pointers.byteLength[row]!);
        return [...recordBatches(bytes, { partialTail: 'error' })].flatMap((batch) =>
          [...batchRecords(batch)].map(({ value }) => String(value)),
        );
      }),
    );
  }

  /** All that was acknowledged is there, in order, and nothing twice. */
  async check(): Promise<void> {
    const partitions = await this.read();
    for (const [partition, values] of partitions.entries()) {
      assert.equal(new Set(values).size, values.length, `doubled: ${values.join(' ')}`);
      for (const connection of this.#connections.keys()) {
        const acknowledged = this.sent
          .filter((sent) => sent.partition === partition && sent.connection === connection)
          .filter(({ isAcknowledged }) => isAcknowledged)
          .map(({ value }) => value);
        const found = values.filter((value) => acknowledged.includes(value));
        assert.deepEqual(found, acknowledged, `of ${values.join(' ')}`);
      }
    }
  }

  /** Clients write while uploads end in any order. */
  async write(requests: number): Promise<void> {
    for (let n = 0; n < requests; n++) {
      this.send();
      if (this.random.below(3) === 0) await this.pass(1 + this.random.below(10));
      if (this.random.below(2) === 0) await this.finishPuts(this.random.next());
    }
  }
}

/** A test store lists objects in the order in which they were stored, and real ones by their keys. */
async function* sortedList(store: ObjectStore, prefix: string, options?: ListOptions) {
  const pages = await Array.fromAsync(store.list(prefix, options));
  yield pages.flat().sort((one, other) => (one.key < other.key ? -1 : 1));
}

function withSortedList(store: ObjectStore): ObjectStore {
  return {
    ...aroundStore(store, ({ run, signal }) => run(signal)),
    list: (prefix, options) => sortedList(store, prefix, options),
  };
}

/** The share of uploads under way at the end of an agent that the store still does. */
export async function die(stage: LightningStage): Promise<void> {
  stage.isDead = true;
  await settle();
  await stage.finishPuts(stage.random.next());
}

export const noPause = async () => {};

export async function openSequences({ path }: LightningStage): Promise<readonly string[]> {
  // Those that are open, ended or not, are replayed before long.
  const jobs = (await path.cluster.listJobs()).jobs.filter(({ kind }) => kind === sequenceReplayKind);
  return jobs.filter(({ state }) => state !== 'done').map(({ scope }) => scope);
}
