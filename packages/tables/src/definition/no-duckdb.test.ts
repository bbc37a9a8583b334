import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** The modules that a file loads; types are gone by then. */
function loadedBy(url: URL): readonly string[] {
  const source = readFileSync(url, 'utf8');
  const imports = source.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gms);
  return [...imports].map(([, from]) => from!);
}

test('control planes read configurations of tables without loading DuckDB', () => {
  const seen = new Set<string>();
  const open = [new URL('index.ts', import.meta.url)];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    for (const from of loadedBy(url)) {
      assert.ok(!from.startsWith('@duckdb/') && from !== '@weir/tables', `${url.pathname} loads ${from}`);
      if (from.startsWith('.')) open.push(new URL(from, url));
    }
  }
  assert.ok(seen.size > 20, 'the files are found');
});
