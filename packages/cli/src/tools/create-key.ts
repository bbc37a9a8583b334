import type { CallOf, Client } from '@weir/api';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';

type Grant = CallOf<'create_api_key'>['access_grants'][number];

/** Creates a key. As text only its secret goes to standard output, so that it can be assigned to a variable. */
export const createKeyTool: Handler<'cli create-key'> = async (values, deps) => {
  const { output } = deps;
  const client = apiClient(values, deps);
  const access_grants = await grantsOf(values, client);
  const { id, name, key } = await orFailure(
    client.call('create_api_key', { name: values.keyName!, access_grants }),
  );
  printResult(values, deps, { json: { id, name, key }, text: () => `${key}\n` });
  output.err(`weir cli create-key: created ${name} (${id}); the key is shown only once\n`);
  return 0;
};

const kinds = {
  application: 'app',
  application_read_only: 'app_r',
  agent: 'agent',
  agent_read_only: 'agent_r',
} as const;

async function grantsOf(
  { keyKind, workspaces, cluster }: CommandValues<'cli create-key'>,
  client: Client,
): Promise<Grant[]> {
  const principal_kind = kinds[keyKind];
  if (keyKind === 'agent' || keyKind === 'agent_read_only') {
    const resource_id = await clusterId(client, cluster);
    return [{ principal_kind, resource_kind: 'virtual_cluster', resource_id }];
  }
  const grant = { principal_kind, resource_kind: '*', resource_id: '*' } as const;
  // Without a workspace, the API takes the oldest one that the caller can access.
  return workspaces.length === 0 ? [grant] : workspaces.map((workspace_id) => ({ ...grant, workspace_id }));
}
