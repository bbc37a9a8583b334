import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpStage } from '@weir/agent/testing';
import { AnswerMemory } from '@weir/broker';
import { MiB } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import { HttpProblem } from '@weir/http';
import { buildRecordBatch, type RecordToWrite } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import type { DataDeps, DataInput } from './data-route.ts';
import { fetchAnswer } from './fetch.ts';
import { InflatedMemory } from './inflated-memory.ts';
import { singleRecord } from './single-record.ts';

const { httpRecordBytesMax, httpInflatedBytesMax, httpRecordHeadersMax } = gatewayLimits;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A batch of some kilobytes that inflates to records of these sizes. */
function smallBatch(sizes: readonly number[], baseOffset = 0n, more: Partial<RecordToWrite> = {}): Buffer {
  const records = sizes.map((bytes, index) => ({
    offset: baseOffset + BigInt(index),
    timestamp: 1n,
    key: null,
    value: Buffer.alloc(bytes),
    ...more,
  }));
  return buildRecordBatch(records, { baseOffset, codec: 'zstd' });
}

function stage(records: Buffer, body: object = {}) {
  const client = {
    closed: new AbortController().signal,
    call: async () => ({
      responses: [{ topic: 'orders', partitions: [{ ...partition, records }] }],
    }),
  };
  const clock = new HandClock();
  const answers = new AnswerMemory(1024 * MiB, clock);
  const inflated = new InflatedMemory(answers, clock);
  const wanted = { topics: [{ topic: 'orders', partitions: [{ partition: 0, fetch_offset: 0 }] }], ...body };
  const input = { body: wanted, bodyBytes: 0, client, query: new URLSearchParams() };
  return {
    clock,
    answers,
    inflated,
    input: input as unknown as DataInput,
    deps: { answers, inflated, clock, pause: async () => {} } as unknown as DataDeps,
  };
}

const partition = {
  partitionIndex: 0,
  errorCode: 0,
  highWatermark: 9n,
  lastStableOffset: 9n,
  logStartOffset: 0n,
  abortedTransactions: null,
};

async function piecesIn(answer: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of answer) pieces.push(piece);
  return pieces;
}

test('a record that is large is sent in pieces, and counts until it is sent', async () => {
  const bytes = 10 * MiB;
  const batch = smallBatch([3, bytes, 3]);
  assert.ok(batch.length < 10_000);
  const { input, deps, answers, inflated } = stage(batch);
  const answer = fetchAnswer(input, deps);
  const pieces = [(await answer.next()).value as string];
  assert.ok(inflated.bytes > bytes && answers.bytes > bytes, 'counted while it is read');
  pieces.push(...(await piecesIn(answer)));
  assert.ok(
    pieces.every(({ length }) => length < 200_000),
    'no piece is large',
  );
  const [{ records, next_offset }] = JSON.parse(pieces.join('')).topics[0].partitions;
  assert.deepEqual([records.length, records[1].offset, next_offset], [3, 1, 3]);
  assert.equal(records[1].value, Buffer.alloc(bytes).toString('base64'));
  assert.deepEqual([answers.bytes, inflated.bytes], [0, 0]);
});

test('a client that leaves takes its memory with it', async () => {
  const { input, deps, answers, inflated } = stage(smallBatch([10 * MiB]));
  const answer = fetchAnswer(input, deps);
  await answer.next();
  assert.ok(inflated.bytes > 0);
  await answer.return();
  assert.deepEqual([answers.bytes, inflated.bytes], [0, 0]);
});

