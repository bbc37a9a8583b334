import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { httpStage, json, logStage } from '@weir/agent/testing';
import { ClientQuotas } from '@weir/broker';
import { FollowedEntries, quotaEntityKey } from '@weir/cluster';
import { Metrics } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';
import { ThrottledRequests } from './throttled-requests.ts';

const perSecond = 1000;
const { httpThrottledRequestsPerQuotaMax, httpThrottleWaitMsMax } = gatewayLimits;
const open = new AbortController().signal;

/** Requests of users that share a quota of 1,000 bytes per second, whatever their client ids. */
function stage() {
  const clock = new HandClock();
  const entries = new FollowedEntries();
  const key = quotaEntityKey([{ type: 'user', name: 'alice' }]);
  entries.put('clientQuota', key, Buffer.from(JSON.stringify({ producer_byte_rate: perSecond })));
  const quotas = new ClientQuotas({ records: entries.of('clientQuota'), clock, metrics: new Metrics() });
  const requests = new ThrottledRequests({ quotas, clock });
  const client = (clientId: string, user = 'alice') => ({ user, clientId });
  return {
    clock,
    requests,
    write: (clientId: string, bytes: number) => quotas.produced(client(clientId), bytes),
    admit: (clientId: string, closed: AbortSignal = open, user?: string) =>
      requests.admit(client(clientId, user), 'producer_byte_rate', closed),
  };
}

/** The outcome of a request so far. */
function watched(admitted: Promise<() => void>) {
  const seen: { release?: () => void; problem?: unknown } = {};
  admitted.then(
    (release) => {
      seen.release = release;
    },
    (problem: unknown) => {
      seen.problem = problem;
    },
  );
  return seen;
}

const isTooFast = (error: unknown, retryAfter: string) =>
  error instanceof HttpProblem && error.status === 429 && error.headers['retry-after'] === retryAfter;

test('after a write above the quota the next request waits, under any client id and for as long as it takes', async () => {
  const { clock, write, admit, requests } = stage();
  (await admit('a'))();
  assert.equal(write('a', 15_000), 5_000);
  const next = watched(admit('b'));
  await settle();
  assert.equal(requests.waiting, 1);
  clock.advance(4_999);
  await settle();
  assert.deepEqual(next, {});
  clock.advance(1);
  await settle();
  assert.ok(next.release);
  assert.equal(requests.waiting, 0);
  next.release();
  await settle();
  (await admit('c'))();
});

test('requests that have waited are served one after the other', async () => {
  const { clock, write, admit } = stage();
  write('a', 11_000);
  const [first, second] = [watched(admit('a')), watched(admit('a'))];
  clock.advance(1_000);
  await settle();
  assert.ok(first.release);
  assert.deepEqual(second, {});
  // What the first one has written counts before the second one is served.
  const waitMs = write('a', 2_000);
  assert.ok(waitMs > 0);
  first.release();
  await settle();
  assert.deepEqual(second, {});
  clock.advance(waitMs);
  await settle();
  assert.ok(second.release);
});

test('a wait that would be too long is 429, with the time to wait', async () => {
  const { clock, write, admit } = stage();
  write('a', 10_000 + 60 * perSecond);
  await assert.rejects(admit('a'), (error) => isTooFast(error, '60'));
  // Not only as long as the window of the rate remembers.
  clock.advance(30_000);
  await assert.rejects(admit('a'), (error) => isTooFast(error, '30'));
  clock.advance(30_000);
  (await admit('a'))();
});

test('few requests wait, none longer than the bound, and one whose client has left ends', async () => {
  const { clock, write, admit, requests } = stage();
  write('a', 15_000);
  const left = new AbortController();
  const leaving = watched(admit('a', left.signal));
  const waiting = Array.from({ length: httpThrottledRequestsPerQuotaMax - 1 }, () => watched(admit('a')));
  await settle();
  await assert.rejects(admit('a'), (error) => isTooFast(error, '5'));
  (await admit('a', open, 'bob'))();
  left.abort();
  await settle();
  assert.ok(leaving.problem instanceof HttpProblem);
  clock.advance(5_000);
  await settle();
  assert.ok(waiting[0]!.release, 'its turn was passed on');
  clock.advance(httpThrottleWaitMsMax);
  await settle();
  for (const { problem } of waiting.slice(1))
    assert.ok(problem instanceof HttpProblem && problem.status === 429);
  waiting[0]!.release();
  await settle();
  assert.equal(requests.waiting, 0);
});

