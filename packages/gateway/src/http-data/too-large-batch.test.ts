import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpProblem } from '@weir/http';
import { buildRecordBatch } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import type { DataDeps, DataInput } from './data-route.ts';
import { fetchAnswer } from './fetch.ts';
import { singleRecord } from './single-record.ts';

/** A batch whose only block of snappy says that it inflates to more than HTTP takes. */
function hugeBatch(baseOffset: bigint): Buffer {
  const value = Buffer.from('small');
  const fields = { baseOffset, codec: 'snappy' } as const;
  const small = buildRecordBatch([{ offset: baseOffset, timestamp: 1n, key: null, value }], fields);
  const headerBytes = 61;
  const claim: number[] = [];
  for (let left = gatewayLimits.httpBatchInflatedBytesMax + 1; left > 0; left = Math.floor(left / 128))
    claim.push((left % 128) + (left >= 128 ? 128 : 0));
  const batch = Buffer.concat([small.subarray(0, headerBytes), Buffer.from(claim), Buffer.alloc(16)]);
  batch.writeInt32BE(batch.length - 12, 8);
  return batch;
}

const plain = buildRecordBatch([{ offset: 0n, timestamp: 1n, key: null, value: Buffer.from('a') }], {});

/** A call whose Kafka requests are all answered with these partitions. */
function inputOf(partitions: readonly Buffer[], body: object): DataInput {
  const client = {
    call: async () => ({
      responses: [
        {
          topic: 'orders',
          partitions: partitions.map((records, partitionIndex) => ({
            partitionIndex,
            errorCode: 0,
            highWatermark: 9n,
            lastStableOffset: 9n,
            logStartOffset: 0n,
            abortedTransactions: null,
            records,
          })),
        },
      ],
    }),
  };
  return { body, bodyBytes: 0, client, query: new URLSearchParams() } as unknown as DataInput;
}

const deps = { answers: { change() {} }, pause: async () => {} } as unknown as DataDeps;
const message = /^The batch at offset 1 has more than 128MiB decompressed; read it with a Kafka client\.$/;

test('a fetch names a batch that is too large, and has the records before it and of other partitions', async () => {
  const wanted = [0, 1].map((partition) => ({ partition, fetch_offset: 0 }));
  const body = { topics: [{ topic: 'orders', partitions: wanted }] };
  let text = '';
  const input = inputOf([Buffer.concat([plain, hugeBatch(1n)]), plain], body);
  for await (const piece of fetchAnswer(input, deps)) text += piece;
  const [first, second] = JSON.parse(text).topics[0].partitions;
  assert.match(first.problem, message);
  assert.deepEqual([first.records.length, first.next_offset, first.error_code], [1, 1, 0]);
  assert.deepEqual([second.records.length, second.next_offset, second.problem], [1, 1, undefined]);
});

test('a single record in a batch that is too large is 422', async () => {
  const read = singleRecord({ topic: 'orders', partition: 0, offset: 1 }, inputOf([hugeBatch(1n)], {}), deps);
  await assert.rejects(read.next(), (error: HttpProblem) => {
    assert.ok(error instanceof HttpProblem);
    assert.equal(error.status, 422);
    assert.match(error.message, message);
    return true;
  });
});
