import assert from 'node:assert/strict';
import { createTopic, type KafkaCluster, Producer, readRecords } from '@weir/client';
import { type Random, seededRandom, systemClock } from '@weir/core';
import { signUpFirstUser } from '../brokers/first-user.ts';
import { pause } from '../brokers/waiting.ts';
import { type Cluster, type Lifetime, lastFirst, startCluster } from '../brokers/weir-process.ts';
import { openCluster } from './migrating.ts';

/*
 * A topic moves from one cluster to another and back, again and again, while an idempotent producer writes to it and a
 * consumer reads it. In each round an agent, a control plane or the source is killed while the topic is copied, and
 * another one while it is cut over; each comes back at its address. Every record is there once, and in order.
 */

const topic = 'orders';
const partitionCount = 2;
const zone = 'zone-a';
const hosts = ['-allowedTargetHosts', 'loopback'];

type Victim = 'agent' | 'leader' | 'agent of the source' | 'leader of the source';
const victims: readonly Victim[] = ['agent', 'leader', 'agent of the source', 'leader of the source'];

interface RoundsOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** Moves a topic so many times. Fails if a record is lost, repeated or out of order. */
export async function moveInRounds(lifetime: Lifetime, { seed, rounds, say }: RoundsOptions): Promise<void> {
  const t = lastFirst(lifetime);
  const random = seededRandom(seed);
  let [from, to] = [await Side.start(t), await Side.start(t)];
  await createTopic(from.kafka, { name: topic, partitions: partitionCount, configs: [] });
  let writer = new Writer(from.kafka);
  t.after(() => writer.stop());
  writer.start();
  const counts = () => writer.counts.join(' and ');
  for (let round = 1; round <= rounds; round++) {
    const copying = victims[random.below(victims.length)]!;
    const cuttingOver = victims[random.below(victims.length)]!;
    say(`round ${round} of seed ${seed}: kills the ${copying} while copying, the ${cuttingOver} after that`);
    const pipeline = await to.migrate(from);
    await Promise.all([to.untilState('replicating'), killAndRestart(copying, { from, to, random })]);
    const reader = new Reader(to.kafka);
    t.after(() => reader.stop());
    reader.start();
    // What the source gets past the agents would hold the cut-over back.
    await writer.stop();
    await to.call('orbit/auto_migration/start_forwarding', { topics: [topic] });
    writer = new Writer(to.kafka, writer.counts);
    writer.start();
    await writer.untilMore(10);
    await Promise.all([to.cutOver(), killAndRestart(cuttingOver, { from, to, random })]);
    await writer.untilMore(10);
    await writer.stop();
    const expected = writer.counts;
    await reader.untilAt(expected);
    await reader.stop();
    say(`  moved with ${counts()} records`);
    await from.deleteTopic();
    await to.deletePipeline(pipeline);
    [from, to] = [to, from];
    writer = new Writer(from.kafka, expected);
    writer.start();
  }
  await writer.stop();
}

async function killAndRestart(
  victim: Victim,
  { from, to, random }: { readonly from: Side; readonly to: Side; readonly random: Random },
): Promise<void> {
  const delayMs = random.below(1_500);
  const at = random.below(2);
  await pause(delayMs);
  const side = victim.endsWith('of the source') ? from : to;
  await (victim.startsWith('agent') ? side.killAgent(at) : side.killLeader());
}

/** A cluster of processes, which is the source and the destination in turns. */
class Side {
  readonly kafka: KafkaCluster;
  readonly #cluster: Cluster;
  readonly #ports: readonly [string, string];
  readonly #cookie: string;

  private constructor(t: Lifetime, cluster: Cluster, cookie: string) {
    this.#cluster = cluster;
    this.#cookie = cookie;
    const [first = '', second = ''] = cluster.agents.map(
      (agent) => agent.address('Kafka').split(':').at(-1)!,
    );
    this.#ports = [first, second];
    this.kafka = openCluster(t, `127.0.0.1:${first}`, `127.0.0.1:${second}`);
  }

  static async start(t: Lifetime): Promise<Side> {
    const cluster = await startCluster(t, {
      agents: [
        { zone, flags: hosts },
        { zone, flags: hosts },
      ],
      controlPlanes: 1,
      controlPlaneFlags: hosts,
    });
    return new Side(t, cluster, await signUpFirstUser(cluster.controlPlanes[0]!));
  }

