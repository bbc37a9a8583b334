import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pipelinesPage } from './reference-page.ts';

test('the page on disk matches the types', () => {
  const url = new URL('../../../../docs/reference/pipelines.md', import.meta.url);
  assert.ok(
    readFileSync(url, 'utf8') === pipelinesPage(),
    'docs/reference/pipelines.md is out of date; run npm run docs',
  );
});
