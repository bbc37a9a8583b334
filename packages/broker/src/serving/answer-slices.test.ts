import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareSlices } from './answer-slices.ts';
import { createAnswerPool, KnownMemory, MemoryNumbers } from './shared-memory.ts';

function sender(poolBytes = 4096) {
  const pool = createAnswerPool(1024, poolBytes);
  const known = new KnownMemory();
  const announced: { readonly id: number; readonly isOnce: boolean }[] = [];
  const numbers = new MemoryNumbers(() => {});
  return {
    pool,
    announced,
    /** Returns the slices that the other thread sends. */
    send(slices: readonly Buffer[]) {
      const { words, release } = shareSlices(slices, {
        pool,
        numbers,
        announce(id, memory) {
          if (announced.some((one) => one.id === id)) return;
          announced.push({ id, isOnce: false });
          known.announced({ kind: 'memory', id, memory, isOnce: false });
        },
        give(id, memory) {
          announced.push({ id, isOnce: true });
          const given = structuredClone(memory, { transfer: [memory] });
          known.announced({ kind: 'memory', id, memory: given, isOnce: true });
        },
      });
      const sent: Buffer[] = [];
      for (const record of words) {
        for (let at = 0; at < record.length; at += 3)
          sent.push(known.slice(record[at]!, record[at + 1]!, record[at + 2]!)!);
      }
      return { sent, release, records: words.length };
    },
  };
}

const shared = (text: string) => {
  const bytes = Buffer.from(new SharedArrayBuffer(text.length));
  bytes.write(text);
  return bytes;
};

test('slices of pages are sent as they are, and others are copied, neighbours together', () => {
  const { send } = sender();
  const page = shared('records of a page');
  const slices = [Buffer.from('head '), Buffer.from('and '), page.subarray(0, 7), Buffer.from(' tail'), page];
  const { sent, release } = send(slices);
  assert.equal(Buffer.concat(sent).toString(), 'head and records tailrecords of a page');
  assert.deepEqual(
    sent.map(({ length }) => length),
    [9, 7, 5, 17],
  );
  assert.equal(sent[1]!.buffer, page.buffer, 'not copied');
  release();
});

test('nothing is sent for empty slices', () => {
  const { send } = sender();
  assert.deepEqual(send([Buffer.alloc(0), shared('x').subarray(1)]).sent, []);
});

test('memory is announced once, and copies are used again when they were sent', () => {
  const { send, announced, pool } = sender();
  for (let count = 0; count < 100; count++) send([Buffer.alloc(600, count)]).release();
  assert.equal(announced.length, 1);
  assert.equal(pool.bytes, 1024);
});

test('what the pool has no room for gets memory that is given away with this answer', () => {
  const { send, announced } = sender();
  const large = Buffer.alloc(5000, 7);
  for (let count = 0; count < 2; count++) assert.ok(send([large]).sent[0]!.equals(large));
  assert.deepEqual(
    announced.map(({ isOnce }) => isOnce),
    [true, true],
  );
});

test('an answer of very many slices is more than one record', () => {
  const { send } = sender();
  const page = shared('0123456789');
  const slices = Array.from({ length: 5000 }, (_, at) => page.subarray(at % 10, (at % 10) + 1));
  const { sent, records } = send(slices);
  assert.ok(records > 1);
  assert.ok(Buffer.concat(sent).equals(Buffer.concat(slices)));
});
