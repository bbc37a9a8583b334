import { type Acl, aclOperations, aclPatternTypes, aclPermissions, aclResourceTypes } from '@weir/core';
import * as s from '../shapes/shape.ts';
import { command, query } from './call.ts';

const patternTypes = Object.keys(aclPatternTypes) as Acl['patternType'][];

const operations = Object.keys(aclOperations) as Acl['operation'][];

const permissions = Object.keys(aclPermissions) as Acl['permission'][];

/** Selects rules. A rule must match every field; `ANY` and `null` match everything. */
const aclFilter = s.struct({
  resourceType: s.oneOf('ANY', ...aclResourceTypes),
  resourceName: s.nullable(s.text),
  /** `MATCH` finds all patterns that cover the name; the other types compare names literally. */
  patternType: s.oneOf('ANY', 'MATCH', ...patternTypes),
  principal: s.nullable(s.text),
  host: s.nullable(s.text),
  operation: s.oneOf('ANY', ...operations),
  permission: s.oneOf('ANY', ...permissions),
});
export type AclFilter = s.TypeOf<typeof aclFilter>;

export interface AclResult {
  readonly error: 'NONE' | 'INVALID_REQUEST' | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
}

export interface DeletedAcls extends AclResult {
  readonly deleted: readonly Acl[];
}

const acl = s.object<Acl>({
  resourceType: s.oneOf(...aclResourceTypes),
  resourceName: s.text,
  patternType: s.oneOf(...patternTypes),
  principal: s.text,
  host: s.text,
  operation: s.oneOf(...operations),
  permission: s.oneOf(...permissions),
});

/** Calls about ACLs. */
export const aclCalls = {
  /** Creates rules, each independently. A rule that already exists is no error. */
  createAcls: command<[acls: readonly Acl[]], AclResult[]>(s.tuple(s.list(acl))),
  /** Deletes the rules that match each filter. A rule that several filters match is in the answer of each. */
  deleteAcls: command<[filters: readonly AclFilter[]], DeletedAcls[]>(s.tuple(s.list(aclFilter))),
  /** In no particular order. */
  describeAcls: query<[filter: AclFilter], Acl[]>(s.tuple(aclFilter)),
};
