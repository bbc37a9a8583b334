import type { Acl } from '@weir/core';
import type { AclFilter } from '../calls/acl-calls.ts';

/** As a literal pattern, this name matches every name. */
export const everyName = '*';

export function matchesAcl(filter: AclFilter, acl: Acl): boolean {
  return (
    (filter.resourceType === 'ANY' || filter.resourceType === acl.resourceType) &&
    (filter.operation === 'ANY' || filter.operation === acl.operation) &&
    (filter.permission === 'ANY' || filter.permission === acl.permission) &&
    (filter.principal === null || filter.principal === acl.principal) &&
    (filter.host === null || filter.host === acl.host) &&
    matchesPattern(filter, acl)
  );
}

function matchesPattern({ patternType, resourceName }: AclFilter, acl: Acl): boolean {
  if (patternType === 'MATCH') return resourceName === null || covers(acl, resourceName);
  if (patternType !== 'ANY' && patternType !== acl.patternType) return false;
  return resourceName === null || resourceName === acl.resourceName;
}

function covers({ patternType, resourceName }: Acl, name: string): boolean {
  if (patternType === 'PREFIXED') return name.startsWith(resourceName);
  return resourceName === name || resourceName === everyName;
}

/**
 * Returns the only rule that a fully specified filter can match, so that it can be looked up instead of searched for.
 */
export function onlyAclOf(filter: AclFilter): Acl | undefined {
  const { resourceType, resourceName, patternType, principal, host, operation, permission } = filter;
  if (
    resourceType === 'ANY' ||
    resourceName === null ||
    patternType === 'ANY' ||
    patternType === 'MATCH' ||
    principal === null ||
    host === null ||
    operation === 'ANY' ||
    permission === 'ANY'
  ) {
    return undefined;
  }
  return { resourceType, resourceName, patternType, principal, host, operation, permission };
}
