import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import type { FoundZone } from './look-up-zone.ts';
import { OwnZone, unsetZone } from './own-zone.ts';
import { ZoneWarnings } from './zone-warnings.ts';

function ownZone(answers: FoundZone[], areDisabled = false) {
  const clock = new HandClock();
  const warned: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => void warned.push(`${message}: ${fields?.reason}`),
  };
  let lookups = 0;
  const own = new OwnZone({
    async lookUp() {
      lookups++;
      return answers.shift() ?? { problem: 'nobody answers' };
    },
    clock,
    log,
    warnings: new ZoneWarnings({ clock, log, areDisabled }),
  });
  const later = async (byMs: number) => {
    clock.advance(byMs);
    await settle();
  };
  return { own, clock, warned, later, lookups: () => lookups };
}

test('a zone that is found stays, and nobody asks again', async () => {
  const { own, warned, later, lookups } = ownZone([{ zone: 'us-east-1a', platform: 'test' }]);
  assert.equal(own.zone, unsetZone);
  await own.start();
  assert.equal(own.zone, 'us-east-1a');
  await later(600_000);
  assert.deepEqual([lookups(), warned], [1, []]);
});

test('what is not found is looked for every minute, with one warning each', async () => {
  const { own, warned, later, lookups } = ownZone([
    { problem: 'no answer' },
    { problem: 'no answer' },
    { zone: 'late', platform: 'test' },
  ]);
  await own.start();
  assert.equal(own.zone, unsetZone);
  await later(59_999);
  assert.equal(lookups(), 1);
  await later(1);
  assert.equal(lookups(), 2);
  await later(60_000);
  assert.equal(own.zone, 'late');
  const warning = 'the zone of this agent is unknown; -availabilityZone names it: no answer';
  assert.deepEqual(warned, [warning, warning]);
});

test('warnings can be turned off, and looking ends with the agent', async () => {
  const { own, clock, warned, later, lookups } = ownZone([], true);
  await own.start();
  await later(60_000);
  assert.deepEqual([lookups(), warned], [2, []]);
  own.stop();
  assert.equal(clock.waiting, 0);
});

test('warnings of all kinds share one a minute', () => {
  const clock = new HandClock();
  const warned: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => void warned.push(message) };
  const warnings = new ZoneWarnings({ clock, log, areDisabled: false });
  for (const [message, afterMs] of [
    ['first', 0],
    ['too early', 59_999],
    ['second', 1],
    ['too early', 0],
  ] as const) {
    clock.advance(afterMs);
    warnings.warn(message, {});
  }
  assert.deepEqual(warned, ['first', 'second']);
});
