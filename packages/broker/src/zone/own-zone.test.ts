import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { brokerLimits } from '../limits.ts';
import type { FoundZone } from './look-up-zone.ts';
import { OwnZone, unsetZone } from './own-zone.ts';
import { ZoneWarnings } from './zone-warnings.ts';

function ownZone(answers: FoundZone[], areDisabled = false) {
  const clock = new HandClock();
  const warned: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => void warned.push(`${message}: ${fields?.error}`),
  };
  let lookups = 0;
  const own = new OwnZone({
    async lookUp() {
      lookups++;
      return answers.shift() ?? { problem: 'no platform answers' };
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

test('a zone that was found stays, and is not looked up again', async () => {
  const { own, warned, later, lookups } = ownZone([{ zone: 'us-east-1a', platform: 'test' }]);
  assert.equal(own.zone, unsetZone);
  await own.start();
  assert.equal(own.zone, 'us-east-1a');
  await later(600_000);
  assert.deepEqual([lookups(), warned], [1, []]);
});

test('a missing zone is looked up every minute, and each reason is logged once', async () => {
  const { own, warned, later, lookups } = ownZone([
    { problem: 'no answer' },
    { problem: 'no answer' },
    { problem: 'refused' },
    { problem: 'no answer' },
    { zone: 'late', platform: 'test' },
  ]);
  await own.start();
  assert.equal(own.zone, unsetZone);
  await later(59_999);
  assert.equal(lookups(), 1);
  await later(1);
  assert.equal(lookups(), 2);
  for (let minute = 2; minute < 5; minute++) await later(60_000);
  assert.equal(own.zone, 'late');
  const warning = 'failed to find availability zone, set -availabilityZone';
  assert.deepEqual(warned, [`${warning}: no answer`, `${warning}: refused`]);
});

test('warnings can be turned off, and lookups end with the agent', async () => {
  const { own, clock, warned, later, lookups } = ownZone([], true);
  await own.start();
  await later(60_000);
  assert.deepEqual([lookups(), warned], [2, []]);
  own.stop();
  assert.equal(clock.waiting, 0);
});

test('warnings of all kinds share a limit of one a minute, and come once', () => {
  const clock = new HandClock();
  const warned: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => void warned.push(message) };
  const warnings = new ZoneWarnings({ clock, log, areDisabled: false });
  for (const [message, afterMs] of [
    ['first', 0],
    ['too early', 59_999],
    ['second', 1],
    ['too early', 0],
    ['first', 60_000],
    ['third', 0],
  ] as const) {
    clock.advance(afterMs);
    warnings.warn(message, {});
  }
  assert.deepEqual(warned, ['first', 'second', 'third']);
});

test('the number of distinct warnings is limited', () => {
  const clock = new HandClock();
  let warned = 0;
  const log: Log = { ...silentLog, warn: () => void warned++ };
  const warnings = new ZoneWarnings({ clock, log, areDisabled: false });
  for (let client = 0; client < 2 * brokerLimits.zoneWarningsMax; client++) {
    clock.advance(60_000);
    warnings.warn('unknown', { peer: String(client) });
  }
  assert.equal(warned, brokerLimits.zoneWarningsMax);
});
