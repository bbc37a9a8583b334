import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importedWithoutNode } from '@weir/core/testing';

/** The console imports the package. */
test('the package loads without Node', async () => {
  const urls = [new URL('./index.ts', import.meta.url)];
  const count = await importedWithoutNode(urls, '({ operations }) => operations.length');
  assert.equal(typeof count, 'number', String(count));
});
