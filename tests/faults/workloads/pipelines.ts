import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { committedOffsets, KafkaCluster, offsetRanges, type ReadRecord, readRecords } from '@weir/client';
import { systemClock } from '@weir/core';
import { Producer } from '../../sim/producer.ts';
import { partitionCount } from '../cluster/cluster.ts';
import { checkCopies, type Observation, type SourcePlace } from '../history/check-copies.ts';
import { readLast, untilAt, type Workload, type WorkloadContext } from './workloads.ts';

const batchesPerSecond = 80;
const onceCount = 5;
const longTroubleMs = 6_000;
/** About as long pipelines take to start. */
const startMs = 6_000;
const toTopic = 'to-topic';
const toServer = 'to-server';
const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);

const placeOf = ({ partition, offset }: SourcePlace) => `${partition}:${offset}`;

/** A configuration whose instances have little on their way. */
const pipelineOf = (input: string, output: string) => `
input:
  ${input}
pipeline:
  processors:
    - mapping: |
        root.partition = @kafka_partition
        root.offset = @kafka_offset
        root.value = content().string()
output:
  ${output}
service:
  cluster_concurrency_target: 2
`;

/** Reads the source, and commits often. */
function inputOf(group: string, fields: string, name: string): string {
  return `${name}: {topics: [source], consumer_group: ${group}, checkpoint_limit: 200, commit_period: 50ms, ${fields}}`;
}

/**
 * Starts managed pipelines that copy a topic: one to another topic, and one to an HTTP server that is down at times.
 * Every record has to be copied at least once, and no committed offset may be ahead of a record that is not. A pipeline
 * that has ended before must not run again, whichever leader comes.
 */
export async function startPipelines(context: WorkloadContext): Promise<Workload> {
  const { cluster, recorder, troubleMs } = context;
  const from = await cluster.topic('source');
  await cluster.topic('target');
  const server = await startServer();
  const api = await cluster.api();
  const addresses = cluster.kafkaAddresses.map((address) => `"${address}"`).join(', ');
  const kafka = (group: string) =>
    inputOf(group, `addresses: [${addresses}], group: {session_timeout: 6s}`, 'kafka');
  const own = (group: string) => inputOf(group, '', 'kafka_franz_service');
  await api.deploy(
    toTopic,
    pipelineOf(
      // Its members that were killed stay in the group for 45 s, which is long for a short run.
      (troubleMs < longTroubleMs ? kafka : own)(toTopic),
      'kafka_franz_service: {topic: target, batching: {count: 20, period: 50ms}}',
    ),
  );
  await api.deploy(
    toServer,
    pipelineOf(
      kafka(toServer),
      `http_client: {url: "${server.url}", verb: POST, max_in_flight: 8, retries: 1}`,
    ),
  );
  const once = await api.deploy(
    'once',
    `input: {generate: {mapping: 'root = {}', count: ${onceCount}, interval: ""}}\noutput: {http_client: {url: "${server.onceUrl}"}}\n`,
  );
  const durationMs = startMs + troubleMs;
  const producer = new Producer(cluster, recorder.produceLog(from.topicName), from, {
    name: 'source',
    requestsInFlightMax: 5,
    isIdempotent: true,
    isOrdered: true,
    batchCount: Math.ceil((batchesPerSecond * durationMs) / 1_000),
    durationMs,
    movesMidway: false,
  });
  const watch = new OffsetWatch(context, server);
  await cluster.until(() => watch.hasBegun, 60_000, 'pipelines write');
  await cluster.until(() => api.hasEnded(once), 60_000, 'a pipeline with an end has ended');
  return {
    replace: () => server.toggle(),
    async finish(withinMs) {
      server.setUp(true);
      await cluster.until(() => producer.isDone, withinMs, 'everything is acknowledged');
      const ends = await readLast(context, from, withinMs);
      for (const group of [toTopic, toServer]) await untilAt(context, from, group, ends, withinMs);
      await watch.check(ends);
      if (server.onceRequests() !== onceCount)
        throw new Error(
          `a pipeline that had ended sent ${server.onceRequests()} messages instead of ${onceCount}`,
        );
    },
    stop() {
      producer.stop();
      watch.stop();
      server.stop();
    },
  };
}

