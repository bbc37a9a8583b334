import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callApi, freshClusterId, freshKey, startProcess } from '../../testing/running-process.ts';

test('the API lists the bindings of the operator file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-bindings-'));
  t.after(() => rm(folder, { recursive: true }));
  const first = { id: freshClusterId(), agentKey: freshKey() };
  const bindingsFile = join(folder, 'bindings.json');
  const binding = {
    name: 'eks',
    issuer: 'https://oidc.example/cluster',
    clusterId: first.id,
    claims: [{ path: 'sub', value: 'system:serviceaccount:weir:*' }],
  };
  await writeFile(bindingsFile, JSON.stringify([binding]), { mode: 0o600 });
  const { url } = await startProcess(t, { bindingsFile, firstCluster: () => first });
  const about = { virtual_cluster_id: first.id };
  const { status, body } = await callApi(url, 'list_workload_identity_federations', about, {
    key: first.agentKey,
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    body.workload_identity_federations.map(({ id, source, issuer_url }) => [id, source, issuer_url]),
    [['wif_eks', 'file', binding.issuer]],
  );
});
