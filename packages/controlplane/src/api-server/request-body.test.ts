import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type Clock, Metrics, systemClock } from '@weir/core';
import { requireShortTurns } from '@weir/core/testing';
import { RequestBodies, usualBody } from './request-body.ts';

/** Reads a body. Counts how often others had their turn meanwhile. */
async function read(text: string) {
  let turns = 0;
  const clock: Clock = Object.assign(Object.create(systemClock) as Clock, {
    after(delayMs: number, run: () => void) {
      if (delayMs === 0) turns++;
      return systemClock.after(delayMs, run);
    },
  });
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  const request = Object.assign(Readable.from([Buffer.from(text)]), { headers });
  const bodies = new RequestBodies({ clock, metrics: new Metrics() });
  const value = await bodies.readJson(request as unknown as IncomingMessage, usualBody);
  return { value, turns };
}

const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, index]));

test('a body with very many names is read in turns', async () => {
  const small = await read(JSON.stringify(names(10)));
  assert.deepEqual(small, { value: names(10), turns: 0 });
  const many = Array.from({ length: 10 }, () => names(9_000));
  const { value, turns } = await read(JSON.stringify(many));
  assert.deepEqual(value, many);
  assert.ok(turns >= 20, `${turns} turns`);
});

test('no body occupies the thread', async () => {
  const bodies: [what: string, text: string, problem: RegExp | undefined][] = [
    ['objects with names', JSON.stringify(Array.from({ length: 10 }, () => names(9_000))), undefined],
    ['names of one object', JSON.stringify(names(90_000)), /more than 10000 names/],
    ['nesting', '['.repeat(1_000_000), /within each other/],
    ['values', `[${'1,'.repeat(500_000)}1]`, /values/],
  ];
  for (const [what, text, problem] of bodies) {
    const found = await requireShortTurns(() => read(text).catch((error: Error) => error), { what });
    if (problem === undefined) assert.ok(!(found instanceof Error), what);
    else assert.match(String(found), problem, what);
  }
});

test('an object with more names than any field takes is refused', async () => {
  const error = 'An object of the body has more than 10000 names.';
  await assert.rejects(read(JSON.stringify({ configs: names(10_001) })), { message: error });
});

test('one long string is no reason for turns', async () => {
  const { turns } = await read(JSON.stringify({ schema: '{'.repeat(1_000_000) }));
  assert.ok(turns <= 2, `${turns} turns`);
});

test('large integers of a body keep their digits', async () => {
  const { value } = await read('{"a":[9223372036854775807,1]}');
  assert.deepEqual(value, { a: [9223372036854775807n, 1] });
});

test('a name twice is refused, also far behind', async () => {
  const text = JSON.stringify(names(9_000));
  await assert.rejects(read(`${text.slice(0, -1)},"name7":1}`), { message: '"name7" is given twice' });
});
