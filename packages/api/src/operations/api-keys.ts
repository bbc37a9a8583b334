import * as z from 'zod';
import {
  apiKeySecretChars,
  emptyForNone,
  examples,
  list,
  secretField,
  text,
  time,
  word,
  workspaceFilter,
} from '../fields.ts';
import { clusterTypeNames, id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { accessGrants, keyGrants } from './access-grants.ts';

const keyFields = {
  id: id('apiKey').describe('The id of the key.'),
  name: text(132).describe('Its name, with `akn_`.'),
  access_grants: accessGrants().describe('What it may do.'),
  created_at: time().describe('When it was created.'),
};

/** A key, in the only answer that contains its secret. */
export const newApiKey = z
  .object({
    ...keyFields,
    key: secretField(apiKeySecretChars).describe('The secret, `aks_…`. It is returned only here.'),
  })
  .meta({ id: 'NewApiKey', description: 'A new key with its secret.' });

export const apiKey = z
  .object({
    ...keyFields,
    key_hint: text(4).describe('The last four characters of the secret, to distinguish keys.'),
    last_used_at: time().nullable().describe('When it was last used, to about a minute; `null` for never.'),
  })
  .meta({ id: 'ApiKey', description: 'A key without its secret.' });

const createInput = () =>
  z.strictObject({
    name: word(/^[a-zA-Z0-9_]{1,132}$/, 132, 'is not 1 to 128 letters, digits and underscores').describe(
      'The name, unique in the account. The prefix `akn_` is added if it is missing.',
    ),
    access_grants: keyGrants().describe(
      'What the key may do. All grants are of one kind of key: of one cluster, or of workspaces.',
    ),
    virtual_cluster_type: emptyForNone(z.enum(clusterTypeNames)).describe(
      'The type of the cluster. Optional: the id implies it.',
    ),
  });

const agentGrant = {
  principal_kind: 'agent',
  resource_kind: 'virtual_cluster',
  resource_id: examples.cluster,
} as const;

const exampleKey = {
  id: examples.key,
  name: 'akn_ingest_agents',
  access_grants: [{ ...agentGrant, workspace_id: examples.workspace, managed_grant_name: '' as const }],
  created_at: examples.time,
};

export const exampleNewKey = { ...exampleKey, key: examples.keySecret };

function creation<const Name extends string>(name: Name, title: string, description: string) {
  return defineOperation({
    name,
    title,
    summary: 'Create an API key and return its secret once.',
    description,
    scope: 'workspace',
    input: createInput(),
    output: newApiKey,
    errors: ['not_found', 'duplicate_api_key_name', 'limit_exceeded'],
    example: { input: { name: 'ingest_agents', access_grants: [agentGrant] }, output: exampleNewKey },
  });
}

const aboutKeys =
  'Keys are valid until they are deleted; to replace one, create another and delete the old one. Application and agent keys need an administrator of their workspace, account keys an administrator of all workspaces. A key cannot have more permissions than its creator.';

export const apiKeyOperations = [
  creation('create_api_key', 'Create a key', aboutKeys),
  creation(
    'create_api_key_v2',
    'Create a key (second form)',
    'The same as `create_api_key`, under the name that newer clients use.',
  ),
  defineOperation({
    name: 'list_api_keys',
    title: 'List keys',
    summary: 'List the API keys that the caller may administer, without their secrets.',
    scope: 'workspace',
    input: z.strictObject({ workspace_id: workspaceFilter() }),
    output: z.object({ api_keys: list(apiKey, apiLimits.apiKeysMax).describe('The keys by name.') }),
    errors: ['not_found'],
    example: {
      output: { api_keys: [{ ...exampleKey, key_hint: 'cdef', last_used_at: examples.time }] },
    },
  }),
  defineOperation({
    name: 'delete_api_key',
    title: 'Delete a key',
    summary: 'Delete an API key. Every process refuses it within seconds.',
    scope: 'workspace',
    input: z.strictObject({ api_key_id: id('apiKey').describe('The key.') }),
    errors: ['not_found'],
    example: { input: { api_key_id: examples.key } },
  }),
] as const;
