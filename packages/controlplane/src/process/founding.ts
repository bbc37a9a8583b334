import { ApiError, clusterTypeOf } from '@weir/api';
import type { Log } from '@weir/core';
import { everywhere } from '../accounts/access/grants.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { firstClusterName } from './first-cluster-name.ts';

/** The initial cluster of an installation. */
export interface FirstCluster {
  readonly id: string;
  /** Admits agents to it. */
  readonly agentKey: string;
  /** Creates other keys, for users who can read the data directory. */
  readonly accountKey?: string | undefined;
}

const firstAccountName = 'Weir';
const firstKeyName = 'default_agents';
const firstAccountKeyName = 'default_account';
/** There was no user when they were created. */
const createdBy = 'first start';
const kindOfFirst = { tier: 'pro', cloudProvider: 'aws' } as const;

type ClusterPlace = VirtualCluster['place'];

/**
 * Creates the initial objects of an installation, until it is set up: an account, a cluster, and a key for its agents.
 * Every start until then completes what an earlier one could not finish. Returns the cluster; `undefined` once there
 * are users, who decide themselves.
 */
export async function foundInstallation(
  accounts: AccountsDatabase,
  firstCluster: () => FirstCluster,
  place: ClusterPlace,
): Promise<FirstCluster | undefined> {
  const founded = await accounts.setup.found(firstAccountName);
  if (founded === undefined) return undefined;
  const { account, workspaceId } = founded;
  const [existing] = await accounts.virtualClusters.list(account.id);
  const given = firstCluster();
  if (existing !== undefined && existing.id !== given.id) return undefined;
  // Another process that starts at the same time has created its own.
  if (
    existing === undefined &&
    !(await registerCluster(accounts, { accountId: account.id, workspaceId, id: given.id, place }))
  )
    return undefined;
  await importAgentKey(accounts, account.id, workspaceId, given);
  if (given.accountKey !== undefined) await importAccountKey(accounts, account.id, given.accountKey);
  return given;
}

/**
 * Ensures that the cluster of the operator's settings exists, in the oldest workspace of the oldest account. A deleted
 * one stays deleted.
 */
export async function adoptCluster(
  accounts: AccountsDatabase,
  given: { readonly id: string; readonly agentKey?: string | undefined; readonly place: ClusterPlace },
  log: Log,
): Promise<void> {
  const { id, agentKey, place } = given;
  if ((await accounts.virtualClusters.find(id)) !== undefined) return;
  await accounts.setup.found(firstAccountName);
  const [account] = await accounts.accounts.list();
  if (account === undefined) throw new Error('there is no account yet');
  const [workspace] = await accounts.workspaces.list(account.id);
  if (workspace === undefined) throw new Error(`the account ${account.id} has no workspace`);
  if (await registerCluster(accounts, { accountId: account.id, workspaceId: workspace.id, id, place })) {
    if (agentKey !== undefined) await importAgentKey(accounts, account.id, workspace.id, { id, agentKey });
    return;
  }
  if ((await accounts.virtualClusters.find(id)) === undefined)
    log.warn('refused to serve configured cluster: it was deleted, restore it first', {
      clusterId: id,
    });
}

const dataLakeName = 'tables';

/** Ensures that the data lake of a process exists, beside its cluster. A deleted one stays deleted. */
export async function adoptDataLake(accounts: AccountsDatabase, id: string, besideId: string): Promise<void> {
  if (await accounts.virtualClusters.isKnown(id)) return;
  const beside = await accounts.virtualClusters.find(besideId);
  if (beside === undefined) return;
  const { accountId, workspaceId, place } = beside;
  const made = { ...kindOfFirst, place, id, type: 'byoc_data_lake' } as const;
  for (const name of [dataLakeName, id.slice('vci_dl_'.length)]) {
    const created = await accounts.virtualClusters
      .create(accountId, workspaceId, { ...made, name })
      .catch(unless('conflict', 'duplicate_name'));
    if (created !== undefined) return;
  }
}

/** Once: a revoked key stays revoked. */
async function importAgentKey(
  accounts: AccountsDatabase,
  accountId: string,
  workspaceId: string,
  { id, agentKey: secret }: FirstCluster,
): Promise<void> {
  const grant = {
    principalKind: 'agent',
    resourceKind: 'virtual_cluster',
    resourceId: id,
    workspaceId,
  } as const;
  await accounts.keys
    .create(accountId, { name: firstKeyName, grants: [grant], createdBy, secret })
    .catch(unless('duplicate_api_key_name'));
}

async function importAccountKey(
  accounts: AccountsDatabase,
  accountId: string,
  secret: string,
): Promise<void> {
  const grant = {
    principalKind: everywhere,
    resourceKind: everywhere,
    resourceId: everywhere,
    workspaceId: everywhere,
  } as const;
  await accounts.keys
    .create(accountId, { name: firstAccountKeyName, grants: [grant], createdBy, secret })
    .catch(unless('duplicate_api_key_name'));
}

async function registerCluster(
  accounts: AccountsDatabase,
  { accountId, workspaceId, id, place }: Pick<VirtualCluster, 'accountId' | 'workspaceId' | 'id' | 'place'>,
): Promise<boolean> {
  const taken = new Set(
    (await accounts.virtualClusters.list(accountId, workspaceId)).map(({ name }) => name),
  );
  const name = taken.has(firstClusterName) ? id.slice('vci_'.length) : firstClusterName;
  const cluster = {
    id,
    name,
    type: clusterTypeOf(id) ?? 'byoc',
    ...kindOfFirst,
    place,
  } as const;
  const made = await accounts.virtualClusters
    .create(accountId, workspaceId, cluster)
    .catch(unless('conflict', 'duplicate_name'));
  return made !== undefined;
}

/** It existed before, or another process was faster. */
function unless(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof ApiError && codes.includes(error.code)) return undefined;
    throw error;
  };
}
