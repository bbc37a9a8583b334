import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutputOf } from '@weir/api/client';
import { restoredText, restoreVersions } from './restore-versions.ts';

/** A registry that gives the next version numbers, and refuses some schemas. */
function registryOf(refused: readonly number[] = [], newIds: readonly number[] = []) {
  const texts: string[] = [];
  let next = 3;
  return {
    texts,
    read: async (version: number) =>
      ({ version, schema_id: 10 + version, schema: `schema ${version}` }) as OutputOf<'describe_schema'>,
    register: async ({ version, schema_id, schema }: OutputOf<'describe_schema'>) => {
      if (refused.includes(version!)) throw new Error('is not compatible');
      texts.push(schema);
      return { schema_id: newIds.includes(version!) ? 99 : schema_id!, version: next++ };
    },
  };
}

test('all versions of a deleted subject come back in their order', async () => {
  const registry = registryOf();
  const restored = await restoreVersions([1, 2], registry);
  assert.deepEqual(restored, { versions: [3, 4], otherIds: 0 });
  assert.deepEqual(registry.texts, ['schema 1', 'schema 2']);
  assert.equal(
    restoredText('orders-value', 2, restored),
    'Restored orders-value: versions 3 to 4, with the same ids',
  );
});

test('an undo says what it could not bring back', async () => {
  const part = await restoreVersions([1, 2], registryOf([2]));
  assert.equal(restoredText('a', 2, part), 'Restored 1 of 2 schemas of a as version 3: is not compatible');
  const none = await restoreVersions([1, 2], registryOf([1]));
  assert.equal(restoredText('a', 2, none), 'Failed to restore a: is not compatible');
  const other = await restoreVersions([1], registryOf([], [1]));
  assert.equal(restoredText('a', 1, other), 'Restored a: version 3, 1 with a new id');
});
