import { type Acl, aclOperations, aclPatternTypes, aclPermissions, aclResourceTypes } from '@weir/core';
import { list, nullable, object, oneOf, text, tuple } from '../shapes/shape.ts';
import { command, query } from './call.ts';

/** Selects rules. A rule must match every field; `ANY` and `null` match everything. */
export interface AclFilter {
  readonly resourceType: Acl['resourceType'] | 'ANY';
  readonly resourceName: string | null;
  /** `MATCH` finds all patterns that cover the name; the other types compare names literally. */
  readonly patternType: Acl['patternType'] | 'ANY' | 'MATCH';
  readonly principal: string | null;
  readonly host: string | null;
  readonly operation: Acl['operation'] | 'ANY';
  readonly permission: Acl['permission'] | 'ANY';
}

export interface AclResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

export interface DeletedAcls extends AclResult {
  readonly deleted: readonly Acl[];
}

const patternTypes = Object.keys(aclPatternTypes) as Acl['patternType'][];

const operations = Object.keys(aclOperations) as Acl['operation'][];

const permissions = Object.keys(aclPermissions) as Acl['permission'][];

const acl = object<Acl>({
  resourceType: oneOf(...aclResourceTypes),
  resourceName: text,
  patternType: oneOf(...patternTypes),
  principal: text,
  host: text,
  operation: oneOf(...operations),
  permission: oneOf(...permissions),
});

const aclFilter = object<AclFilter>({
  resourceType: oneOf('ANY', ...aclResourceTypes),
  resourceName: nullable(text),
  patternType: oneOf('ANY', 'MATCH', ...patternTypes),
  principal: nullable(text),
  host: nullable(text),
  operation: oneOf('ANY', ...operations),
  permission: oneOf('ANY', ...permissions),
});

/** Calls about ACLs. */
export const aclCalls = {
  /** Creates rules, each independently. A rule that already exists is no error. */
  createAcls: command<[acls: readonly Acl[]], AclResult[]>(tuple(list(acl))),
  /** Deletes the rules that match each filter. A rule that several filters match is in the answer of each. */
  deleteAcls: command<[filters: readonly AclFilter[]], DeletedAcls[]>(tuple(list(aclFilter))),
  /** In no particular order. */
  describeAcls: query<[filter: AclFilter], Acl[]>(tuple(aclFilter)),
};
