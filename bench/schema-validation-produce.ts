import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { apis, errorByCode } from '@weir/wire';
import { connect } from '../tests/interop/brokers/stored.ts';
import { orderBatch, orderSchema } from './avro-orders.ts';
import { atLeast, type Benchmark, type Row } from './benchmark.ts';
import { cpuSecondsOf } from './kafka/broker.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { type Playground, startPlayground } from './kafka/weir.ts';
import type { ProducedLoad, ValidationLoad } from './schema-validation-load.ts';
import { type Effort, median } from './side-by-side.ts';

const fullRun = { pairs: 20, warmUpPairs: 5, turnMs: 400 };
const smokeTest = { pairs: 1, warmUpPairs: 0, turnMs: 20 };
const timeoutMs = 60_000;

/** Batches of `batch.size` as by default, of several partitions in a request; and large ones. */
const loads = [
  { recordsInBatch: 16, partitionsInRequest: 8 },
  { recordsInBatch: 256, partitionsInRequest: 1 },
];
const connections = 4;

interface Turn {
  readonly mbPerSecond: number;
  readonly cpuSecondsPerGb: number;
}

/** What validation costs producers of `weir playground`, a process of its own with a bucket of files and SQLite. */
export const schemaValidationProduce: Benchmark = {
  name: 'schema-validation-produce',
  startsServers: true,
  run: (effort: Effort) =>
    Lifetime.during(async (lifetime) => {
      const { pairs, warmUpPairs, turnMs } = effort.turns > 1 ? fullRun : smokeTest;
      const playground = await startPlayground(lifetime, { profileFolder: undefined });
      const schemaId = await register(playground);
      await using worker = new LoadWorker();
      const rows: Row[] = [];
      for (const { recordsInBatch, partitionsInRequest } of loads) {
        const batch = orderBatch(recordsInBatch, schemaId);
        const topics = { validated: `validated-${recordsInBatch}`, plain: `plain-${recordsInBatch}` };
        const partitions = connections * partitionsInRequest;
        await createTopic(playground, topics.validated, partitions, 'true');
        await createTopic(playground, topics.plain, partitions, 'false');
        const turns = { validated: [] as Turn[], plain: [] as Turn[] };
        for (let pair = 0; pair < warmUpPairs + pairs; pair++) {
          const kinds = ['validated', 'plain'] as const;
          for (const kind of pair % 2 === 0 ? kinds : kinds.toReversed()) {
            const load = { servers: playground.servers, topic: topics[kind], batch, connections };
            const measured = await measure(playground, worker, { ...load, partitionsInRequest, ms: turnMs });
            if (pair >= warmUpPairs) turns[kind].push(measured);
          }
        }
        rows.push(rowOf(`${recordsInBatch} Avro records of 1 KiB`, turns));
      }
      return rows;
    }),
};

function rowOf(what: string, { validated, plain }: Record<'validated' | 'plain', readonly Turn[]>): Row {
  const ratios = validated.map(({ mbPerSecond }, pair) => mbPerSecond / plain[pair]!.mbPerSecond);
  const sorted = ratios.toSorted((a, b) => a - b);
  const quartile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(2);
  const of = (turns: readonly Turn[]) => {
    const cpu = median(turns.map(({ cpuSecondsPerGb }) => cpuSecondsPerGb));
    return `${Math.round(median(turns.map(({ mbPerSecond }) => mbPerSecond)))} MB/s at ${cpu.toFixed(1)} s/GB`;
  };
  return {
    what: `playground: produce batches of ${what}, validated / not validated`,
    result: Math.round(median(ratios) * 1000) / 1000,
    unit: 'x',
    bar: atLeast(0.87),
    detail: `quartiles ${quartile(0.25)} to ${quartile(0.75)}; ${of(validated)}, ${of(plain)}`,
  };
}

async function measure(playground: Playground, worker: LoadWorker, load: ValidationLoad): Promise<Turn> {
  const cpuBefore = cpuSecondsOf(playground) ?? Number.NaN;
  const { bytes, seconds } = await worker.run(load);
  const cpuSeconds = (cpuSecondsOf(playground) ?? Number.NaN) - cpuBefore;
  return { mbPerSecond: bytes / 1e6 / seconds, cpuSecondsPerGb: (cpuSeconds * 1e9) / bytes };
}

/** The client, in a thread of its own. */
class LoadWorker implements AsyncDisposable {
  readonly #worker = new Worker(new URL('./schema-validation-load.ts', import.meta.url));

  async run(load: ValidationLoad): Promise<ProducedLoad> {
    this.#worker.postMessage(load);
    const [produced] = (await once(this.#worker, 'message')) as [ProducedLoad];
    return produced;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

async function register({ registryUrl }: Playground): Promise<number> {
  let id = 0;
  for (const { recordsInBatch } of loads) {
    const answer = await fetch(`${registryUrl}/subjects/validated-${recordsInBatch}-value/versions`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ schema: orderSchema }),
    });
    if (!answer.ok) throw new Error(`the registry answered ${answer.status}: ${await answer.text()}`);
    // The same under both subjects.
    ({ id } = (await answer.json()) as { id: number });
  }
  return id;
}

async function createTopic(
  { servers }: Playground,
  name: string,
  numPartitions: number,
  isValidated: string,
): Promise<void> {
  const connection = await connect(servers, 'bench');
  try {
    const configs = [{ name: 'service.value.schema.validation', value: isValidated }];
    const topics = [{ name, numPartitions, replicationFactor: 1, assignments: [], configs }];
    const answer = await connection.request(apis.CreateTopics, { topics, timeoutMs }, { timeoutMs });
    const { errorCode, errorMessage } = answer.topics[0]!;
    if (errorCode !== 0) throw new Error(`${errorByCode(errorCode)?.name} ${errorMessage}`);
  } finally {
    connection.close();
  }
}
