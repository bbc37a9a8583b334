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
    '-mcp-keys',
    'per_workspace',
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
  // A name without underscores, which proxies keep.
  assert.match(made.out, /"type": "http"/);
  assert.match(made.out, /"service-api-key": "aks_/);
});

test('a further call replaces the key of the same client, and no other', async (t) => {
  const { url, key, accountKey, client } = await startTestApi(t);
  const run = async (apiKey: string, ...words: readonly string[]) => {
    const made = await runArguments(['cli', 'mcp-config', ...words], {
      environment: { SERVICE_API_URL: url, SERVICE_API_KEY: apiKey },
    });
    assert.equal(made.status, 0, made.err);
    return made;
  };
  const names = async () => (await client.call('list_api_keys', {})).api_keys.map(({ name }) => name);
  const first = await run(key);
  assert.doesNotMatch(first.err, /in place of/);
  await run(key, '-mcp-client', 'server_url');
  await run(key, '-mcp-keys', 'per_workspace');
  await run(accountKey);
  const before = await names();

  const second = await run(key);
  assert.match(
    second.err,
    /created akn_mcp_url_[0-9a-f]{8}_2 \(aki_\w+\) in place of akn_mcp_url_[0-9a-f]{8}_1, which no longer works;/,
  );
  const after = await names();
  assert.equal(after.length, before.length);
  assert.equal(after.filter((name) => before.includes(name)).length, before.length - 1);
  const perWorkspace = await run(key, '-mcp-keys', 'per_workspace');
  assert.match(perWorkspace.err, /_2_[0-9a-f]{8} \(aki_\w+\) in place of /);
  assert.equal((await names()).length, before.length);
});
