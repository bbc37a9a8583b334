import { type Acl, aclOperations, aclPatternTypes, aclPermissions, aclResourceTypes } from '@weir/core';

/**
 * Returns the key of an ACL. An ACL is a key-value entry with an empty value: its key contains all fields. The key is a
 * JSON list, so that no two rules have the same key.
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

/** Returns `undefined` for a rule with terms of a later release, which no request of this release can match. */
export function readAclKey(key: string): Acl | undefined {
  const [resourceType, resourceName, patternType, principal, host, operation, permission] = JSON.parse(
    key,
  ) as [Acl['resourceType'], string, Acl['patternType'], string, string, Acl['operation'], Acl['permission']];
  const isKnown =
    aclResourceTypes.includes(resourceType) &&
    Object.hasOwn(aclPatternTypes, patternType) &&
    Object.hasOwn(aclOperations, operation) &&
    Object.hasOwn(aclPermissions, permission);
  if (!isKnown) return undefined;
  return { resourceType, resourceName, patternType, principal, host, operation, permission };
}

/** Yields the rules that this release understands. */
export function* readAcls(keys: Iterable<string>): Generator<Acl, undefined> {
  for (const key of keys) {
    const acl = readAclKey(key);
    if (acl !== undefined) yield acl;
  }
}

/** Formats a rule for users: `TOPIC orders (PREFIXED): ALLOW READ for User:alice from *`. */
export function describeAcl(acl: Acl): string {
  const { resourceType, resourceName, patternType, principal, host, operation, permission } = acl;
  const pattern = patternType === 'LITERAL' ? '' : ` (${patternType})`;
  return `${resourceType} ${resourceName}${pattern}: ${permission} ${operation} for ${principal} from ${host}`;
}
