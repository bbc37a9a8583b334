/** All workspaces of an account, including future ones. */
export const everywhere = '*';

/** What a caller may do in a workspace. `read_records` is `read_only` with records of topics. */
export type GrantName = 'admin' | 'read_records' | 'read_only';

/** What a role permits its users, and where. */
export interface RoleGrant {
  /** `wi_…`, or `*`. */
  readonly workspaceId: string;
  readonly managedGrantName: GrantName;
}

/** What a read-only application key may read beyond metadata. */
export type KeyGrantName = 'read_records' | 'read_audit_log';

export function isKeyGrantName(name: string): name is KeyGrantName {
  return name === 'read_records' || name === 'read_audit_log';
}

/** What a key permits, in the terms of the API. */
export interface KeyGrant {
  /** `_r` is read-only; `*` is an account key. */
  readonly principalKind: 'app' | 'app_r' | 'agent' | 'agent_r' | '*';
  readonly resourceKind: 'virtual_cluster' | '*';
  /** `vci_…`, or `*`. */
  readonly resourceId: string;
  /** `wi_…`, or `*`. */
  readonly workspaceId: string;
  /** For a read-only application key that reads records of topics or the audit log too. */
  readonly managedGrantName?: KeyGrantName;
}

/** The kind of a key, derived from its grants. */
export interface KeyKind {
  readonly kind: 'agent' | 'application' | 'account';
  readonly isReadOnly: boolean;
}

const kinds: Readonly<Record<KeyGrant['principalKind'], KeyKind>> = {
  agent: { kind: 'agent', isReadOnly: false },
  agent_r: { kind: 'agent', isReadOnly: true },
  app: { kind: 'application', isReadOnly: false },
  app_r: { kind: 'application', isReadOnly: true },
  '*': { kind: 'account', isReadOnly: false },
};

export function keyKindOf(grant: KeyGrant): KeyKind {
  return kinds[grant.principalKind];
}
