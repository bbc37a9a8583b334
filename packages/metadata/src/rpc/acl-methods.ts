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
import type { AclFilter, AclsPort } from '../cluster/acls-port.ts';
import type { Method } from './methods.ts';
import { list, nullable, object, oneOf, text, tuple } from './shape.ts';

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
export const aclMethods = {
  createAcls: { again: 'once', deadlineMs: 30_000, args: tuple(list(acl)) },
  deleteAcls: { again: 'once', deadlineMs: 30_000, args: tuple(list(aclFilter)) },
  describeAcls: { again: 'repeated', deadlineMs: 30_000, args: tuple(aclFilter) },
} as const satisfies { readonly [M in keyof AclsPort]: Method<Parameters<AclsPort[M]>> };
