import type { Acl, AclOperation, AclPatternType, AclPermission, AclResourceType } from '@weir/core';

/** What an agent asks of its cluster about the rules that say who may do what. */
export interface AclsPort {
  /** Makes rules, each by itself. One that is there already is made again by doing nothing. */
  createAcls(acls: readonly Acl[]): Promise<AclResult[]>;

  /** Removes the rules that each filter finds. One that several filters find is told by each of them. */
  deleteAcls(filters: readonly AclFilter[]): Promise<DeletedAcls[]>;

  /** In no order that anybody may rely on. */
  describeAcls(filter: AclFilter): Promise<Acl[]>;
}

/** Which rules are meant. A rule has to fit all fields; `ANY` and `null` fit everything. */
export interface AclFilter {
  readonly resourceType: AclResourceType | 'ANY';
  readonly resourceName: string | null;
  /** `MATCH` finds all patterns that cover the name; the others compare names as they are written. */
  readonly patternType: AclPatternType | 'ANY' | 'MATCH';
  readonly principal: string | null;
  readonly host: string | null;
  readonly operation: AclOperation | 'ANY';
  readonly permission: AclPermission | 'ANY';
}

export interface AclResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

export interface DeletedAcls extends AclResult {
  readonly deleted: readonly Acl[];
}
