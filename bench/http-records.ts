import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { MiB, systemClock } from '@weir/core';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, type Benchmark, type Row, Skipped } from './benchmark.ts';
import type { HttpLoad, HttpLoadCount } from './http/load.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { statsOf } from './kafka/process-stats.ts';
import type { ServerProcess } from './kafka/server-process.ts';
import { startSlowBucket } from './kafka/slow-bucket.ts';
import { addressIn, startCluster, type WeirCluster } from './kafka/weir.ts';
import { type Effort, median } from './side-by-side.ts';

interface Scale {
  readonly partitions: number;
  readonly connectionsPerPartition: number;
  readonly warmUpMs: number;
  readonly turns: number;
  readonly turnMs: number;
  /** Record bytes of each partition that is read. */
  readonly filledBytes: number;
}

const full: Scale = {
  partitions: 8,
  connectionsPerPartition: 8,
  warmUpMs: 5_000,
  turns: 7,
  turnMs: 2_000,
  filledBytes: 4 * MiB,
};
/** Smoke test. */
const tiny: Scale = {
  partitions: 1,
  connectionsPerPartition: 1,
  warmUpMs: 0,
  turns: 1,
  turnMs: 300,
  filledBytes: 1,
};

/** Other work on the machine must not slow down the clients. */
const agentFlags = ['-highCPUBackpressureThresholdPercent', '0'];
/** Each request to the store. */
const storeMs = 8;
const recordBytes = 1024;
const recordsPerBatch = 100;
const batchBytes = recordBytes * recordsPerBatch;

/** What one turn took of the agent. */
interface Turn {
  readonly requests: number;
  readonly answerBytes: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

/** Records of 1 KiB in batches of 100 that are produced over HTTP as base64, to an agent that is a process. */
export const httpProduce: Benchmark = {
  name: 'http-produce',
  startsServers: true,
  async run(effort: Effort) {
    const scale = scaleOf(effort);
    return await withAgent(effort, 'http-produce', scale, async (agent, load) => {
      const turns = await measured(agent, load, scale);
      const what = 'produce over HTTP, 1 KiB records in batches of 100: record bytes';
      return [row(what, turns, 40, (turn) => turn.requests * batchBytes)];
    });
  },
};

/** The same records, fetched over HTTP in answers of 1 MiB as stored. */
export const httpFetch: Benchmark = {
  name: 'http-fetch',
  startsServers: true,
  async run(effort: Effort) {
    const scale = scaleOf(effort);
    return await withAgent(effort, 'http-fetch', scale, async (agent, load) => {
      await fill(load, scale);
      const turns = await measured(agent, { ...load, kind: 'fetch', connectionsPerPartition: 1 }, scale);
      const what = 'fetch over HTTP, 1 KiB records: bytes of answers, base64 counted';
      return [row(what, turns, 100, (turn) => turn.answerBytes)];
    });
  },
};

function scaleOf(effort: Effort): Scale {
  if (statsOf(process.pid) === undefined) throw new Skipped('it measures processes in /proc');
  return effort.turns > 1 ? full : tiny;
}

/** Runs the work with an agent; a smoke test may bring one. */
async function withAgent<Result>(
  { shared }: Effort,
  topic: string,
  { partitions, connectionsPerPartition }: Scale,
  work: (agent: ServerProcess, produce: HttpLoad) => Promise<Result>,
): Promise<Result> {
  const over = async ({ agent, servers }: WeirCluster) => {
    await createTopic(servers, topic, partitions);
    const port = Number(new URL(addressIn(agent, 'HTTP')!).port);
    const sizes = { partitions, connectionsPerPartition, recordsPerBatch, recordBytes };
    return await work(agent, { port, kind: 'produce', topic, ...sizes });
  };
  if (shared !== undefined) return await over(shared.cluster);
  return await Lifetime.during(async (lifetime) => {
    const bucket = await startSlowBucket(lifetime, { kind: 'constant', ms: storeMs });
    const bucketUrl = bucket.url;
    return await over(await startCluster(lifetime, { profileFolder: undefined, bucketUrl, agentFlags }));
  });
}

async function fill(load: HttpLoad, { partitions, filledBytes }: Scale): Promise<void> {
  const clients = new Clients(load);
  while ((await clients.count()).requests * batchBytes < partitions * filledBytes) await pause(20);
  await clients.end();
}

/** Measures turn by turn while clients send without a pause. */
async function measured(agent: ServerProcess, load: HttpLoad, scale: Scale): Promise<Turn[]> {
  const clients = new Clients(load);
  await pause(scale.warmUpMs);
  const reading = async () => ({
    ...(await clients.count()),
    cpuSeconds: agent.results!.cpuSeconds,
    seconds: systemClock.monotonicMs() / 1000,
  });
  const turns: Turn[] = [];
  let before = await reading();
  for (let turn = 0; turn < scale.turns; turn++) {
    await pause(scale.turnMs);
    const after = await reading();
    turns.push({
      requests: after.requests - before.requests,
      answerBytes: after.answerBytes - before.answerBytes,
      cpuSeconds: after.cpuSeconds - before.cpuSeconds,
      seconds: after.seconds - before.seconds,
    });
    before = after;
  }
  await clients.end();
  return turns;
}

function row(what: string, turns: readonly Turn[], bar: number, bytesOf: (turn: Turn) => number): Row {
  // A tick of the clock by which the system counts is the least of a short turn.
  const cpuSecondsOf = ({ cpuSeconds }: Turn) => Math.max(cpuSeconds, 0.01);
  const rates = turns.map((turn) => bytesOf(turn) / 1e6 / cpuSecondsOf(turn)).toSorted((a, b) => a - b);
  const wall = median(turns.map((turn) => bytesOf(turn) / 1e6 / turn.seconds));
  const share = median(turns.map((turn) => turn.cpuSeconds / turn.seconds));
  return {
    what: `${what} for each CPU second of the agent`,
    result: Math.round(median(rates) * 10) / 10,
    unit: 'MB/s',
    bar: atLeast(bar),
    detail: `${rates[0]!.toFixed(1)} to ${rates.at(-1)!.toFixed(1)}; ${wall.toFixed(1)} MB a second at ${share.toFixed(2)} cores`,
  };
}

/** The clients in their thread. */
class Clients {
  readonly #worker: Worker;
  readonly #ended: Promise<unknown>;

  constructor(load: HttpLoad) {
    this.#worker = new Worker(new URL('./http/load.ts', import.meta.url), { workerData: load });
    this.#ended = once(this.#worker, 'exit');
    this.#ended.catch(() => undefined);
  }

  async count(): Promise<HttpLoadCount> {
    this.#worker.postMessage('count');
    const [count] = (await Promise.race([once(this.#worker, 'message'), this.#ended])) as [HttpLoadCount];
    if (typeof count !== 'object') throw new Error('the clients have ended');
    return count;
  }

  async end(): Promise<void> {
    this.#worker.postMessage('end');
    await this.#ended;
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(durationMs, resolve));
}
