import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readAssignment, readSubscription, writeAssignment, writeSubscription } from './consumer-protocol.ts';

const hex = (bytes: Buffer) => bytes.toString('hex');

test('the bytes are those that every consumer writes', () => {
  // version, one topic `ab`, no user data
  assert.equal(hex(writeSubscription(['ab'])), `0000${'00000001'}${'00026162'}${'ffffffff'}`);
  // version, one topic with partition 3, no user data
  assert.equal(
    hex(writeAssignment(new Map([['ab', [3]]]))),
    `0000${'00000001'}${'00026162'}${'00000001'}${'00000003'}${'ffffffff'}`,
  );
});

test('subscriptions of every version are read; future versions are read as the latest known one', () => {
  const topics = `${'00000001'}${'00026162'}${'ffffffff'}`;
  const owned = `${'00000001'}${'00026162'}${'00000001'}${'00000003'}`;
  const generation = '00000007';
  const rack = '000172';
  const cases: readonly [version: string, rest: string][] = [
    ['0000', topics],
    ['0001', topics + owned],
    ['0002', topics + owned + generation],
    ['0003', topics + owned + generation + rack],
    ['0009', `${topics + owned + generation + rack}ff`],
  ];
  for (const [version, rest] of cases) {
    const bytes = Buffer.from(version + rest, 'hex');
    assert.deepEqual(readSubscription(bytes), ['ab'], version);
    if (version !== '0009') {
      assert.equal(readSubscription(bytes.subarray(0, -1)), undefined, `${version}, cut off`);
    }
  }
  assert.equal(readSubscription(Buffer.from(`ffff${topics}`, 'hex')), undefined);
});

test('assignments are read as they were written', () => {
  const assignments = fc.dictionary(fc.string({ maxLength: 20 }), fc.array(fc.nat(1000)), { maxKeys: 5 });
  fc.assert(
    fc.property(assignments, (assigned) => {
      const partitions = new Map(Object.entries(assigned));
      assert.deepEqual(readAssignment(writeAssignment(partitions)), partitions);
    }),
  );
  assert.deepEqual(readAssignment(Buffer.alloc(0)), new Map());
});

test('arbitrary bytes from another client never crash the reader', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      readSubscription(Buffer.from(bytes));
      readAssignment(Buffer.from(bytes));
    }),
    { numRuns: 1_000 },
  );
});
