import { clusterTypeOf, type InputOf } from '@weir/api';
import {
  everywhere,
  isKeyGrantName,
  type KeyGrant,
  type KeyGrantName,
  keyKindOf,
} from '../../accounts/access/grants.ts';
import { mayManageKey } from '../../accounts/access/permissions.ts';
import { notFound } from '../../accounts/common/not-found.ts';
import type { ApiKey } from '../../accounts/keys/keys.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { boundTo, makerId } from './made-key.ts';
import { byName, toKeyResponse, toNewKeyResponse } from './responses.ts';
import { type Caller, mayOnCluster, oldestWritable, seesWorkspace } from './visible-workspaces.ts';

type GivenKey = InputOf<'create_api_key'>;
type GivenGrant = GivenKey['access_grants'][number];

export function apiKeyHandlers(accounts: AccountsDatabase, onAgentsRevoked: (clusterId: string) => void) {
  const { keys } = accounts;

  async function create(input: GivenKey, context: CallContext) {
    const { accountId, actor } = context;
    const grants: KeyGrant[] = [];
    for (const given of input.access_grants) {
      const grant = await grantOf(accounts, given, input.virtual_cluster_type, context);
      if (!mayManageKey(actor, accountId, grant)) throw new OperationFailed('forbidden');
      grants.push(grant);
    }
    happensWith(grants, context);
    const made = { name: input.name, grants, createdBy: makerId(actor), boundTo: boundTo(actor, grants) };
    return toNewKeyResponse(await keys.create(accountId, made));
  }

  return {
    create_api_key: create,
    create_api_key_v2: create,

    async list_api_keys({ workspace_id }, context) {
      const all = await keys.list(context.accountId);
      const own = all.filter((key) => manages(context, key) && isOf(key, workspace_id));
      return { api_keys: byName(own).map(toKeyResponse) };
    },

    async delete_api_key({ api_key_id }, context) {
      const key = await keys.get(context.accountId, api_key_id);
      if (key === undefined || !manages(context, key)) throw notFound('API key');
      happensWith(key.grants, context);
      await keys.revoke(context.accountId, key.id);
      for (const { principalKind, resourceId } of key.grants)
        if (principalKind === 'agent') onAgentsRevoked(resourceId);
      return {};
    },
  } satisfies SomeHandlers;
}

/** A key of several workspaces, or of all, is audited for the account. */
function happensWith(grants: readonly KeyGrant[], { happensIn }: CallContext): void {
  const [workspaceId, ...others] = new Set(grants.map((grant) => grant.workspaceId));
  if (workspaceId !== undefined && workspaceId !== everywhere && others.length === 0) happensIn(workspaceId);
}

function manages({ actor, accountId }: Caller, { grants }: ApiKey): boolean {
  return grants.length > 0 && grants.every((grant) => mayManageKey(actor, accountId, grant));
}

function isOf({ grants }: ApiKey, workspaceId: string | undefined): boolean {
  return workspaceId === undefined || grants.some((grant) => grant.workspaceId === workspaceId);
}

/** Returns the grant with its workspace, if the caller may know the object that it names. */
async function grantOf(
  accounts: AccountsDatabase,
  given: GivenGrant,
  clusterType: GivenKey['virtual_cluster_type'],
  caller: Caller,
): Promise<KeyGrant> {
  const { principal_kind, resource_kind, resource_id, workspace_id, managed_grant_name } = given;
  const grant = {
    principalKind: principal_kind,
    resourceKind: resource_kind,
    resourceId: resource_id,
    ...(managed_grant_name === undefined
      ? {}
      : { managedGrantName: keyGrantName(given, managed_grant_name) }),
  };
  switch (keyKindOf({ ...grant, workspaceId: '' }).kind) {
    case 'agent':
      if (clusterType !== undefined && clusterTypeOf(resource_id) !== clusterType)
        throw new OperationFailed('invalid_request', 'virtual_cluster_type is not the type of the cluster.');
      return { ...grant, workspaceId: await workspaceOfCluster(accounts, resource_id, caller) };
    case 'application':
      return { ...grant, workspaceId: await workspaceGiven(accounts, grant, workspace_id, caller) };
    case 'account':
      return { ...grant, workspaceId: workspace_id ?? everywhere };
  }
}

/** A caller that sends `read_only` would otherwise get a key that writes. */
function keyGrantName({ principal_kind }: GivenGrant, name: string): KeyGrantName {
  if (isKeyGrantName(name) && principal_kind === 'app_r') return name;
  throw new OperationFailed(
    'invalid_request',
    'managed_grant_name is for roles; a key that reads is app_r, with read_records or read_audit_log if it reads these too.',
  );
}

async function workspaceOfCluster(
  { virtualClusters }: AccountsDatabase,
  clusterId: string,
  caller: Caller,
): Promise<string> {
  const cluster = await virtualClusters.get(caller.accountId, clusterId);
  if (cluster === undefined) throw notFound('virtual cluster');
  if (!mayOnCluster(caller, 'read', cluster) && !seesWorkspace(caller, cluster.workspaceId))
    throw notFound('virtual cluster');
  return cluster.workspaceId;
}

async function workspaceGiven(
  accounts: AccountsDatabase,
  grant: Omit<KeyGrant, 'workspaceId'>,
  workspaceId: string | undefined,
  caller: Caller,
): Promise<string> {
  const { actor, accountId } = caller;
  if (workspaceId === undefined) {
    return oldestWritable(accounts, caller, (id) =>
      mayManageKey(actor, accountId, { ...grant, workspaceId: id }),
    );
  }
  const workspace = await accounts.workspaces.get(accountId, workspaceId);
  if (workspace === undefined || !seesWorkspace(caller, workspaceId)) throw notFound('workspace');
  return workspaceId;
}
