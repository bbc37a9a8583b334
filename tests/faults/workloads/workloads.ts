import assert from 'node:assert/strict';
import { AnyBrokerClient, Refused } from '../../sim/any-broker-client.ts';
import type { Bootstrap } from '../../sim/bootstrap.ts';
import { ConnectionLost } from '../../sim/client.ts';
import { CommittedReader } from '../../sim/committed-reader.ts';
import { Committer } from '../../sim/committer.ts';
import { Copier } from '../../sim/copier.ts';
import { fetchPositions } from '../../sim/group-offsets.ts';
import { Membership } from '../../sim/membership.ts';
import { Producer } from '../../sim/producer.ts';
import type { FaultCluster } from '../cluster/cluster.ts';
import type { Recorder } from '../history/recorder.ts';
import { ConsumerMembership } from './consumer-membership.ts';
import { TransactionalProducer } from './transactional-producer.ts';

/** Running clients of one kind. */
export interface Workload {
  /** Called when all faults have ended. Resolves when all work is done and everything was read once more. */
  finish(withinMs: number): Promise<void>;
  /** Reads everything once more, after `finish`, and fails unless there is as much as before. */
  readAgain?(withinMs: number): Promise<void>;
  /** Replaces a client that still runs, as a scheduler does that believes it to be dead. */
  replace?(): void;
  stop(): void;
}

export interface WorkloadContext {
  readonly cluster: FaultCluster;
  readonly recorder: Recorder;
  readonly troubleMs: number;
}

const batchesPerSecond = 8;
const copierCount = 2;
const memberCount = 2;

const idempotentProducers = [
  { name: 'idempotent-a', requestsInFlightMax: 5 },
  { name: 'idempotent-b', requestsInFlightMax: 5 },
  { name: 'idempotent-c', requestsInFlightMax: 1 },
] as const;

/**
 * Starts idempotent producers, copiers of their topic in transactions, and groups of both protocols that read it and
 * commit offsets.
 */
export async function startStreams(context: WorkloadContext): Promise<Workload> {
  const { cluster, recorder, troubleMs } = context;
  const from = await cluster.topic('stream');
  const to = await cluster.topic('copy');
  const producers = idempotentProducers.map(
    (kind) =>
      new Producer(cluster, recorder.produceLog(from.topicName), from, {
        ...kind,
        isIdempotent: true,
        isOrdered: true,
        batchCount: Math.ceil((batchesPerSecond * troubleMs) / 1_000),
        durationMs: troubleMs,
        movesMidway: false,
      }),
  );
  const members = Array.from({ length: memberCount }, (_, n) => n).flatMap((n) => [
    new Committer(
      cluster,
      from,
      `classic-${n}`,
      (client) => new Membership(client, from, 'classic'),
      recorder.offsetLog('classic', from.topicName),
    ),
    new Committer(
      cluster,
      from,
      `consumer-${n}`,
      (client) => new ConsumerMembership(client, from, 'consumer', `consumer-${n}`),
      recorder.offsetLog('consumer', from.topicName),
    ),
  ]);
  const copiers: Copier[] = [];
  const replaced: Copier[] = [];
  let copierStarts = 0;
  const startCopier = (slot: number) => {
    copiers[slot] = new Copier(cluster, recorder.copyLog('copiers', from.topicName, to.topicName), {
      transactionalId: `copier-${slot}`,
      name: `copier-${slot}-${copierStarts++}`,
      groupId: 'copiers',
      from,
      to,
    });
  };
  for (let slot = 0; slot < copierCount; slot++) startCopier(slot);
  const live = [from, to].map((topic) => liveReader(context, topic));
  const clients = () => [...producers, ...members, ...copiers, ...replaced, ...live];

  return {
    replace() {
      const slot = cluster.random.below(copierCount);
      copiers[slot]!.replace();
      replaced.push(copiers[slot]!);
      startCopier(slot);
    },
    async finish(withinMs) {
      await cluster.until(
        () => producers.every(({ isDone }) => isDone),
        withinMs,
        'everything is acknowledged',
      );
      const ends = await readLast(context, from, withinMs);
      for (const group of ['classic', 'consumer', 'copiers'])
        await untilAt(context, from, group, ends, withinMs);
      for (const client of [...members, ...copiers, ...replaced]) client.stop();
      await readLast(context, to, withinMs);
    },
    async readAgain(withinMs) {
      for (const topic of [from, to]) await readAgain(context, topic, withinMs);
    },
    stop() {
      for (const client of clients()) client.stop();
    },
  };
}

