import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerMemory } from '@weir/broker';
import { HandClock } from '@weir/core/testing';
import { gatewayLimits } from '../limits.ts';
import type { DataDeps, DataInput } from './data-route.ts';
import { fetchAnswer } from './fetch.ts';

test('an answer with many partitions and no records is made in pieces, with pauses between', async () => {
  const { httpPartitionsMax } = gatewayLimits;
  const partitions = Array.from({ length: httpPartitionsMax }, (_, partition) => ({
    partition,
    fetch_offset: 0,
  }));
  const client = {
    call: async () => ({
      responses: [
        {
          topic: 'orders',
          partitions: partitions.map(({ partition }) => ({
            partitionIndex: partition,
            errorCode: 29,
            highWatermark: -1n,
            records: null,
          })),
        },
      ],
    }),
  };
  let pauses = 0;
  const clock = new HandClock();
  const deps = {
    answers: new AnswerMemory(1, clock),
    clock,
    pause: async () => {
      pauses++;
    },
  };
  const body = { topics: [{ topic: 'orders', partitions }] };
  const input = { body, bodyBytes: 0, client } as unknown as DataInput;
  const pieces: string[] = [];
  for await (const piece of fetchAnswer(input, deps as unknown as DataDeps)) pieces.push(piece);
  assert.equal(JSON.parse(pieces.join('')).topics[0].partitions.length, httpPartitionsMax);
  assert.ok(
    pieces.every(({ length }) => length < 66_000),
    'no piece is much longer than others',
  );
  assert.ok(pieces.length > 10 && pauses > 10, `${pieces.length} pieces, ${pauses} pauses`);
});
