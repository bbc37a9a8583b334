import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@weir/api';
import { runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';

test('keys are created with the account key or an application key, and only the secret is printed', async (t) => {
  const { url, key, accountKey, client } = await startTestApi(t);
  const run = (apiKey: string, ...words: readonly string[]) =>
    runArguments(['cli', 'create-key', ...words], {
      environment: { SERVICE_API_URL: url, SERVICE_API_KEY: apiKey },
    });
  const clientOf = (secret: string) =>
    createClient({ baseUrl: url, fetch, headers: { 'service-api-key': secret.trim() } });

  const made = await run(accountKey, '-key-name', 'tools');
  assert.equal(made.status, 0, made.err);
  assert.match(made.out, /^aks_\w+\n$/);
  assert.match(made.err, /created akn_tools \(aki_\w+\); the key is shown only once/);
  await clientOf(made.out).call('list_virtual_clusters', {});

  const reading = await run(key, '-key-name', 'reader', '-key-kind', 'application_read_only');
  assert.equal(reading.status, 0, reading.err);
  const { workspaces } = await clientOf(reading.out).call('get_context', {});
  assert.deepEqual(
    workspaces.map(({ grant }) => grant),
    ['read_only'],
  );
  assert.equal((await run(key, '-key-name', 'like')).status, 1);

  await client.call('create_virtual_cluster', {
    virtual_cluster_name: 'orders',
    virtual_cluster_type: 'byoc',
    virtual_cluster_region: 'us-east-1',
    virtual_cluster_cloud_provider: 'aws',
  });
  const agents = await run(key, '-keyName', 'agents', '-keyKind', 'agent', '-cluster', 'orders');
  assert.equal(agents.status, 0, agents.err);
  const unknown = await run(key, '-keyName', 'others', '-keyKind', 'agent', '-cluster', 'payments');
  assert.match(unknown.err, /-cluster payments: not found; the key has access to .*orders \(vci_/);

  await client.call('create_virtual_cluster', { virtual_cluster_name: 'payments' });
  const which = await run(key, '-keyName', 'others', '-keyKind', 'agent');
  assert.match(
    which.err,
    /the key has access to 2 virtual clusters; choose one with -cluster: vcn_orders \(vci_\w+\), vcn_payments \(vci_\w+\)\n$/,
  );
  const ofAccount = await run(accountKey, '-keyName', 'others', '-keyKind', 'agent');
  assert.match(ofAccount.err, /access to no virtual cluster; use an application key, .*\n$/);

  const nameless = await run(key);
  assert.equal(nameless.status, 2);
  assert.match(nameless.err, /-key-name/);
});