/** Starts producers whose transactions span partitions and requests. */
export async function startTransactions(context: WorkloadContext): Promise<Workload> {
  const { cluster, recorder } = context;
  const topic = await cluster.topic('transactions');
  const producers = ['tx-a', 'tx-b'].map((id) => new TransactionalProducer(cluster, recorder, topic, id));
  const live = liveReader(context, topic);
  return {
    async finish(withinMs) {
      for (const producer of producers) producer.finish();
      await cluster.until(
        () => producers.every(({ isDone }) => isDone),
        withinMs,
        'all transactions have ended',
      );
      await readLast(context, topic, withinMs);
    },
    readAgain: (withinMs) => readAgain(context, topic, withinMs),
    stop() {
      for (const client of [...producers, live]) client.stop();
    },
  };
}

function liveReader({ cluster, recorder }: WorkloadContext, topic: Bootstrap): CommittedReader {
  return new CommittedReader(
    cluster,
    recorder.readLog(topic.topicName, false),
    topic,
    `live reader of ${topic.topicName}`,
  );
}

/** What the last readers found. */
const lastCounts = new WeakMap<Bootstrap, readonly number[]>();

/** Reads a topic to its end and returns the record count of each partition. */
export async function readLast(
  context: WorkloadContext,
  topic: Bootstrap,
  withinMs: number,
): Promise<readonly number[]> {
  const counts = await readToEnd(context, topic, withinMs, { isLast: true });
  lastCounts.set(topic, counts);
  return counts;
}

async function readToEnd(
  { cluster, recorder }: WorkloadContext,
  topic: Bootstrap,
  withinMs: number,
  { isLast }: { readonly isLast: boolean },
): Promise<readonly number[]> {
  const name = `${isLast ? 'last' : 'second'} reader of ${topic.topicName}`;
  const reader = new CommittedReader(cluster, recorder.readLog(topic.topicName, isLast), topic, name);
  try {
    await cluster.until(() => reader.isAtEnd, withinMs, `the ${name} is at the end`);
    return reader.counts;
  } finally {
    reader.stop();
  }
}

async function readAgain(context: WorkloadContext, topic: Bootstrap, withinMs: number): Promise<void> {
  const before = lastCounts.get(topic)!;
  const counts = await readToEnd(context, topic, withinMs, { isLast: false });
  assert.deepEqual(counts, before, `${topic.topicName} has as many records as before`);
}

/** Waits until a group has reached the end of a topic without control records, and records its offsets. */
export async function untilAt(
  { cluster, recorder }: WorkloadContext,
  topic: Bootstrap,
  group: string,
  ends: readonly number[],
  withinMs: number,
): Promise<void> {
  const client = new AnyBrokerClient(cluster, topic);
  const log = recorder.offsetLog(group, topic.topicName, true);
  const partitions = [...ends.keys()];
  let at: ReadonlyMap<number, number> = new Map();
  let recordLast: ((at: ReadonlyMap<number, number>) => void) | undefined;
  const isThere = async () => {
    try {
      const record = log.fetch('the last look', partitions);
      at = await fetchPositions(client, topic, group, { memberId: '', generationId: -1, partitions });
      recordLast = record;
    } catch (error) {
      if (!(error instanceof ConnectionLost || error instanceof Refused)) throw error;
      client.cut();
    }
    return ends.every((end, partition) => at.get(partition) === end);
  };
  try {
    await cluster.until(isThere, withinMs, `group ${group} has come to the end`);
  } catch (error) {
    const where = partitions.map((partition) => `${at.get(partition)} of ${ends[partition]}`).join(', ');
    throw new Error(`${(error as Error).message}: it is at ${where}`, { cause: error });
  } finally {
    recordLast?.(at);
    client.cut();
  }
}
