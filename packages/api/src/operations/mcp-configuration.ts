import * as z from 'zod';
import { workspaceKeyHeader } from '../authentication.ts';
import { examples, list, secretField, text, word } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { mcpClientKinds, mcpConfiguration, mcpReads } from '../mcp-configuration.ts';
import { defineOperation } from '../operation.ts';

/** A header and a key for each workspace, three times. */
const configurationCharsMax = 256 * apiLimits.apiKeysPerCallMax + 2048;

const exampleServers = {
  baseUrl: 'https://weir.example',
  serverName: 'weir',
  headers: { [workspaceKeyHeader(examples.workspace)]: examples.keySecret },
};

export const mcpConfigurationOperations = [
  defineOperation({
    name: 'create_mcp_configuration',
    title: 'Create an MCP configuration',
    summary: 'Create read-only keys and return the configuration of MCP clients that use them.',
    description:
      'The secrets are returned only here. To rotate, name the old keys in `replaces`; to revoke, delete the keys. Needs an administrator of all the workspaces.',
    scope: 'workspace',
    input: z.strictObject({
      workspace_ids: list(id('workspace'), apiLimits.apiKeysPerCallMax, 1).describe(
        'The workspaces that the client can read.',
      ),
      form: z
        .enum(['per_workspace', 'single_key'])
        .default('per_workspace')
        .describe('A key and a header for each workspace, or one key for all of them.'),
      key_name: word(/^[a-zA-Z0-9_]{1,100}$/, 100, 'is not 1 to 100 letters, digits and underscores')
        .optional()
        .describe('The prefix of the key names; by default `mcp_`, the time and eight digits.'),
      server_name: word(
        /^[a-zA-Z0-9_-]{1,64}$/,
        64,
        'is not 1 to 64 letters, digits, hyphens and underscores',
      )
        .default('weir')
        .describe('The name of the server in the client.'),
      reads: list(z.enum(mcpReads), mcpReads.length)
        .default([])
        .describe('What the keys may read beyond metadata: records of topics, the audit log.'),
      replaces: list(id('apiKey'), apiLimits.apiKeysPerCallMax)
        .default([])
        .describe('Keys of an earlier configuration, to delete after the new ones are created.'),
    }),
    output: z.object({
      api_keys: list(
        z.object({
          id: id('apiKey').describe('The id of the key.'),
          name: text(132).describe('Its name, with `akn_`.'),
          workspace_ids: list(id('workspace'), apiLimits.apiKeysPerCallMax).describe(
            'The workspaces that it can read.',
          ),
        }),
        apiLimits.apiKeysPerCallMax,
      ).describe('The new keys, without their secrets.'),
      configurations: list(
        z.object({
          client: z.enum(mcpClientKinds).describe('The kind of client.'),
          text: secretField(configurationCharsMax).describe('What to paste, with the secrets of the keys.'),
        }),
        mcpClientKinds.length,
      ).describe('The configuration for each kind of client.'),
    }),
    errors: ['not_found', 'duplicate_api_key_name', 'limit_exceeded'],
    example: {
      input: { workspace_ids: [examples.workspace] },
      output: {
        api_keys: [
          {
            id: examples.key,
            name: 'akn_mcp_20260131_120000_5f0c1b2a_00000002',
            workspace_ids: [examples.workspace],
          },
        ],
        configurations: mcpClientKinds.map((client) => ({
          client,
          text: mcpConfiguration(client, exampleServers),
        })),
      },
    },
  }),
] as const;