  /** Calls the API; while no leader answers, again. */
  async call<Answer>(name: string, input: object): Promise<Answer> {
    const url = this.#cluster.controlPlanes[0]!.address('control plane');
    for (;;) {
      const answer = await fetch(`${url}/api/v1/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: this.#cookie, origin: url },
        body: JSON.stringify({ virtual_cluster_id: this.#cluster.clusterId, ...input }),
      }).catch(() => undefined);
      const text = await answer?.text().catch(() => undefined);
      if (answer?.ok === true && text !== undefined) return JSON.parse(text) as Answer;
      // The request did not arrive in time, on a machine that is busy.
      const isLate = answer?.status === 408;
      if (answer !== undefined && answer.status < 500 && !isLate)
        throw new Error(`${name}: ${answer.status} ${text ?? ''}`);
      await pause(200);
    }
  }

  async migrate(source: Side): Promise<string> {
    const pipeline = { pipeline_name: 'move', pipeline_type: 'orbit' };
    const { pipeline_id } = await this.call<{ pipeline_id: string }>('create_pipeline', pipeline);
    const brokers = source.#ports.map((port) => `{hostname: 127.0.0.1, port: ${port}}`).join(', ');
    const { configuration_id } = await this.call<{ configuration_id: string }>(
      'create_pipeline_configuration',
      {
        pipeline_id,
        configuration_yaml: `source_bootstrap_brokers: [${brokers}]\ntopic_mappings: [{source_regex: ${topic}}]\n`,
      },
    );
    await this.call('change_pipeline_state', {
      pipeline_id,
      desired_state: 'running',
      deployed_configuration_id: configuration_id,
    });
    return pipeline_id;
  }

  async untilState(wanted: string): Promise<void> {
    while ((await this.#state())?.state !== wanted) await pause(200);
  }

  /** Asks for a cut-over until one succeeds: a fault may take longer than writes are blocked. */
  async cutOver(): Promise<void> {
    for (;;) {
      const found = await this.#state();
      if (found?.state === 'migrated') return;
      if (found?.state === 'proxy' && found.deadline === undefined)
        await this.call('orbit/auto_migration/initiate', { topics: [topic] }).catch((error: Error) => {
          // An answer that was lost: the call has been done.
          if (!/ 409 /.test(error.message)) throw error;
        });
      await pause(200);
    }
  }

  async #state() {
    const { topics } = await this.call<{
      topics: { topic: string; state: string; deadline?: string; last_error?: string }[];
    }>('orbit/auto_migration/status', {});
    return topics.find((one) => one.topic === topic);
  }

  async deleteTopic(): Promise<void> {
    await this.call('delete_topic', { topic_name: topic });
  }

  async deletePipeline(pipeline_id: string): Promise<void> {
    await this.call('change_pipeline_state', { pipeline_id, desired_state: 'paused' });
    await this.call('delete_pipeline', { pipeline_id });
  }

  async killAgent(at: number): Promise<void> {
    const port = this.#ports[at]!;
    const victim = this.#cluster.agents.findLast((agent) => agent.address('Kafka').endsWith(`:${port}`))!;
    await victim.kill();
    await this.#cluster.addAgent({ zone, flags: [...hosts, '-kafkaPort', port] });
  }

  async killLeader(): Promise<void> {
    await this.#cluster.controlPlanes[0]!.kill();
    await this.#cluster.restartControlPlane(0);
  }
}

/** Writes numbers to each partition, one after another, and never leaves one out. */
class Writer {
  /** By partition: how many are stored. */
  readonly counts: number[];
  readonly #producer: Producer;
  #isRunning = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(cluster: KafkaCluster, counts: readonly number[] = new Array<number>(partitionCount).fill(0)) {
    this.counts = [...counts];
    this.#producer = new Producer(cluster, {
      ...{ acks: 'all', codec: 'lz4', isIdempotent: true, batchBytesMax: 100_000 },
      ...{ timeoutMs: 120_000, metadataMaxAgeMs: 2_000 },
    });
  }

  start(): void {
    this.#isRunning = true;
    this.#running = Promise.all(this.counts.map((_, partition) => this.#write(partition)));
    // It is awaited when the writer stops.
    this.#running.catch(() => undefined);
  }

  async #write(partition: number): Promise<void> {
    while (this.#isRunning) {
      const first = this.counts[partition]!;
      const records = Array.from({ length: 1 + (first % 4) }, (_, at) => ({
        key: null,
        value: Buffer.from(String(first + at)),
        timestamp: BigInt(systemClock.nowMs()),
      }));
      const failed = await this.#producer.send(topic, partition, records);
      assert.deepEqual([...failed.values()].map(String), [], `partition ${partition} from ${first} on`);
      this.counts[partition] = first + records.length;
      await pause(10);
    }
  }

  async untilMore(count: number): Promise<void> {
    const wanted = this.counts.map((before) => before + count);
    while (this.counts.some((now, partition) => now < wanted[partition]!))
      await Promise.race([
        pause(50),
        this.#running.then(() => assert.ok(this.#isRunning, 'the writer ended')),
      ]);
  }

  /** Waits for what is on its way, all of which must be stored. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#running;
    this.#producer.close();
  }
}

/** Reads each partition from the beginning on, and fails at a record that is not the next one. */
class Reader {
  /** By partition: the number that comes next. */
  readonly #next = new Array<number>(partitionCount).fill(0);
  readonly #cluster: KafkaCluster;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  /** The last offset and one, by partition: markers and gaps take offsets, too. */
  readonly #offsets = new Array<bigint>(partitionCount).fill(0n);

  constructor(cluster: KafkaCluster) {
    this.#cluster = cluster;
  }

  start(): void {
    this.#isRunning = true;
    this.#running = this.#read();
    this.#running.catch(() => undefined);
  }

  async #read(): Promise<void> {
    while (this.#isRunning) {
      try {
        await this.#readOn();
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        // A broker is gone for a while.
      }
      await pause(50);
    }
  }

  async #readOn(): Promise<void> {
    const from = new Map(
      this.#offsets.map((offset, partition) => [partition, { offset, end: offset }] as const),
    );
    const options = { topicName: topic, from, recordsMax: 100_000, waitMs: 1_000 };
    for await (const records of readRecords(this.#cluster, options))
      for (const { partition, offset, value } of records) {
        assert.equal(
          String(value),
          String(this.#next[partition]),
          `partition ${partition} at offset ${offset}`,
        );
        this.#next[partition]!++;
        this.#offsets[partition] = offset + 1n;
      }
  }

  async untilAt(expected: readonly number[]): Promise<void> {
    while (this.#next.some((next, partition) => next < expected[partition]!))
      await Promise.race([pause(50), this.#running]);
    assert.deepEqual(this.#next, [...expected], 'there is no record beyond what was acknowledged');
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#running;
  }
}
