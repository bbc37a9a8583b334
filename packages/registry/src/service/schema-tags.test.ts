import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SchemaTags } from '../registry-answers.ts';
import { mergeMetadata, withoutRules } from '../state/metadata.ts';
import { findTags, removeTags, taggedMetadata } from './schema-tags.ts';

const at = (entityPath: string, ...tags: string[]): SchemaTags => ({
  schemaEntity: { entityPath, entityType: 'sr_field' },
  tags,
});

test('tags are added and removed by path', () => {
  const added = taggedMetadata({ tags: { a: ['x'] } }, [at('a', 'y', 'x'), at('b', 'z'), at('a', 'w')]);
  assert.deepEqual(added, { tags: { a: ['x', 'y', 'w'], b: ['z'] } });
  assert.deepEqual(removeTags(added, [at('a', 'x'), at('b', 'z'), at('a', 'w')]), { tags: { a: ['y'] } });
  assert.deepEqual(removeTags(added, [at('a', 'x', 'y', 'w'), at('b', 'z')]), {});
  assert.deepEqual(findTags(added, ['z']), [at('b', 'z')]);
});

// Each of these would take many seconds if the time grew with the square.
test('one path that a body names many thousand times costs as much as many paths', () => {
  const count = 20_000;
  const changes = Array.from({ length: count }, (_, index) => at('a', `tag ${index}`));
  const added = taggedMetadata(undefined, changes);
  assert.equal(added?.tags?.a?.length, count);
  assert.deepEqual(removeTags(added, changes), {});
  const names = Array.from({ length: count }, (_, index) => `rule${index}`);
  const domainRules = names.map((name) => ({ name }));
  assert.deepEqual(withoutRules({ domainRules }, names.toReversed()), { domainRules: [] });
  assert.equal(findTags(added, [...names, 'tag 19999']).length, 1);
});

test('paths with names that every object has are paths like others', () => {
  const merged = mergeMetadata({ tags: { a: ['x'] } }, { tags: { constructor: ['y'], toString: ['z'] } });
  assert.deepEqual(Object.entries(merged?.tags ?? {}), [
    ['a', ['x']],
    ['constructor', ['y']],
    ['toString', ['z']],
  ]);
});