test('clients that read nothing hold a bounded amount, and further ones are told to try again', async () => {
  const { input, deps, answers, inflated, clock } = stage(smallBatch([30 * MiB]));
  const begun: AsyncGenerator<string>[] = [];
  while (inflated.bytes < httpInflatedBytesMax) {
    const answer = fetchAnswer(input, deps);
    await answer.next();
    begun.push(answer);
  }
  assert.equal(begun.length, 5);
  const late = piecesIn(fetchAnswer(input, deps));
  let isOver = false;
  void late.then(() => {
    isOver = true;
  });
  await until(() => {
    clock.advance(100);
    return isOver;
  });
  const [{ records, problem, next_offset }] = JSON.parse((await late).join('')).topics[0].partitions;
  assert.deepEqual([records, next_offset], [[], 0]);
  assert.match(problem, /try again/);
  assert.ok(answers.bytes < 200 * MiB, `${answers.bytes} bytes`);
  await begun[0]!.return(undefined);
  const next = fetchAnswer(input, deps);
  await next.next();
  for (const answer of [...begun, next]) await answer.return(undefined);
  assert.equal(answers.bytes, 0);
});

test('a record that is too large ends a partition with the reason, and is 422 alone', async () => {
  const header = { key: 'h', value: Buffer.alloc(4) };
  const message = /^The record at offset 1 has more than 32MiB; read it with a Kafka client\.$/;
  const headers = { headers: new Array(httpRecordHeadersMax + 1).fill(header) };
  for (const [batch, expected] of [
    [smallBatch([1, httpRecordBytesMax + 1, 1]), message],
    [Buffer.concat([smallBatch([1]), smallBatch([1], 1n, headers)]), /offset 1 has more than 10000 headers/],
  ] as const) {
    const { input, deps, answers } = stage(batch);
    const text = (await piecesIn(fetchAnswer(input, deps))).join('');
    const [{ records, next_offset, problem }] = JSON.parse(text).topics[0].partitions;
    assert.deepEqual([records.length, next_offset], [1, 1]);
    assert.match(problem, expected);
    await assert.rejects(
      singleRecord({ topic: 'orders', partition: 0, offset: 1 }, input, deps).next(),
      (error) => error instanceof HttpProblem && error.status === 422 && expected.test(error.message),
    );
    assert.equal(answers.bytes, 0);
  }
});

test('a record that is too large to be decoded is base64 with the reason', async () => {
  const { input, deps } = stage(smallBatch([5 * MiB]), { value_format: 'string' });
  const [{ records }] = JSON.parse((await piecesIn(fetchAnswer(input, deps))).join('')).topics[0].partitions;
  assert.equal(records[0].value_format, 'base64');
  assert.equal(records[0].value_problem, 'it is part of a record of more than 4MiB');
  assert.equal(records[0].value.length, Math.ceil((5 * MiB) / 3) * 4);
});

test('while answers have no memory left, reads over HTTP are 503', async () => {
  const { input, deps, answers } = stage(smallBatch([1]));
  answers.change(answers.bytesMax);
  const isOverloaded = (error: unknown) => error instanceof HttpProblem && error.status === 503;
  await assert.rejects(fetchAnswer(input, deps).next(), isOverloaded);
  const place = { topic: 'orders', partition: 0, offset: 0 };
  await assert.rejects(singleRecord(place, input, deps).next(), isOverloaded);
});

test('a large record with a key and headers is the same over HTTP as a small one', async (t) => {
  const { cluster, call } = await httpStage(t);
  cluster.addTopic('orders');
  const value = Buffer.alloc(200_000, 'ab').toString('base64');
  const headers = [
    { key: 'näme "x"', value: base64('1') },
    { key: '', value: null },
  ];
  const record = { key: base64('k'), value, headers, timestamp: 7 };
  await call('POST', '/v1/kafka/produce', {
    topics: [
      { topic: 'orders', partitions: [{ partition: 0, records: [record, { ...record, value: null }] }] },
    ],
  });
  const { json } = await call('GET', '/v1/kafka/topics/orders/partitions/0/records/0');
  assert.deepEqual(json, { topic: 'orders', partition: 0, offset: 0, ...record });
  const query = { topics: [{ topic: 'orders', partitions: [{ partition: 0, fetch_offset: 0 }] }] };
  const fetched = await call('POST', '/v1/kafka/fetch', query);
  assert.deepEqual(fetched.json.topics[0].partitions[0].records, [
    { offset: 0, ...record },
    { offset: 1, ...record, value: null },
  ]);
});
