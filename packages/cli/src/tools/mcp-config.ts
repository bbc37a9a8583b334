import { hash } from 'node:crypto';
import type { Client } from '@weir/api/client';
import { Failure } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';

/**
 * Prints the configuration to paste into a client. A further call for the same client replaces the keys of the one
 * before, because their secrets cannot be shown again. The names of the keys go to standard error, so that the output
 * can be a file.
 */
export const mcpConfigTool: Handler<'cli mcp-config'> = async (values, deps) => {
  const { output } = deps;
  const client = apiClient(values, deps);
  const workspace_ids = await workspacesOf(values, client);
  const { keyName, former } = await namesOf(values, workspace_ids, client);
  const replaced = former.filter(({ id }) => !values.replacesKeys.includes(id));
  const { api_keys, configurations } = await orFailure(
    client.call('create_mcp_configuration', {
      workspace_ids,
      form: values.mcpKeys,
      key_name: keyName,
      reads: [...values.mcpReads],
      replaces: [...values.replacesKeys, ...replaced.map(({ id }) => id)],
    }),
  );
  const { text } = configurations.find((one) => one.client === values.mcpClient)!;
  printResult(values, deps, {
    json: {
      client: values.mcpClient,
      configuration: text,
      api_keys: api_keys.map(({ id, name }) => ({ id, name })),
    },
    text: () => `${text}\n`,
  });
  const keys = api_keys.map(({ id, name }) => `${name} (${id})`).join(', ');
  const instead =
    former.length === 0
      ? ''
      : ` in place of ${former.map(({ name }) => name).join(', ')}, which no longer works`;
  output.err(`weir cli mcp-config: created ${keys}${instead}; the secrets are shown only once\n`);
  return 0;
};

async function workspacesOf(
  { workspaces }: CommandValues<'cli mcp-config'>,
  client: Client,
): Promise<string[]> {
  if (workspaces.length > 0) return [...workspaces];
  const reached = (await orFailure(client.call('list_workspaces', {}))).workspaces;
  if (reached.length === 0) throw new Failure('the key has access to no workspace');
  return reached.map(({ id }) => id);
}

interface KeyNames {
  /** How the names of the new keys begin. */
  readonly keyName: string;
  /** The keys that an earlier call made for the same. */
  readonly former: readonly { readonly id: string; readonly name: string }[];
}

/**
 * The name identifies the caller, the client and the workspaces, and ends in a number that grows. So a call finds the
 * keys of the one before, and replaces none of another person or client.
 */
async function namesOf(
  { mcpClient, mcpKeys }: CommandValues<'cli mcp-config'>,
  workspaceIds: readonly string[],
  client: Client,
): Promise<KeyNames> {
  const { actor } = await orFailure(client.call('get_context', {}));
  const { api_keys } = await orFailure(client.call('list_api_keys', {}));
  const whose = JSON.stringify([actor.id, mcpKeys, workspaceIds.toSorted()]);
  const base = `mcp_${mcpClient}_${hash('sha256', whose, 'hex').slice(0, 8)}`;
  const numbered = new RegExp(`^akn_${base}_(\\d{1,9})(?:_[0-9a-f]{8})?$`);
  const former = api_keys.filter(({ name }) => numbered.test(name));
  const last = Math.max(0, ...former.map(({ name }) => Number(numbered.exec(name)![1])));
  return { keyName: `${base}_${last + 1}`, former };
}