/** An HTTP server that keeps which records it has; while it is down, it breaks connections. */
async function startServer() {
  const received = new Set<string>();
  let isUp = true;
  let onceRequests = 0;
  const server = createServer((request, response) => {
    if (!isUp) {
      request.socket.destroy();
      return;
    }
    if (request.url === '/once') {
      onceRequests++;
      response.writeHead(200).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.add(placeOf(JSON.parse(Buffer.concat(chunks).toString()) as SourcePlace));
      response.writeHead(200).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${url}/records`,
    onceUrl: `${url}/once`,
    onceRequests: () => onceRequests,
    received,
    setUp(up: boolean) {
      isUp = up;
    },
    toggle() {
      isUp = !isUp;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Looks at committed offsets again and again, and at what the outputs have then. */
class OffsetWatch {
  readonly #context: WorkloadContext;
  readonly #received: ReadonlySet<string>;
  readonly #stop = new AbortController();
  readonly #seen: Observation[] = [];
  /** Up to which offset the server has the records of a partition. */
  readonly #sent = new Map<number, number>();

  constructor(context: WorkloadContext, { received }: { readonly received: ReadonlySet<string> }) {
    this.#context = context;
    this.#received = received;
    this.#live().catch((error) => context.cluster.problem(error));
  }

  /** Whether both pipelines have written something. */
  get hasBegun(): boolean {
    return this.#sent.size > 0 && (this.#seen.at(-1)?.committed.size ?? 0) > 0;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #live(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const client = this.#client();
      try {
        await this.#look(client);
      } catch (error) {
        if (error instanceof OffsetAhead) throw error;
        // Agents may be away.
      } finally {
        await client.close();
      }
      await this.#context.cluster.pause(100);
    }
  }

  async #look(client: KafkaCluster): Promise<void> {
    for (const [partition, offset] of await committedBy(client, toServer)) {
      let reached = this.#sent.get(partition) ?? 0;
      while (reached < offset && this.#received.has(placeOf({ partition, offset: reached }))) reached++;
      this.#sent.set(partition, reached);
      if (reached < offset)
        throw new OffsetAhead(
          `${toServer} committed offset ${offset} of partition ${partition} before record ${reached} was sent`,
        );
    }
    const committed = await committedBy(client, toTopic);
    const { answers } = await offsetRanges(client, 'target', partitions);
    if (answers.size < partitions.length) return;
    const ends = new Map(Array.from(answers, ([partition, { latest }]) => [partition, Number(latest)]));
    this.#seen.push({ committed, ends });
  }

  /** Fails if a record has no copy, or had none when an offset after it was committed. */
  async check(counts: readonly number[]): Promise<void> {
    const copies = (await this.#readTarget()).map(({ partition, offset, value }) => ({
      of: JSON.parse(value!.toString()) as SourcePlace,
      partition,
      offset: Number(offset),
    }));
    const findings = [...checkCopies(counts, copies, this.#seen)];
    for (const [partition, count] of counts.entries())
      for (let offset = 0; offset < count; offset++)
        if (!this.#received.has(placeOf({ partition, offset })))
          findings.push(`record ${offset} of partition ${partition} was not sent to the server`);
    if (this.#seen.length === 0) findings.push('no committed offsets were seen');
    if (findings.length > 0) throw new Error(findings.slice(0, 5).join('\n'));
    const { cluster } = this.#context;
    cluster.note(`${copies.length} copies, committed offsets seen ${this.#seen.length} times`);
  }

  async #readTarget(): Promise<ReadRecord[]> {
    const client = this.#client();
    try {
      const { answers } = await offsetRanges(client, 'target', partitions);
      const from = new Map(
        Array.from(answers, ([partition, { earliest, latest }]) => [
          partition,
          { offset: earliest, end: latest },
        ]),
      );
      const records: ReadRecord[] = [];
      const recordsMax = 10_000_000;
      for await (const some of readRecords(client, { topicName: 'target', from, recordsMax, waitMs: 0 }))
        records.push(...some);
      return records;
    } finally {
      await client.close();
    }
  }

  #client(): KafkaCluster {
    const [first, ...others] = this.#context.cluster.kafkaAddresses.map(parseAddress);
    return new KafkaCluster({
      bootstrap: [first!, ...others],
      clientId: 'watch',
      timeoutMs: 5_000,
      clock: systemClock,
      stop: this.#stop.signal,
    });
  }
}

function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [host = '', port] = address.split(':');
  return { host, port: Number(port) };
}

async function committedBy(client: KafkaCluster, group: string): Promise<ReadonlyMap<number, number>> {
  const offsets = (await committedOffsets(client, group)).get('source') ?? new Map<number, bigint>();
  return new Map(Array.from(offsets, ([partition, offset]) => [partition, Number(offset)]));
}

/** An offset was committed that is ahead of a record that was not written. */
class OffsetAhead extends Error {}
