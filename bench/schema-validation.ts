import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import { buildRecordBatch } from '@weir/wire';
import { avroFormat } from '../packages/registry/src/avro/avro-format.ts';
import { loadFormat, SchemaCache } from '../packages/registry/src/decoding/index.ts';
import { TestReader } from '../packages/registry/testing/index.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, type Benchmark, type Row } from './benchmark.ts';
import { startCluster } from './event-emission.ts';
import type { ValidationLoad } from './schema-validation-load.ts';
import { type Effort, median } from './side-by-side.ts';

const fullPairs = 150;
/** Smoke test. */
const tinyPairs = 1;
const turnMs = 100;
const batchSizes = [16, 256] as const;
const partitions = 4;
const schemaId = 7;

/** An order, as records in practice are: strings, numbers, options, an array of records. */
const schema = {
  type: 'record',
  name: 'Order',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'customer', type: 'long' },
    { name: 'placed', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'total', type: 'double' },
    { name: 'state', type: { type: 'enum', name: 'State', symbols: ['OPEN', 'PAID', 'SENT'] } },
    { name: 'coupon', type: ['null', 'string'] },
    {
      name: 'lines',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'Line',
          fields: [
            { name: 'sku', type: 'string' },
            { name: 'count', type: 'int' },
            { name: 'price', type: 'double' },
          ],
        },
      },
    },
    { name: 'note', type: 'string' },
  ],
};

/** What the validation of records costs producers, as part of all that an agent does for a Produce request. */
export const schemaValidation: Benchmark = {
  name: 'schema-validation',
  async run(effort: Effort) {
    const pairs = effort.turns > 1 ? fullPairs : tinyPairs;
    await using lifetime = new AsyncDisposableStack();
    const reader = new TestReader();
    reader.add(schemaId, JSON.stringify(schema), ['validated-value']);
    const cache = new SchemaCache({ reader, formatOf: loadFormat, clock: systemClock });
    const { broker, node } = await startCluster(lifetime, cache);
    const worker = new Worker(new URL('./schema-validation-load.ts', import.meta.url));
    lifetime.defer(async () => void (await worker.terminate()));
    for (const topic of ['validated', 'plain']) await createTopic(broker, topic, partitions);
    const change = { name: 'service.value.schema.validation', operation: 'set', value: 'true' } as const;
    const toAlter = { kind: 'topic', name: 'validated', replacesAll: false, changes: [change] } as const;
    await node.alterConfigs([toAlter], { validateOnly: false });
    const rate = async (topic: string, batch: Buffer): Promise<number> => {
      worker.postMessage({ servers: broker, topic, batch, ms: turnMs } satisfies ValidationLoad);
      const [answer] = (await once(worker, 'message')) as [number];
      return answer / 1e6;
    };
    const rows: Row[] = [];
    for (const recordsInBatch of batchSizes) {
      const batch = batchOf(recordsInBatch);
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

function batchOf(records: number): Buffer {
  const codec = avroFormat.codec(avroFormat.parse({ text: JSON.stringify(schema), references: [] }));
  const values = Array.from({ length: records }, (_, index) => {
    const lines = Array.from({ length: 12 }, (_, line) => ({
      sku: `sku-${index}-${line}-${'0'.repeat(20)}`,
      count: line + 1,
      price: 9.99 * line,
    }));
    const order = {
      id: `order-${index}-${'a'.repeat(30)}`,
      customer: 1_000_000 + index,
      placed: 1_700_000_000_000 + index,
      total: 123.45,
      state: 'PAID',
      coupon: null,
      lines,
      note: 'x'.repeat(440),
    };
    const head = Buffer.from([0, 0, 0, 0, schemaId]);
    return { timestamp: 0n, key: null, value: Buffer.concat([head, codec.encode(order)]) };
  });
  return buildRecordBatch(values);
}
