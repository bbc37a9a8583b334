import { buildRecordBatch } from '@weir/wire';
import type { Bootstrap } from '../../sim/bootstrap.ts';
import { type Connection, ConnectionLost } from '../../sim/client.ts';
import { CommittedReader } from '../../sim/committed-reader.ts';
import type { FaultCluster } from '../cluster/cluster.ts';
import type { Recorder } from '../history/recorder.ts';
import { readLast, type Workload, type WorkloadContext } from './workloads.ts';

const producerCount = 3;
const pauseMs = 40;
const requestsInFlightMax = 3;
/** Longer than an agent takes to answer that it cannot write. */
const requestTimeoutMs = 12_000;
const retryMs = 200;

/**
 * Writes without producer ids, as lightning topics and ripcord need it, each value once. What failed may be there all
 * the same, at any place. The order of what is acknowledged is promised for a connection and a partition: a producer
 * takes another agent and another name after any failure.
 */
class SingleAttempts {
  readonly #cluster: FaultCluster;
  readonly #recorder: Recorder;
  readonly #topic: Bootstrap;
  readonly #name: string;
  readonly #acknowledged: (value: string, isEarly: boolean) => void;
  #connection: Connection | undefined;
  #connections = 0;
  #values = 0;
  #isStopped = false;
  #isDone = false;

  constructor(
    { cluster, recorder }: WorkloadContext,
    topic: Bootstrap,
    name: string,
    acknowledged: (value: string, isEarly: boolean) => void,
  ) {
    this.#cluster = cluster;
    this.#recorder = recorder;
    this.#topic = topic;
    this.#name = name;
    this.#acknowledged = acknowledged;
    this.#work().catch((error) => cluster.problem(error));
  }

  /** Whether it has stopped, and no request waits for an answer. */
  get isDone(): boolean {
    return this.#isDone;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #work(): Promise<void> {
    const { random } = this.#cluster;
    const inFlight = new Set<Promise<void>>();
    while (!this.#isStopped) {
      await this.#cluster.pause(pauseMs);
      if (inFlight.size >= requestsInFlightMax) continue;
      if (this.#connection?.isOpen !== true) {
        await Promise.all(inFlight);
        await this.#cluster.pause(retryMs);
        const brokers = this.#topic.brokers();
        this.#connection = this.#topic.connect(brokers[random.below(brokers.length)]!);
        this.#connections++;
      }
      const sent = this.#write(this.#connection);
      inFlight.add(sent);
      void sent.finally(() => inFlight.delete(sent));
    }
    await Promise.all(inFlight);
    this.#connection?.close('');
    this.#isDone = true;
  }

  /** A batch for one or two partitions. */
  async #write(connection: Connection): Promise<void> {
    const { random, clock } = this.#cluster;
    const { topicName: topic, topicId, partitionCount } = this.#topic;
    const producer = `${this.#name}-${this.#connections}`;
    const first = random.below(partitionCount);
    const partitions = new Set([first, random.below(partitionCount)]);
    const timestamp = BigInt(Math.floor(clock.nowMs()));
    const values = new Map<number, readonly string[]>();
    for (const partition of partitions) {
      const count = 1 + random.below(3);
      values.set(
        partition,
        Array.from({ length: count }, () => `${producer}/${this.#values++}`),
      );
      for (const value of values.get(partition)!)
        this.#recorder.note({
          type: 'write',
          topic,
          partition,
          value,
          producer,
          isUnorderedUntilAcknowledged: true,
        });
    }
    const partitionData = [...values].map(([index, texts]) => ({
      index,
      records: buildRecordBatch(texts.map((text) => ({ timestamp, key: null, value: Buffer.from(text) }))),
    }));
    try {
      const body = {
        acks: -1,
        timeoutMs: requestTimeoutMs,
        topicData: [{ name: topic, topicId, partitionData }],
      };
      const { responses } = await connection.request('Produce', body, requestTimeoutMs);
      let hasFailed = false;
      for (const { index, errorCode, baseOffset } of responses[0]!.partitionResponses) {
        hasFailed ||= errorCode !== 0;
        if (errorCode !== 0) continue;
        // What is acknowledged before its commit has offset 0, as the first record of a partition.
        const isEarly = baseOffset === 0n;
        for (const [place, value] of values.get(index)!.entries()) {
          const offset = isEarly ? {} : { offset: Number(baseOffset) + place };
          this.#recorder.note({ type: 'acknowledge', topic, partition: index, value, ...offset });
          this.#acknowledged(value, isEarly);
        }
      }
      if (hasFailed) connection.close('a write was refused');
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      this.#cluster.note(`${producer} at ${connection.broker.agentId}: ${error.message}`);
    }
  }
}

/** The same with topics of which most records have to be acknowledged before they are committed. */
export async function startLightningAttempts(context: WorkloadContext): Promise<Workload> {
  return startAttempts(context, 0.5);
}

/** Starts producers that try each value once, and a reader, which ends when it has all that was acknowledged. */
export async function startSingleAttempts(context: WorkloadContext): Promise<Workload> {
  return startAttempts(context, 0);
}

async function startAttempts(context: WorkloadContext, earlyPartMin: number): Promise<Workload> {
  const { cluster, recorder } = context;
  const count = { acknowledged: 0, early: 0 };
  const topic = await cluster.topic('attempts');
  /** Acknowledged and not read yet. */
  const missing = new Set<string>();
  const seen = new Set<string>();
  const producers = Array.from(
    { length: producerCount },
    (_, n) =>
      new SingleAttempts(context, topic, `attempts-${n}`, (value, isEarly) => {
        count.acknowledged++;
        if (isEarly) count.early++;
        if (!seen.has(value)) missing.add(value);
      }),
  );
  const log = recorder.readLog(topic.topicName, false);
  const live = new CommittedReader(
    cluster,
    {
      read(reader, partition, count, text, offset) {
        log.read(reader, partition, count, text, offset);
        seen.add(text);
        missing.delete(text);
      },
    },
    topic,
    `live reader of ${topic.topicName}`,
  );
  return {
    async finish(withinMs) {
      for (const producer of producers) producer.stop();
      const isDone = () => producers.every((producer) => producer.isDone);
      await cluster.until(isDone, withinMs, 'all writes are answered');
      const counts = `${count.early} of ${count.acknowledged} records were acknowledged before their commit`;
      cluster.note(counts);
      if (count.early < earlyPartMin * count.acknowledged) throw new Error(`only ${counts}`);
      const endMs = cluster.clock.monotonicMs() + withinMs;
      // What is still missing then is found by the check, which says what it is.
      await cluster.until(
        () => missing.size === 0 || cluster.clock.monotonicMs() > endMs,
        2 * withinMs,
        'everything was read',
      );
      await readLast(context, topic, withinMs);
    },
    stop() {
      for (const client of [...producers, live]) client.stop();
    },
  };
}
