import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@weir/api';
import { runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';

test('a configuration is printed, its keys read, and rotating deletes the old ones', async (t) => {
  const { url, accountKey } = await startTestApi(t);
  const run = (apiKey: string, ...words: readonly string[]) =>
    runArguments(['cli', 'mcp-config', ...words], {
      environment: { SERVICE_API_URL: url, SERVICE_API_KEY: apiKey },
    });
  const first = await run(accountKey, '-mcp-keys', 'single_key');
  assert.equal(first.status, 0, first.err);
  const { weir } = (JSON.parse(first.out) as { mcpServers: { weir: { headers: Record<string, string> } } })
    .mcpServers;
  const context = await createClient({ baseUrl: url, fetch, headers: weir.headers }).call('get_context', {});
  assert.deepEqual(
    context.workspaces.map(({ grant }) => grant),
    ['read_only'],
  );

  const [, id] = /\((aki_\w+)\)/.exec(first.err)!;
  const workspaceId = context.workspaces[0]!.id;
  const second = await run(
    accountKey,
    '-mcp-client',
    'command_line',
    '-workspaces',
    workspaceId,
    '-replaces-keys',
    id!,
  );
  assert.equal(second.status, 0, second.err);
  assert.match(
    second.out,
    /^mcp add --transport http weir \S+\/api\/v1\/mcp --header "service-api-key-wi_\w+: aks_/,
  );
  const again = await run(accountKey, '-replaces-keys', id!);
  assert.equal(again.status, 1);
  assert.match(again.err, /API key/);
});

test('the key of local and playground creates read-only keys for what it may write', async (t) => {
  const { url, key } = await startTestApi(t);
  const environment = { SERVICE_API_URL: url, SERVICE_API_KEY: key };
  const made = await runArguments(['cli', 'mcp-config'], { environment });
  assert.equal(made.status, 0, made.err);
  assert.match(made.out, /service-api-key-wi_/);
});
