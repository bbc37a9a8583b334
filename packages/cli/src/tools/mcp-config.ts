import { Failure } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';

/**
 * Prints the configuration to paste into a client. The names of the keys go to standard error, so that the output can
 * be a file.
 */
export const mcpConfigTool: Handler<'cli mcp-config'> = async (values, deps) => {
  const { output } = deps;
  const client = apiClient(values, deps);
  const reached = async () => (await orFailure(client.call('list_workspaces', {}))).workspaces;
  const workspace_ids =
    values.workspaces.length > 0 ? [...values.workspaces] : (await reached()).map(({ id }) => id);
  if (workspace_ids.length === 0) throw new Failure('the key has access to no workspace');
  const { api_keys, configurations } = await orFailure(
    client.call('create_mcp_configuration', {
      workspace_ids,
      form: values.mcpKeys,
      replaces: [...values.replacesKeys],
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
  output.err(`weir cli mcp-config: created ${keys}; the secrets are shown only once\n`);
  return 0;
};
