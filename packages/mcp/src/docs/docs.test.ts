import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { docsPages, serve } from '../../testing/served.ts';
import { documentationManifest } from '../server-manifests.ts';
import { readDocumentation } from './documentation.ts';
import { docsSearch } from './search-docs.ts';

const own = readDocumentation(new URL('../../../../docs/', import.meta.url).pathname);

const questions: [query: string, path: string][] = [
  ['superusers and rules of ACLs', 'reference/acls.md'],
  ['superuser ACL operations of resources', 'reference/acls.md'],
  ['diagnostics that are muted', 'reference/diagnostics.md'],
  ['event filter like wildcard', 'reference/event-filters.md'],
  ['kafka port flag of the agent', 'reference/flags.md'],
  ['restore a lost database', 'operate/restore.md'],
  ['librdkafka producer linger and batch size', 'guides/clients.md'],
  ['alert rules for Prometheus', 'operate/monitoring.md'],
  ['how do I migrate from Kafka', 'guides/migration.md'],
  ['iceberg catalog', 'guides/tables.md'],
  ['mTLS client certificate', 'guides/security.md'],
];

const search = docsSearch(own);

for (const [query, path] of questions) {
  test(`"${query}" is found in ${path}`, async () => {
    const hits = await search(query, 8, systemClock);
    assert.ok(
      hits.some((hit) => hit.path === path),
      hits.map((hit) => hit.path).join(', '),
    );
  });
}

test('the documentation server finds and reads pages, and offers nothing else', async (t) => {
  const { connect, calls } = await serve(t, { offer: documentationManifest(docsPages) });
  const client = await connect();
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ['search_docs', 'read_doc'],
  );
  const found = await client.callTool({ name: 'search_docs', arguments: { query: 'superusers' } });
  const { hits } = found.structuredContent as { hits: { path: string; line: number }[] };
  assert.deepEqual(
    hits.map(({ path, line }) => [path, line]),
    [['reference/acls.md', 5]],
  );
  const read = await client.callTool({ name: 'read_doc', arguments: { path: hits[0]!.path, line: 5 } });
  assert.match(JSON.stringify(read.content), /No rule binds a superuser/);
  const foreign = await client.callTool({ name: 'read_doc', arguments: { path: '../../package.json' } });
  assert.equal(foreign.isError, true);
  assert.match(JSON.stringify(foreign.content), /page_not_found/);
  assert.deepEqual(calls, []);
});

test('a long page is read in parts that together are the whole page', async (t) => {
  const text = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join('\n');
  const { connect } = await serve(t, {
    offer: documentationManifest([{ path: 'long.md', title: 'Long', text }]),
  });
  const client = await connect();
  const parts: string[] = [];
  let line: number | null = 1;
  while (line !== null) {
    const { structuredContent } = await client.callTool({
      name: 'read_doc',
      arguments: { path: 'long.md', line },
    });
    const part = structuredContent as { text: string; next_line: number | null };
    parts.push(part.text);
    line = part.next_line;
  }
  assert.equal(parts.join('\n'), text);
  assert.ok(parts.length > 1);
});
