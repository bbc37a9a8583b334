import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Xxhash32, xxhash32 } from './xxhash32.ts';

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

test('the hash does not depend on how the input is split', () => {
  const bytes = Buffer.from(Array.from({ length: 100 }, (_, at) => (at * 37) % 256));
  for (let pieceBytes = 1; pieceBytes <= 40; pieceBytes++) {
    const hash = new Xxhash32();
    for (let at = 0; at < bytes.length; at += pieceBytes) hash.update(bytes.subarray(at, at + pieceBytes));
    assert.equal(hash.digest(), xxhash32(bytes), `${pieceBytes}`);
  }
});
