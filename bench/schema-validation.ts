import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import { RecordSchemas } from '../packages/registry/src/decoding/index.ts';
import { TestReader } from '../packages/registry/testing/index.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { orderBatch, orderSchema } from './avro-orders.ts';
import { atLeast, type Benchmark, type Row } from './benchmark.ts';
import { startCluster } from './event-emission.ts';
import type { ProducedLoad, ValidationLoad } from './schema-validation-load.ts';
import { type Effort, median } from './side-by-side.ts';

const fullPairs = 150;
/** Smoke test. */
const tinyPairs = 1;
const turnMs = 100;
const batchSizes = [16, 256] as const;
const partitions = 4;
const schemaId = 7;

/** What the validation of records costs producers, as part of all that an agent does for a Produce request. */
export const schemaValidation: Benchmark = {
  name: 'schema-validation',
  async run(effort: Effort) {
    const pairs = effort.turns > 1 ? fullPairs : tinyPairs;
    await using lifetime = new AsyncDisposableStack();
    const reader = new TestReader();
    reader.add(schemaId, orderSchema, ['validated-value']);
    const encodesNothing = async () => Promise.reject(new Error('nothing is encoded'));
    const registry = Object.assign(reader, { register: encodesNothing, lookup: encodesNothing });
    const schemas = new RecordSchemas({ registry, isOwn: false, clock: systemClock });
    lifetime.defer(() => schemas.close());
    const { broker, node } = await startCluster(lifetime, schemas);
    const worker = new Worker(new URL('./schema-validation-load.ts', import.meta.url));
    lifetime.defer(async () => void (await worker.terminate()));
    for (const topic of ['validated', 'plain']) await createTopic(broker, topic, partitions);
    const change = { name: 'service.value.schema.validation', operation: 'set', value: 'true' } as const;
    const toAlter = { kind: 'topic', name: 'validated', replacesAll: false, changes: [change] } as const;
    await node.alterConfigs([toAlter], { validateOnly: false });
    const rate = async (topic: string, batch: Buffer): Promise<number> => {
      const load = { servers: broker, topic, batch, connections: partitions, partitionsInRequest: 1 };
      worker.postMessage({ ...load, ms: turnMs } satisfies ValidationLoad);
      const [{ bytes, seconds }] = (await once(worker, 'message')) as [ProducedLoad];
      return bytes / seconds / 1e6;
    };
    const rows: Row[] = [];
    for (const recordsInBatch of batchSizes) {
      const batch = orderBatch(recordsInBatch, schemaId);
      const rates = { validated: [] as number[], plain: [] as number[] };
      for (let pair = 0; pair < 2 * pairs; pair++) {
        const topics = ['validated', 'plain'] as const;
        for (const topic of pair % 2 === 0 ? topics : topics.toReversed()) {
          const measured = await rate(topic, batch);
          // The first half warms up.
          if (pair >= pairs) rates[topic].push(measured);
        }
      }
      const ratios = rates.validated.map((one, pair) => one / rates.plain[pair]!);
      rows.push({
        what: `produce ${recordsInBatch} Avro records of 1 KiB in a batch, validated / not validated`,
        result: Math.round(median(ratios) * 1000) / 1000,
        unit: 'x',
        bar: atLeast(0.87),
        detail: `${Math.round(median(rates.validated))} MB/s, ${Math.round(median(rates.plain))} MB/s`,
      });
    }
    return rows;
  },
};
