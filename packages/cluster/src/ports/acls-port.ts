import type { Acl, AclOperation, AclPatternType, AclPermission, AclResourceType } from '@weir/core';

/** Selects rules. A rule must match every field; `ANY` and `null` match everything. */
export interface AclFilter {
  readonly resourceType: AclResourceType | 'ANY';
  readonly resourceName: string | null;
  /** `MATCH` finds all patterns that cover the name; the other types compare names literally. */
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
