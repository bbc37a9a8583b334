import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Clock } from '@weir/core';
import { bodyText, faultText, jsonInTurns, readBody, withPauses } from './request-body.ts';

function requestOf(headers: Readonly<Record<string, string>> = {}) {
  const stream = new PassThrough();
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage };
}

const refusalOf = (fault: string) => new Error(fault);

test('a body comes in one piece, and each chunk is counted before it is kept', async () => {
  const { stream, request } = requestOf();
  const held: number[] = [];
  const body = readBody(request, { bytesMax: 5, hold: (bytes) => held.push(bytes), refusalOf });
  stream.write('ab');
  stream.end('cde');
  assert.equal((await body).toString(), 'abcde');
  assert.equal(
    held.reduce((sum, bytes) => sum + bytes, 0),
    5,
  );
});

test('too many announced bytes are refused before anything is asked for or read', async () => {
  const { stream, request } = requestOf({ 'content-length': '6' });
  const begin = () => assert.fail('begun');
  await assert.rejects(readBody(request, { bytesMax: 5, begin, refusalOf }), /^Error: bytes$/);
  assert.equal(stream.listenerCount('data'), 0);
});

test('a body is refused that is too large, too much together with others, or lost, and is read no further', async () => {
  const cases: [what: string, send: (stream: PassThrough) => void, hold?: (bytes: number) => void][] = [
    ['bytes', (stream) => stream.write('abcdef')],
    ['loss', (stream) => stream.destroy()],
    ['loss', (stream) => stream.destroy(new Error('reset'))],
    [
      'full',
      (stream) => stream.write('a'),
      () => {
        throw new Error('full');
      },
    ],
  ];
  for (const [what, send, hold] of cases) {
    const { stream, request } = requestOf();
    const body = readBody(request, { bytesMax: 5, ...(hold === undefined ? {} : { hold }), refusalOf });
    send(stream);
    await assert.rejects(body, { message: what });
    assert.equal(stream.listenerCount('data'), 0);
    assert.ok(stream.isPaused() || stream.destroyed);
  }
});

test('a body that is late is refused, and the time of one that came is over', async () => {
  const timers = new Set<() => void>();
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    after: (_, run) => {
      timers.add(run);
      return () => timers.delete(run);
    },
  };
  const time = { clock, msMax: 10, late: () => new Error('late') };
  const slow = requestOf();
  const body = readBody(slow.request, { bytesMax: 5, time, refusalOf });
  slow.stream.write('a');
  for (const run of timers) run();
  await assert.rejects(body, /^Error: late$/);
  const prompt = requestOf();
  prompt.stream.end('a');
  await readBody(prompt.request, { bytesMax: 5, time, refusalOf });
  assert.equal(timers.size, 0);
});

test('JSON is parsed in turns, within its bounds', async () => {
  const bounds = { depthMax: 3, valuesMax: 100_000 };
  let turns = 0;
  const parsed = (text: string | Buffer) =>
    withPauses(jsonInTurns(bodyText(Buffer.from(text), refusalOf), { bounds, refusalOf }), async () => {
      turns++;
    });
  assert.deepEqual(await parsed('{"é":["x"]}'), { é: ['x'] });
  assert.equal(turns, 0);
  const names = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`n${index}`, index]));
  assert.deepEqual(await parsed(JSON.stringify(names)), names);
  assert.ok(turns > 1);
  await assert.rejects(parsed('[[[[]]]]'), /^Error: depth$/);
  await assert.rejects(parsed(`[${'1,'.repeat(100_000)}1]`), /^Error: values$/);
  await assert.rejects(parsed('{"secret'), /^Error: syntax$/);
  await assert.rejects(async () => parsed(Buffer.from([0x22, 0xff, 0x22])), /^Error: syntax$/);
  assert.equal(
    faultText('depth', { ...bounds, size: '' }),
    'The body has more than 3 lists and objects within each other.',
  );
});
