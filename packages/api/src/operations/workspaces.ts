import * as z from 'zod';
import { displayName, examples, flag, list, text, time } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { exampleNewKey, newApiKey } from './api-keys.ts';

const workspace = z
  .object({
    id: id('workspace').describe('The workspace.'),
    name: text(128).describe('Its name.'),
    created_at: time().describe('When it was created.'),
  })
  .meta({ id: 'Workspace', description: 'A group of clusters and keys.' });

const applicationKeyExample = {
  ...exampleNewKey,
  name: 'akn_analytics',
  access_grants: [
    {
      principal_kind: 'app' as const,
      resource_kind: '*' as const,
      resource_id: '*',
      workspace_id: examples.workspace,
      managed_grant_name: '' as const,
    },
  ],
};

export const workspaceOperations = [
  defineOperation({
    name: 'list_workspaces',
    title: 'List workspaces',
    summary: 'List the workspaces that the caller can access.',
    scope: 'user',
    output: z.object({
      workspaces: list(workspace, apiLimits.workspacesMax).describe('The workspaces, oldest first.'),
    }),
    example: {
      output: { workspaces: [{ id: examples.workspace, name: 'Default', created_at: examples.time }] },
    },
  }),
  defineOperation({
    name: 'create_workspace',
    title: 'Create a workspace',
    summary: 'Create a workspace and an application key for it.',
    scope: 'account',
    input: z.strictObject({
      workspace_name: displayName(128).describe('The name, unique in the account.'),
      skip_application_key_creation: flag('Whether to create no key.'),
    }),
    output: z.object({
      workspace_id: id('workspace').describe('The workspace.'),
      application_key: newApiKey.optional().describe('A key for the workspace, unless none was requested.'),
    }),
    errors: ['duplicate_name', 'limit_exceeded'],
    example: {
      input: { workspace_name: 'Analytics' },
      output: { workspace_id: examples.workspace, application_key: applicationKeyExample },
    },
  }),
  defineOperation({
    name: 'rename_workspace',
    title: 'Rename a workspace',
    summary: 'Rename a workspace.',
    scope: 'account',
    input: z.strictObject({
      workspace_id: id('workspace').describe('The workspace.'),
      new_workspace_name: displayName(128).describe('The new name.'),
    }),
    errors: ['not_found', 'duplicate_name'],
    example: { input: { workspace_id: examples.workspace, new_workspace_name: 'Reports' } },
  }),
  defineOperation({
    name: 'delete_workspace',
    title: 'Delete a workspace',
    summary: 'Delete a workspace without clusters, and its keys.',
    description:
      'Deleted clusters that could still be restored do not count; they are lost with the workspace.',
    scope: 'account',
    input: z.strictObject({ workspace_id: id('workspace').describe('The workspace.') }),
    errors: ['not_found', 'workspace_not_empty'],
    example: { input: { workspace_id: examples.workspace } },
  }),
] as const;
