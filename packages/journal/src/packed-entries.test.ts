import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packEntries, unpackEntries } from './packed-entries.ts';

test('unpacked entries equal the packed ones', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (arrays) => {
      const entries = arrays.map((bytes) => Buffer.from(bytes));
      assert.deepEqual(unpackEntries(packEntries(entries), entries.length), entries);
    }),
  );
});

test('the bytes of version 1 are stable', () => {
  const packed = packEntries([Buffer.from('ab'), Buffer.from('')]);
  assert.equal(packed.toString('hex'), '01994025c702000000616200000000');
});

test('every changed or missing byte is detected', () => {
  const packed = packEntries([Buffer.from('one'), Buffer.from('two')]);
  for (let at = 0; at < packed.length; at++) {
    const changed = Buffer.from(packed);
    changed[at]! ^= 1;
    assert.throws(() => unpackEntries(changed, 2), /a journal row/, `byte ${at}`);
    assert.throws(() => unpackEntries(packed.subarray(0, at), 2), /a journal row/, `${at} bytes`);
  }
  assert.throws(() => unpackEntries(packed, 1), /does not hold 1 entries/);
});
