import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceNames, namespaceOf, namespaces } from './namespaces.ts';

test('every namespace has a unique number', () => {
  for (const name of namespaceNames) assert.equal(namespaceOf(namespaces[name].number), name);
});
