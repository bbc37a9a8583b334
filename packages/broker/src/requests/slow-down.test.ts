import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { type Api, apis, encodeResponse, type Fields, type WriteStruct } from '@weir/wire';
import type { HandlerResult } from './handler-result.ts';
import { slowingDown } from './slow-down.ts';

function atDelay(firstMs: number) {
  const delay = { ms: firstMs };
  const clock = new HandClock();
  const metrics = new Metrics();
  return { delay, clock, metrics, slowDown: slowingDown({ delayMs: () => delay.ms, clock, metrics }) };
}

const answerOf = (fields: object) => fields as unknown as WriteStruct<Fields>;

test('answers of every API carry the delay', async () => {
  const cases: [api: Api, delayMs: number, throttleTimeMs: number, expected: number][] = [
    [apis.Produce, 0, 0, 0],
    [apis.Produce, 0, 7, 7],
    [apis.Produce, 20, 0, 20],
    [apis.Produce, 20, 7, 20],
    [apis.Produce, 20, 700, 700],
    [apis.Fetch, 20, 0, 20],
    [apis.Metadata, 20, 0, 20],
    [apis.ApiVersions, 20, 0, 0],
  ];
  for (const [api, delayMs, throttleTimeMs, expected] of cases) {
    const { slowDown } = atDelay(delayMs);
    const answer = answerOf({ throttleTimeMs });
    for (const given of [answer, Promise.resolve(answer)] as HandlerResult<Fields>[]) {
      const slowed = (await slowDown(api, given)) as { throttleTimeMs?: number };
      assert.equal(slowed.throttleTimeMs ?? 0, expected, `${api.name} at ${delayMs}`);
    }
  }
});

test('clients of versions without a throttle time are muted too', async () => {
  const { slowDown } = atDelay(20);
  const answer = answerOf({ brokers: [], topics: [], controllerId: 1, clusterId: 'c' });
  const slowed = (await slowDown(apis.Metadata, answer)) as WriteStruct<Fields> & { throttleTimeMs: number };
  assert.equal(slowed.throttleTimeMs, 20);
  assert.ok(encodeResponse(apis.Metadata as unknown as Api, 0, 1, slowed).length > 0);
});

test('the delay is that at the time of the answer', async () => {
  const { slowDown, delay } = atDelay(20);
  let answer: (value: WriteStruct<Fields>) => void = () => {};
  const pending = new Promise<WriteStruct<Fields>>((resolve) => {
    answer = resolve;
  });
  const slowed = slowDown(apis.Fetch, pending);
  delay.ms = 0;
  answer(answerOf({ throttleTimeMs: 0 }));
  assert.deepEqual(await slowed, { throttleTimeMs: 0 });
});

test('a Produce without an answer is finished after the delay, and a refusal at once', async () => {
  const { slowDown, clock, metrics } = atDelay(20);
  let result: unknown;
  void Promise.resolve(slowDown(apis.Produce, 'noReply')).then((one) => {
    result = one;
  });
  clock.advance(19);
  await settle();
  assert.equal(result, undefined);
  clock.advance(1);
  await settle();
  assert.equal(result, 'noReply');
  assert.equal(slowDown(apis.Produce, 'close'), 'close');
  assert.match(
    metrics.render(),
    /^service_agent_produce_backpressure_count\{kafka_method="produce",backpressure_source="cpu"\} 1$/m,
  );
});
