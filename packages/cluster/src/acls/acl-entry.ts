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

/**
 * An ACL is a record that has nothing but a key: all that it says is what tells it from others. The key is a JSON list, so that no
 * name can be mistaken for two.
 */
export function aclKey(acl: Acl): string {
  return JSON.stringify([
    acl.resourceType,
    acl.resourceName,
    acl.patternType,
    acl.principal,
    acl.host,
    acl.operation,
    acl.permission,
  ]);
}

export const aclValue: Uint8Array = Buffer.alloc(0);

/** `undefined` for a rule with words of a later release, about which nobody asks here. */
export function readAclKey(key: string): Acl | undefined {
  const [resourceType, resourceName, patternType, principal, host, operation, permission] = JSON.parse(
    key,
  ) as [AclResourceType, string, AclPatternType, string, string, AclOperation, AclPermission];
  const isKnown =
    Object.hasOwn(aclResourceTypes, resourceType) &&
    Object.hasOwn(aclPatternTypes, patternType) &&
    Object.hasOwn(aclOperations, operation) &&
    Object.hasOwn(aclPermissions, permission);
  if (!isKnown) return undefined;
  return { resourceType, resourceName, patternType, principal, host, operation, permission };
}

/** The rules among the keys of records. */
export function* readAcls(keys: Iterable<string>): Generator<Acl, undefined> {
  for (const key of keys) {
    const acl = readAclKey(key);
    if (acl !== undefined) yield acl;
  }
}

/** `TOPIC orders (PREFIXED): ALLOW READ for User:alice from *`, for people. */
export function describeAcl(acl: Acl): string {
  const { resourceType, resourceName, patternType, principal, host, operation, permission } = acl;
  const pattern = patternType === 'LITERAL' ? '' : ` (${patternType})`;
  return `${resourceType} ${resourceName}${pattern}: ${permission} ${operation} for ${principal} from ${host}`;
}
