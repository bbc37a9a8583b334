import type { Access } from '@weir/api';
import {
  everywhere,
  type GrantName,
  type KeyGrant,
  type KeyGrantName,
  keyKindOf,
  type RoleGrant,
} from './grants.ts';

/** What an operation needs, or reading the audit log, which decides what of it a caller sees. */
type AccessOrAudit = Access | 'audit';

/** The caller with its grants. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly accountId: string;
      readonly grants: readonly RoleGrant[];
    }
  | {
      readonly kind: 'api_key';
      readonly id: string;
      readonly accountId: string;
      readonly grants: readonly KeyGrant[];
      /** Several keys of one call combined; `id` is that of the first. */
      readonly isCombined?: boolean;
    };

/** The requested access, and the object. */
export type Need =
  | { readonly scope: 'public' }
  | { readonly scope: 'user' }
  | { readonly scope: 'account'; readonly access: AccessOrAudit; readonly accountId: string }
  | {
      readonly scope: 'workspace';
      readonly access: AccessOrAudit;
      readonly accountId: string;
      readonly workspaceId: string;
    }
  | {
      readonly scope: 'cluster';
      readonly access: AccessOrAudit;
      readonly accountId: string;
      readonly workspaceId: string;
      readonly clusterId: string;
    };

/**
 * Whether an actor may do something. The decision depends on its grants alone, and nothing of another account is ever
 * allowed.
 *
 * - Users have the permissions of their roles, per workspace; the account itself requires a role for all workspaces.
 * - Records of topics are data: who may write reads them, and who may only read does with `read_records`.
 * - The audit log names all callers: who may write reads it, and a read-only key does with `read_audit_log`.
 * - An application key works in its workspaces. An account key works on the account, not inside workspaces.
 * - An agent key reads its cluster, and may connect agents (`mayConnectAgents`): running agents is not administration.
 */
export function isAllowed(actor: Actor, need: Need): boolean {
  if (need.scope === 'public') return true;
  if (actor.kind === 'anonymous') return false;
  if (need.scope === 'user') return true;
  if (actor.accountId !== need.accountId) return false;
  return actor.kind === 'user'
    ? actor.grants.some((grant) => roleAllows(grant, need))
    : actor.grants.some((grant) => keyAllows(grant, need));
}

const accessOf: Readonly<Record<GrantName | KeyGrantName, readonly AccessOrAudit[]>> = {
  admin: ['read', 'records', 'audit', 'write'],
  read_records: ['read', 'records'],
  read_audit_log: ['read', 'audit'],
  read_only: ['read'],
};

type NeedOfAccount = Exclude<Need, { scope: 'public' | 'user' }>;

function roleAllows({ workspaceId, managedGrantName }: RoleGrant, need: NeedOfAccount): boolean {
  if (!accessOf[managedGrantName].includes(need.access)) return false;
  if (workspaceId === everywhere) return true;
  return need.scope !== 'account' && workspaceId === need.workspaceId;
}

function keyAllows(grant: KeyGrant, need: NeedOfAccount): boolean {
  const { kind, isReadOnly } = keyKindOf(grant);
  switch (kind) {
    case 'account':
      return need.scope === 'account';
    case 'application':
      if (need.scope === 'account' || grant.workspaceId !== need.workspaceId) return false;
      return accessOf[isReadOnly ? (grant.managedGrantName ?? 'read_only') : 'admin'].includes(need.access);
    case 'agent':
      return need.scope === 'cluster' && need.access === 'read' && grant.resourceId === need.clusterId;
  }
}

/** Whether agents of a cluster may connect with the key. */
export function mayConnectAgents(actor: Actor, accountId: string, clusterId: string): boolean {
  if (actor.kind !== 'api_key' || actor.accountId !== accountId) return false;
  return actor.grants.some(
    ({ principalKind, resourceId }) => principalKind === 'agent' && resourceId === clusterId,
  );
}

/** Whether an actor sees the entries of a workspace in the audit log. */
export function mayReadAudit(actor: Actor, accountId: string, workspaceId: string): boolean {
  return isAllowed(actor, { scope: 'workspace', access: 'audit', accountId, workspaceId });
}

/** Returns the highest permission of an actor in a workspace: `admin` means write. */
export function grantIn(actor: Actor, accountId: string, workspaceId: string): GrantName | undefined {
  const need = { scope: 'workspace', accountId, workspaceId } as const;
  if (isAllowed(actor, { ...need, access: 'write' })) return 'admin';
  if (isAllowed(actor, { ...need, access: 'records' })) return 'read_records';
  return isAllowed(actor, { ...need, access: 'read' }) ? 'read_only' : undefined;
}

/**
 * Whether an actor may create or delete a key with this grant, whose workspace is filled in. A key never permits more
 * than its creator has, except that account keys exist to create application keys. Application keys that write create
 * read-only ones, for assistants.
 */
export function mayManageKey(actor: Actor, accountId: string, grant: KeyGrant): boolean {
  const { workspaceId, resourceId: clusterId } = grant;
  const onAccount = isAllowed(actor, { scope: 'account', access: 'write', accountId });
  switch (keyKindOf(grant).kind) {
    case 'account':
      // A key that can create its own kind could never be revoked for good.
      return onAccount && actor.kind === 'user';
    case 'application':
      // A key that can create its own kind could never be revoked for good; a read-only key creates nothing.
      if (actor.kind === 'api_key' && !keyKindOf(grant).isReadOnly) return onAccount;
      return (
        (actor.kind === 'api_key' && onAccount) ||
        isAllowed(actor, { scope: 'workspace', access: 'write', accountId, workspaceId })
      );
    case 'agent':
      return isAllowed(actor, { scope: 'cluster', access: 'write', accountId, workspaceId, clusterId });
  }
}
