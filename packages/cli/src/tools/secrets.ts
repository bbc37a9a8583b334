import type { Client } from '@weir/api';
import { coreLimits, Failure } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { readGivenFile } from './given-file.ts';

export const createSecretTool: Handler<'secret create'> = async (values, deps) => {
  const secret = await readValue(values, deps);
  const { client, virtual_cluster_id } = await clusterOf(values, deps);
  const { secretName: secret_name = '', allowExporters: allows_exporters } = values;
  const { secret_id: id } = await orFailure(
    client.call('create_secret', { virtual_cluster_id, secret_name, secret, allows_exporters }),
  );
  const json = { id, name: secret_name, version: 1 };
  return printResult(values, deps, { json, text: () => `made ${secret_name}\n` });
};

export const rotateSecretTool: Handler<'secret rotate'> = async (values, deps) => {
  const secret = await readValue(values, deps);
  const { client, virtual_cluster_id } = await clusterOf(values, deps);
  const { secretName: secret_name = '' } = values;
  const { version } = await orFailure(
    client.call('update_secret', { virtual_cluster_id, secret_name, secret }),
  );
  const json = { name: secret_name, version };
  return printResult(values, deps, { json, text: () => `${secret_name} has version ${version}\n` });
};

export const listSecretsTool: Handler<'secret list'> = async (values, deps) => {
  const { client, virtual_cluster_id } = await clusterOf(values, deps);
  const { secrets } = await orFailure(client.call('list_secrets', { virtual_cluster_id }));
  return printResult(values, deps, {
    json: { secrets },
    text: () =>
      secrets.length === 0
        ? 'no secrets\n'
        : table(
            ['NAME', 'VERSION', 'UPDATED', 'BY', 'EXPORTERS', 'USED BY'],
            secrets.map((secret) => [
              secret.name,
              String(secret.version),
              secret.updated_at,
              secret.updated_by,
              secret.allows_exporters ? 'yes' : 'no',
              secret.used_by.length === 0 ? '-' : secret.used_by.join(', '),
            ]),
          ),
  });
};

export const deleteSecretTool: Handler<'secret delete'> = async (values, deps) => {
  const { client, virtual_cluster_id } = await clusterOf(values, deps);
  const { secretName: secret_name = '' } = values;
  await orFailure(client.call('delete_secret', { virtual_cluster_id, secret_name }));
  return printResult(values, deps, { json: { name: secret_name }, text: () => `deleted ${secret_name}\n` });
};

async function clusterOf(
  values: CommandValues<'secret list'>,
  deps: Deps,
): Promise<{ readonly client: Client; readonly virtual_cluster_id: string }> {
  const client = apiClient(values, deps);
  return { client, virtual_cluster_id: await clusterId(client, values.cluster) };
}

/** Without the line break that editors and `echo` write. */
async function readValue({ secretFile }: CommandValues<'secret rotate'>, deps: Deps): Promise<string> {
  const lineBreakBytes = 2;
  const text = await readGivenFile(
    'secretFile',
    secretFile,
    coreLimits.secretBytesMax + lineBreakBytes,
    deps,
  );
  if (text.includes('\ufffd')) throw new Failure(`-secret-file=${secretFile}: is not a text in UTF-8`);
  return text.replace(/\r?\n$/, '');
}
