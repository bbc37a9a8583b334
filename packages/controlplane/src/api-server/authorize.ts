import { type Access, ApiError, type Operation, type OperationName } from '@weir/api';
import { type Actor, isAllowed, type Need } from '../accounts/access/permissions.ts';
import { notFound } from '../accounts/common/not-found.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import type { Caller, Identified, KnownActor } from './caller.ts';

/** The permission for a call: its actor and its object. */
export interface Permit {
  readonly actor: Actor;
  readonly actorName: string;
  readonly workspaceId: string | undefined;
  readonly cluster: VirtualCluster | undefined;
}

type Registry = Pick<AccountsDatabase, 'virtualClusters' | 'workspaces'>;

type KnownOperation = Operation<OperationName>;
type Input = Readonly<Record<string, unknown>>;

/**
 * Keys have their own rules about who creates which kind. Their handlers call `mayManageKey`, for the workspace too.
 */
const keyOperations: ReadonlySet<OperationName> = new Set<OperationName>([
  'create_api_key',
  'create_api_key_v2',
  'list_api_keys',
  'delete_api_key',
]);

/** Public operations have no authenticated caller. */
export const publicPermit: Permit = {
  actor: { kind: 'anonymous' },
  actorName: '',
  workspaceId: undefined,
  cluster: undefined,
};

/**
 * Authorizes a call, or throws the reason. An object that the caller may not read is reported as not found, with the
 * same message as one that does not exist; only a caller that may read learns that it may not write.
 */
export async function authorize(
  caller: Caller,
  operation: KnownOperation,
  input: Input,
  registry: Registry,
): Promise<Permit> {
  switch (operation.scope) {
    case 'public':
      return publicPermit;
    case 'user':
      return permitTo(everyone(caller));
    case 'account':
      return onAccount(caller, operation);
    case 'workspace':
      return onWorkspace(caller, operation, input.workspace_id as string | undefined, registry);
    case 'cluster':
      return onCluster(caller, operation, input, registry);
  }
}

/** All keys combined, for operations that are not about one workspace. */
function everyone({ actors, accountId }: Caller): Identified {
  const [first] = actors;
  if (first.actor.kind === 'user') return first;
  const grants = actors.flatMap(({ actor }) => (actor.kind === 'api_key' ? actor.grants : []));
  const isCombined = actors.length > 1;
  return { actor: { kind: 'api_key', id: first.actor.id, accountId, grants, isCombined }, name: first.name };
}

function permitTo(
  { actor, name }: Identified,
  about: { readonly workspaceId?: string; readonly cluster?: VirtualCluster } = {},
): Permit {
  return { actor, actorName: name, workspaceId: about.workspaceId, cluster: about.cluster };
}

function onAccount(caller: Caller, { access }: KnownOperation): Permit {
  const { accountId } = caller;
  const allowed = caller.actors.find(({ actor }) =>
    isAllowed(actor, { scope: 'account', access, accountId }),
  );
  if (allowed === undefined)
    throw new ApiError('forbidden', 'You need the admin role in all workspaces, or an account key.');
  return permitTo(allowed);
}

/** Without a workspace in the request, the handler chooses among the visible ones. */
async function onWorkspace(
  caller: Caller,
  { name, access }: KnownOperation,
  workspaceId: string | undefined,
  { workspaces }: Registry,
): Promise<Permit> {
  if (workspaceId === undefined) return permitTo(everyone(caller));
  const { accountId } = caller;
  const workspace = await workspaces.get(accountId, workspaceId);
  const need = { scope: 'workspace', accountId, workspaceId } as const;
  if (workspace === undefined || !sees(caller, need)) throw notFound('workspace');
  const allowed = caller.actors.find(({ actor }) => isAllowed(actor, { ...need, access }));
  if (allowed !== undefined) return permitTo(allowed, { workspaceId });
  if (keyOperations.has(name)) return permitTo(everyone(caller), { workspaceId });
  throw forbiddenInWorkspace(access);
}

async function onCluster(
  caller: Caller,
  operation: KnownOperation,
  input: Input,
  registry: Registry,
): Promise<Permit> {
  const { name } = operation;
  const clusterId = input.virtual_cluster_id as string;
  const access = accessOf(operation, input);
  const { accountId } = caller;
  const cluster = await clusterFor(name, accountId, clusterId, registry);
  if (cluster === undefined) throw notFound('virtual cluster');
  const { workspaceId } = cluster;
  const need = { scope: 'cluster', accountId, workspaceId, clusterId } as const;
  if (!sees(caller, need)) throw notFound('virtual cluster');
  const allowed = caller.actors.find(({ actor }) => isAllowed(actor, { ...need, access }));
  if (allowed === undefined) throw forbiddenOnCluster(access, cluster);
  return permitTo(allowed, { workspaceId, cluster });
}

/** Records that a Kafka credential is given for are read with the rights of that credential, by ACLs. */
function accessOf({ access }: KnownOperation, { kafka_user_name, kafka_password }: Input): Access {
  const hasCredential = kafka_user_name !== undefined && kafka_password !== undefined;
  return access === 'records' && hasCredential ? 'read' : access;
}

const neededFor: Readonly<Record<Access, string>> = {
  read: 'You need a role in this workspace, or an API key that may read there.',
  records: 'You need the grant read_records or admin in this workspace to read records.',
  write: 'You need the admin role in this workspace, or an API key that may write there.',
};

const neededForKafkaRecords =
  'You need the grant read_records or admin in this workspace to read records, or a Kafka credential.';

function forbiddenInWorkspace(access: Access): ApiError {
  return new ApiError('forbidden', neededFor[access]);
}

function forbiddenOnCluster(access: Access, { type }: VirtualCluster): ApiError {
  if (access === 'records' && type === 'byoc') return new ApiError('forbidden', neededForKafkaRecords);
  return forbiddenInWorkspace(access);
}

/** Only restoring accepts deleted clusters. */
async function clusterFor(
  name: OperationName,
  accountId: string,
  clusterId: string,
  { virtualClusters }: Registry,
): Promise<VirtualCluster | undefined> {
  const cluster = await virtualClusters.get(accountId, clusterId);
  if (cluster !== undefined || name !== 'restore_virtual_cluster') return cluster;
  const deleted = await virtualClusters.listDeleted(accountId);
  return deleted.find(({ id }) => id === clusterId);
}

type PlaceNeed = Extract<Need, { scope: 'workspace' | 'cluster' }>;

/** Whether the caller may know that the object exists: it may read it, or it administers the account. */
function sees({ actors, accountId }: Caller, need: Omit<PlaceNeed, 'access'>): boolean {
  const read = { ...need, access: 'read' } as PlaceNeed;
  const ofAccount = { scope: 'account', access: 'read', accountId } as const;
  const may = (actor: KnownActor) => isAllowed(actor, read) || isAllowed(actor, ofAccount);
  return actors.some(({ actor }) => may(actor));
}
