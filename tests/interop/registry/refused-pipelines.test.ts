import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { WeirCommand } from '../agent/weir-command.ts';
import { lastFirst, temporaryFolder } from '../brokers/weir-process.ts';
import { startRegistryCluster } from './registry-cluster.ts';

const document = `version: 1
virtual_clusters:
  - name: schemas
    type: byoc_schema_registry
    pipelines:
      - name: copy
        type: schema_linking
        state: running
        configuration_yaml: |
          source_schema_registry: { hostname: 127.0.0.1, port: 9 }
`;

test('what a control plane takes and the agents refuse is in the status of the pipeline', async (t) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const cluster = await startRegistryCluster(lifetime, {
    folder,
    controlPlaneFlags: ['-allowedTargetHosts', 'loopback'],
  });
  await cluster.addAgent();
  const api = cluster.api();
  const { workspaces } = await api.call('list_workspaces', {});
  const { key } = await api.call('create_api_key', {
    name: 'applying',
    access_grants: [
      {
        principal_kind: 'app',
        resource_kind: '*',
        resource_id: '*',
        workspace_id: workspaces[0]!.id,
      },
    ],
  });
  const file = join(folder, 'weir.yaml');
  writeFileSync(file, document);
  const url = cluster.controlPlanes[0]!.address('control plane');
  const apply = async () => {
    const variables = { SERVICE_API_URL: url, SERVICE_API_KEY: key };
    const command = new WeirCommand(lifetime, ['apply', '-f', file], variables);
    assert.equal(await command.ended, 0, command.text);
    return command.text;
  };
  assert.match(await apply(), /state paused → running/);

  const target = { virtual_cluster_id: cluster.clusterId };
  const runOf = async () => (await api.call('list_pipelines', target)).pipelines[0]!.run;
  let run = await runOf();
  for (; run?.status !== 'error'; run = await runOf())
    await new Promise<void>((resolve) => void systemClock.after(100, resolve));
  const reason = /that Weir may not connect to; the operator allows hosts by -allowedTargetHosts/;
  assert.match(run.message, reason);
  const { agents } = await api.call('list_agents', target);
  assert.deepEqual(
    [run.agent_id],
    agents.map(({ agent_id }) => agent_id),
  );
  const again = await apply();
  assert.match(again, /^weir apply: pipeline copy of schemas fails: agent \S+: /m);
  assert.match(again, reason);
  assert.match(again, /No changes/);
});
