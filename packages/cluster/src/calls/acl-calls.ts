import {
  type Acl,
  type AclOperation,
  type AclPatternType,
  type AclPermission,
  type AclResourceType,
  aclOperations,
  aclPatternTypes,
  aclPermissions,
  aclResourceTypes,
} from '@weir/core';
import type { AclFilter, AclResult, DeletedAcls } from '../ports/acls-port.ts';
import { list, nullable, object, oneOf, text, tuple } from '../shapes/shape.ts';
import { command, query } from './call.ts';

const resourceTypes = Object.keys(aclResourceTypes) as AclResourceType[];
const patternTypes = Object.keys(aclPatternTypes) as AclPatternType[];
const operations = Object.keys(aclOperations) as AclOperation[];
const permissions = Object.keys(aclPermissions) as AclPermission[];

const acl = object<Acl>({
  resourceType: oneOf(...resourceTypes),
  resourceName: text,
  patternType: oneOf(...patternTypes),
  principal: text,
  host: text,
  operation: oneOf(...operations),
  permission: oneOf(...permissions),
});

const aclFilter = object<AclFilter>({
  resourceType: oneOf('ANY', ...resourceTypes),
  resourceName: nullable(text),
  patternType: oneOf('ANY', 'MATCH', ...patternTypes),
  principal: nullable(text),
  host: nullable(text),
  operation: oneOf('ANY', ...operations),
  permission: oneOf('ANY', ...permissions),
});

/** The calls about the rules that say who may do what. */
export const aclCalls = {
  /** Creates rules, each by itself. One that exists already is no error. */
  createAcls: command<[acls: readonly Acl[]], AclResult[]>(tuple(list(acl))),
  /** Removes the rules that each filter finds. A rule that several filters find is in the answer of each of them. */
  deleteAcls: command<[filters: readonly AclFilter[]], DeletedAcls[]>(tuple(list(aclFilter))),
  /** In no particular order. */
  describeAcls: query<[filter: AclFilter], Acl[]>(tuple(aclFilter)),
};
