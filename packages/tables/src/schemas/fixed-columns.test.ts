import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avroPrimitive } from './avro-columns.ts';
import { listedColumns } from './listed-columns.ts';

test('no column is a fixed, which some readers cannot read as it is stored', () => {
  const fixed = { kind: 'fixed', sizeBytes: 12, properties: new Map() } as unknown as Parameters<
    typeof avroPrimitive
  >[0];
  assert.deepEqual(avroPrimitive(fixed), { kind: 'binary' });
  assert.throws(
    () => listedColumns([{ name: 'a', type: 'fixed[12]' }]),
    /fixed\[12\]: some readers cannot read such columns; use binary/,
  );
});
