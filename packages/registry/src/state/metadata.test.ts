import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeMetadata, withoutRules } from './metadata.ts';

// It would take many seconds if the time grew with the square.
test('as many rules as a body may have are removed by name', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `rule${index}`);
  const domainRules = names.map((name) => ({ name }));
  assert.deepEqual(withoutRules({ domainRules }, names.toReversed()), { domainRules: [] });
});

test('paths with names that every object has are paths like others', () => {
  const merged = mergeMetadata({ tags: { a: ['x'] } }, { tags: { constructor: ['y'], toString: ['z'] } });
  assert.deepEqual(Object.entries(merged?.tags ?? {}), [
    ['a', ['x']],
    ['constructor', ['y']],
    ['toString', ['z']],
  ]);
});
