import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mcpPage } from './reference-page.ts';

test('the page on disk matches the definitions', () => {
  const url = new URL('../../../docs/reference/mcp.md', import.meta.url);
  assert.ok(
    readFileSync(url, 'utf8') === mcpPage(),
    'docs/reference/mcp.md is out of date; run npm run docs',
  );
});
