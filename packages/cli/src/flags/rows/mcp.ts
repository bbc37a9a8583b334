import { mcpClientKinds } from '@weir/api/mcp-configuration';
import { list } from '../../values/list.ts';
import { oneOf, text } from '../../values/text.ts';
import { available } from '../row.ts';

/** Values for the configuration of an MCP client. */
export const mcpFlags = [
  available({
    name: 'workspaces',
    type: list(text('workspace id')),
    default: [],
    commands: ['cli mcp-config', 'cli create-key'],
    help: 'The ids of the workspaces that a key is for.',
    rule: 'An empty list means all that the caller reaches, and for create-key the oldest of them.',
  }),
  available({
    name: 'cloneName',
    type: text('cluster name'),
    commands: ['cli clone-cluster'],
    help: 'The name of the new cluster, which no other one of the workspace has.',
  }),
  available({
    name: 'keyName',
    type: text('key name'),
    commands: ['cli create-key'],
    help: 'The name of the key, which no other key of the account has.',
  }),
  available({
    name: 'keyKind',
    type: oneOf('application', 'application_read_only', 'agent', 'agent_read_only'),
    default: 'application',
    commands: ['cli create-key'],
    help: 'What the key is for: programs in a workspace, or agents of the cluster of -cluster.',
  }),
  available({
    name: 'mcpClient',
    type: oneOf(...mcpClientKinds),
    default: 'url',
    commands: ['cli mcp-config'],
    help: 'The kind of client: one that calls the address of a server url, or serverUrl, or that has a command.',
  }),
  available({
    name: 'mcpKeys',
    type: oneOf('per_workspace', 'single_key'),
    default: 'per_workspace',
    commands: ['cli mcp-config'],
    help: 'Whether there is a key for each workspace, or one for all of them.',
  }),
  available({
    name: 'replacesKeys',
    type: list(text('key id')),
    default: [],
    commands: ['cli mcp-config'],
    help: 'The ids of keys of an earlier configuration, which are deleted once there are new ones.',
  }),
];