test('over HTTP a producer writes no faster than its quota', async (t) => {
  const { cluster, call, clock } = await httpStage(t);
  cluster.addTopic('orders');
  const entity = [{ type: 'client-id', name: 'http-produce-client' }];
  cluster.putRecord('clientQuota', quotaEntityKey(entity), { producer_byte_rate: perSecond });
  await settle();
  const text = JSON.stringify({
    topics: [{ topic: 'orders', partitions: [{ partition: 0, records: [{ value: 'A'.repeat(4_000) }] }] }],
  });
  // The compressed size is not what is written.
  const body = gzipSync(text);
  assert.ok(body.length < 200);
  const beginMs = clock.monotonicMs();
  let written = 0;
  for (let count = 0; count < 10; ) {
    const answer = await call('POST', '/v1/kafka/produce', body, { 'content-encoding': 'gzip' });
    if (answer.status === 429) {
      clock.advance(Number(answer.headers.get('retry-after')) * 1000);
      continue;
    }
    assert.equal(answer.json.topics[0].partitions[0].error_code, 0);
    written += text.length;
    count++;
  }
  const seconds = (clock.monotonicMs() - beginMs) / 1000;
  // A window of ten seconds may be used at once, and one request beyond it.
  const allowed = perSecond * (seconds + 10) + text.length;
  assert.ok(written <= allowed, `${written} bytes in ${seconds} s, ${allowed} are allowed`);
});

test('over HTTP a consumer is sent no more than its quota, whatever form answers have', async (t) => {
  const { cluster, call, clock } = await httpStage(t);
  cluster.addTopic('orders');
  const records = [{ value: Buffer.alloc(6_000).toString('base64') }];
  const written = { topics: [{ topic: 'orders', partitions: [{ partition: 0, records }] }] };
  assert.equal((await call('POST', '/v1/kafka/produce', written)).status, 200);
  const quotaOf = async (name: string, consumer_byte_rate: number) => {
    cluster.putRecord('clientQuota', quotaEntityKey([{ type: 'client-id', name }]), { consumer_byte_rate });
    await settle();
  };
  const position = { partition: 0, fetch_offset: 0 };
  const wanted = { topics: [{ topic: 'orders', partitions: [position] }], max_wait_ms: 0 };
  const read = (name: string, encoding: string) =>
    call('POST', '/v1/kafka/fetch', wanted, { 'kafka-client-id': name, 'accept-encoding': encoding });
  // What is stored is less than a window of ten seconds allows, and what is sent is more.
  await quotaOf('plain', 700);
  const first = await read('plain', 'identity');
  assert.equal(first.json.topics[0].partitions[0].records.length, 1);
  assert.ok(first.bytes.length > 8_000);
  const beginMs = clock.monotonicMs();
  assert.equal((await read('plain', 'identity')).status, 200);
  assert.ok(clock.monotonicMs() - beginMs > 1_000, 'the next request waits');
  // Ten compressed answers are less than a window allows, and ten stored batches four times as much.
  await quotaOf('compressed', 1500);
  for (let count = 0; count < 10; count++) {
    const { status, json: answer } = await read('compressed', 'gzip');
    assert.deepEqual([status, answer.topics[0].partitions[0].records.length], [200, 1]);
  }
});

test('a shipper of logs above its quota is told when to try again', async (t) => {
  const { cluster, call } = await logStage(t);
  const entity = [{ type: 'client-id', name: 'http-log-intake-client' }];
  cluster.putRecord('clientQuota', quotaEntityKey(entity), { producer_byte_rate: 10 });
  await settle();
  const lines = [{ message: 'x'.repeat(5_000) }];
  assert.equal((await call('POST', '/api/v2/logs', lines, json)).status, 202);
  const second = await call('POST', '/api/v2/logs', lines, json);
  assert.equal(second.status, 429);
  assert.ok(Number(second.headers.get('retry-after')) > 100);
  const other = await call('POST', '/api/v2/logs', lines, { ...json, 'kafka-client-id': 'other' });
  assert.equal(other.status, 202);
});
