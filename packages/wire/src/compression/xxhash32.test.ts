import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xxhash32 } from './xxhash32.ts';

test('agrees with the reference implementation (python-xxhash 3)', () => {
  const table: [input: Buffer, hash: number][] = [
    [Buffer.from(''), 0x02cc5d05],
    [Buffer.from('a'), 0x550d7456],
    [Buffer.from('abcd'), 0xa3643705],
    [Buffer.from('Nobody inspects the spammish repetition'), 0xe2293b2f],
    [Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), 0x59441253],
  ];
  for (const [input, hash] of table) assert.equal(xxhash32(input), hash);
});
