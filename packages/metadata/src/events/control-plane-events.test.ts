import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ControlPlaneEvent } from '@weir/cluster';
import { eventCalls } from '@weir/cluster/testing';
import { coreLimits, Metrics } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { callLimits, decodeFrame, encodeFrame } from '@weir/rpc/testing';
import fc from 'fast-check';
import { metadataLimits } from '../limits.ts';
import { ControlPlaneEvents } from './control-plane-events.ts';
import { eventMetrics } from './event-metrics.ts';

const on = { 'service.events.enabled': 'true' };

function world(configs: Record<string, string> = on) {
  const clock = new HandClock();
  const metrics = new Metrics();
  const state = { configs };
  const events = new ControlPlaneEvents({
    queueId: '7',
    clusterConfigs: () => state.configs,
    metrics: eventMetrics(metrics, 'c'),
    clock,
  });
  const counter = (name: string) =>
    metrics.read().find(({ row }) => row.name === `control_plane_events_${name}_total`)!.series[0]!.value;
  const take = async (queueId = '', writtenBefore = 0, waitMs = 0) => {
    const taken = await events.take({ agentId: 'a', queueId, writtenBefore, waitMs });
    return { ...taken, texts: taken.events.map(({ text }) => text) };
  };
  return { clock, state, events, counter, take };
}

function event(text: string, type = 'diagnostics_logs'): ControlPlaneEvent {
  return { type, timeMs: 1, text };
}

test('events are returned until an agent confirms that they are written', async () => {
  const { events, counter, take } = world();
  events.put([event('a'), event('b')]);
  const first = await take();
  assert.deepEqual(first.texts, ['a', 'b']);
  assert.deepEqual((await take()).texts, ['a', 'b'], 'the previous agent may be dead');
  assert.deepEqual(
    (await take('6', first.nextNumber)).texts,
    ['a', 'b'],
    'a confirmation for the queue of another leader is ignored',
  );
  events.put([event('c')]);
  assert.deepEqual((await take(first.queueId, first.nextNumber)).texts, ['c']);
  assert.deepEqual(
    (await take(first.queueId, first.nextNumber)).texts,
    ['c'],
    'a repeated confirmation changes nothing',
  );
  assert.equal(counter('handed_over'), 2);
});

test('a poll without events waits for them', async () => {
  const { clock, events, take } = world();
  const waiting = take('', 0, 10_000);
  events.put([event('a')]);
  assert.deepEqual((await waiting).texts, ['a']);
  const timedOut = take('7', 1, 10_000);
  clock.advance(10_000);
  assert.deepEqual((await timedOut).texts, []);
  const closed = take('7', 1, 10_000);
  events.close();
  assert.deepEqual((await closed).texts, []);
});

const wanted: [what: string, configs: Record<string, string>, texts: string[]][] = [
  ['events are off', {}, []],
  ['the type is off', { ...on, 'service.events.diagnostics_logs.enabled': 'false' }, ['of another type']],
  ['all is on', on, ['a', 'of another type']],
];

for (const [what, configs, texts] of wanted) {
  test(`${what}: ${texts.length} of three are retained`, async () => {
    const { events, take } = world(configs);
    events.put([event('a'), event('of another type', 'orbit_logs'), event('of no type', 'gossip')]);
    assert.deepEqual((await take()).texts, texts);
  });
}

test('switching events off drops the waiting events', async () => {
  const { events, state, take } = world();
  events.put([event('a')]);
  state.configs = {};
  assert.deepEqual((await take()).texts, []);
});

test('the newest events are retained up to the limit, and dropped ones are counted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: coreLimits.eventBytesMax + 1 }), { maxLength: 20 }),
      fc.integer({ min: 0, max: 1_500 }),
      async (sizes, small) => {
        const { events, counter, take } = world();
        const all = [...sizes, ...Array<number>(small).fill(1)];
        for (const size of all) events.put([event('x'.repeat(size))]);
        const retained: number[] = [];
        for (let next = 0; ; ) {
          const taken = await take('7', next);
          if (taken.texts.length === 0) break;
          assert.ok(taken.texts.length <= metadataLimits.controlPlaneEventsPerCallMax);
          retained.push(...taken.texts.map((text) => text.length));
          next = taken.nextNumber;
        }
        const accepted = all.filter((size) => size <= coreLimits.eventBytesMax);
        assert.deepEqual(retained, accepted.slice(accepted.length - retained.length));
        assert.ok(retained.length <= metadataLimits.controlPlaneEventsMax);
        assert.ok(retained.reduce((sum, size) => sum + size, 0) <= metadataLimits.controlPlaneEventCharsMax);
        assert.equal(counter('dropped'), all.length - retained.length);
      },
    ),
    { numRuns: 30 },
  );
});

const poll = { agentId: 'a', queueId: '', writtenBefore: 0, waitMs: 5 };
const calls: [method: keyof typeof eventCalls, args: unknown[], problem: RegExp | undefined][] = [
  ['putControlPlaneEvents', [[event('a')]], undefined],
  ['putControlPlaneEvents', [[{ ...event('a'), timeMs: 'now' }]], /timeMs: not a whole number/],
  ['takeControlPlaneEvents', [poll], undefined],
  ['takeControlPlaneEvents', [{ ...poll, queueId: 7 }], /queueId: not a text/],
];

for (const [method, args, problem] of calls) {
  test(`${method} over the wire: ${problem ?? 'accepted'}`, () => {
    const { body } = decodeFrame(encodeFrame('call', 1, { method, args }), callLimits);
    const found = eventCalls[method].args((body as { args: unknown }).args, 'args');
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', problem);
  });
}
