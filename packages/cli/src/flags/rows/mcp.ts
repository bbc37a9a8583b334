import { mcpClientKinds, mcpReads } from '@weir/api/mcp-configuration';
import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { oneOf, text } from '../../values/text.ts';
import { available } from '../row.ts';
import { selfContained } from './takers.ts';

/** Values for the configuration of an MCP client. */
export const mcpFlags = [
  available({
    name: 'mcpWrites',
    type: bool(),
    default: false,
    commands: selfContained,
    help: 'Offer assistants tools that change topics, offsets and ACLs, and mute diagnostics.',
    rule: 'Needs an application key that may write and a client that asks its user to confirm each change.',
  }),
  available({
    name: 'workspaces',
    type: list(text('workspace id')),
    default: [],
    commands: ['cli mcp-config', 'cli create-key'],
    help: 'The ids of the workspaces of the key.',
    rule: 'Empty: all workspaces of the caller; for create-key the oldest.',
  }),
  available({
    name: 'cloneName',
    type: text('cluster name'),
    commands: ['cli clone-cluster'],
    help: 'The name of the new cluster, unique in the workspace.',
  }),
  available({
    name: 'keyName',
    type: text('key name'),
    commands: ['cli create-key'],
    help: 'The name of the key, unique in the account.',
  }),
  available({
    name: 'keyKind',
    type: oneOf('application', 'application_read_only', 'agent', 'agent_read_only'),
    default: 'application',
    commands: ['cli create-key'],
    help: 'The type of key: for programs in a workspace, or for agents of the cluster in -cluster.',
  }),
  available({
    name: 'mcpClient',
    type: oneOf(...mcpClientKinds),
    default: 'url',
    commands: ['cli mcp-config'],
    help: 'The configuration format of the client: a url field, a serverUrl field, or a command.',
  }),
  available({
    name: 'mcpKeys',
    type: oneOf('single_key', 'per_workspace'),
    default: 'single_key',
    commands: ['cli mcp-config'],
    help: 'Whether to create one key for all workspaces or one per workspace.',
    rule: 'per_workspace: header names have underscores, which some proxies drop.',
  }),
  available({
    name: 'mcpReads',
    type: list(oneOf(...mcpReads)),
    default: [],
    commands: ['cli mcp-config'],
    help: 'What the keys may read beyond metadata: records of topics, the audit log.',
  }),
  available({
    name: 'replacesKeys',
    type: list(text('key id')),
    default: [],
    commands: ['cli mcp-config'],
    help: 'The ids of further keys to delete after the new ones are created.',
  }),
];
