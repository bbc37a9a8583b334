import {
  apiKeyHeader,
  type InputOf,
  type McpRead,
  mcpClientKinds,
  mcpConfiguration,
  workspaceKeyHeader,
} from '@weir/api';
import type { Random } from '@weir/core';
import { everywhere, type KeyGrant, type KeyGrantName } from '../../accounts/access/grants.ts';
import { mayManageKey } from '../../accounts/access/permissions.ts';
import { notFound } from '../../accounts/common/not-found.ts';
import type { ApiKey } from '../../accounts/keys/keys.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { boundTo, makerId } from './made-key.ts';
import { seesWorkspace } from './visible-workspaces.ts';

/** A key to create, and the header that carries it. */
interface Wanted {
  readonly name: string;
  readonly header: string;
  readonly workspaceIds: readonly string[];
  readonly grants: readonly KeyGrant[];
}

interface Made extends Wanted {
  readonly id: string;
  readonly fullName: string;
  readonly secret: string;
}

export function mcpConfigurationHandlers(
  accounts: AccountsDatabase,
  publicUrl: () => string,
  random: Random,
) {
  const { keys } = accounts;
  return {
    async create_mcp_configuration(input, context) {
      const { accountId } = context;
      const workspaceIds = [...new Set(input.workspace_ids)];
      for (const workspaceId of workspaceIds) await requireAdministrator(accounts, workspaceId, context);
      const replaced = await Promise.all(input.replaces.map((id) => replacedKey(accounts, id, context)));
      const [only, ...others] = workspaceIds;
      if (others.length === 0) context.happensIn(only!);

      const name = input.key_name ?? freshName(context.clock.nowMs(), random);
      const made = await makeAll(accounts, wantedKeys(name, workspaceIds, input), context);
      for (const { id } of replaced) await keys.revoke(accountId, id);
      const headers = Object.fromEntries(made.map(({ header, secret }) => [header, secret]));
      const servers = { baseUrl: publicUrl(), serverName: input.server_name, headers };
      return {
        api_keys: made.map(({ id, fullName, workspaceIds: reached }) => ({
          id,
          name: fullName,
          workspace_ids: [...reached],
        })),
        configurations: mcpClientKinds.map((client) => ({ client, text: mcpConfiguration(client, servers) })),
      };
    },
  } satisfies SomeHandlers;
}

function readingGrant(workspaceId: string): KeyGrant {
  return { principalKind: 'app_r', resourceKind: everywhere, resourceId: everywhere, workspaceId };
}

const grantNames: Readonly<Record<McpRead, KeyGrantName>> = {
  records: 'read_records',
  audit_log: 'read_audit_log',
};

/** A grant for each thing that is read beyond metadata, else one that reads metadata. */
function grantsOf(workspaceId: string, reads: readonly McpRead[]): KeyGrant[] {
  const reading = readingGrant(workspaceId);
  if (reads.length === 0) return [reading];
  return [...new Set(reads)].map((read) => ({ ...reading, managedGrantName: grantNames[read] }));
}

async function requireAdministrator(
  { workspaces }: AccountsDatabase,
  workspaceId: string,
  context: CallContext,
): Promise<void> {
  const { actor, accountId } = context;
  const workspace = await workspaces.get(accountId, workspaceId);
  if (workspace === undefined || !seesWorkspace(context, workspaceId)) throw notFound('workspace');
  if (!mayManageKey(actor, accountId, readingGrant(workspaceId))) throw new OperationFailed('forbidden');
}

async function replacedKey(
  { keys }: AccountsDatabase,
  id: string,
  { accountId, actor }: CallContext,
): Promise<ApiKey> {
  const key = await keys.get(accountId, id);
  const isManaged = key?.grants.every((grant) => mayManageKey(actor, accountId, grant)) === true;
  if (key === undefined || key.grants.length === 0 || !isManaged) throw notFound('API key');
  return key;
}

/** Both forms are never mixed, because it would be ambiguous which key is meant. */
function wantedKeys(
  name: string,
  workspaceIds: readonly string[],
  { form, reads }: Pick<InputOf<'create_mcp_configuration'>, 'form' | 'reads'>,
): Wanted[] {
  const grants = workspaceIds.flatMap((workspaceId) => grantsOf(workspaceId, reads));
  if (form === 'single_key') return [{ name, header: apiKeyHeader, workspaceIds, grants }];
  return workspaceIds.map((workspaceId) => ({
    name: `${name}_${workspaceId.replaceAll('_', '').slice(-8)}`,
    header: workspaceKeyHeader(workspaceId),
    workspaceIds: [workspaceId],
    grants: grantsOf(workspaceId, reads),
  }));
}

/** All of them or none: a configuration with half of its keys is useless. */
async function makeAll(
  { keys }: AccountsDatabase,
  wanted: readonly Wanted[],
  { accountId, actor }: CallContext,
): Promise<Made[]> {
  const made: Made[] = [];
  try {
    for (const one of wanted) {
      const { key, secret } = await keys.create(accountId, {
        name: one.name,
        grants: one.grants,
        createdBy: makerId(actor),
        boundTo: boundTo(actor, one.grants),
      });
      made.push({ ...one, id: key.id, fullName: key.name, secret });
    }
  } catch (error) {
    for (const { id } of made) await keys.revoke(accountId, id);
    throw error;
  }
  return made;
}

/** `mcp_20260131_120000_5f0c1b2a`: the time in UTC for people, and digits that make keys of one second distinct. */
function freshName(nowMs: number, random: Random): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
  return `mcp_${time}_${random.below(0x1_0000_0000).toString(16).padStart(8, '0')}`;
}
