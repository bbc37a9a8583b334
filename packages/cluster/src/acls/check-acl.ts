import { isIP } from 'node:net';
import {
  type Acl,
  clusterResourceName,
  coreLimits,
  kafkaResourceTypes,
  type NeededOperation,
  operationsOfResource,
  registryResourceName,
} from '@weir/core';
import { everyName } from './acl-filter.ts';

/** Returns why a rule cannot be created and what to do, as a sentence; `undefined` if it can. */
export function problemOfNewAcl(acl: Acl): string | undefined {
  const { resourceType, resourceName, principal, host } = acl;
  const lengths = [
    ['The name of a resource', resourceName, coreLimits.aclResourceNameCharsMax],
    ['A principal', principal, coreLimits.principalNameCharsMax],
    ['A host', host, coreLimits.aclHostCharsMax],
  ] as const;
  for (const [what, text, charsMax] of lengths) {
    if (text === '' || text.length > charsMax) return `${what} has 1 to ${charsMax} characters.`;
  }
  if (resourceType === 'CLUSTER' && resourceName !== clusterResourceName) {
    return `The only name of a CLUSTER is ${clusterResourceName}, not ${resourceName}.`;
  }
  if (resourceType === 'REGISTRY' && resourceName !== registryResourceName) {
    return `The only name of a REGISTRY is ${registryResourceName}, not ${resourceName}.`;
  }
  // Kafka has no rule about operations of its resources, and tools rely on that; such an ACL is reported as invalid.
  const isOfKafka = Object.hasOwn(kafkaResourceTypes, resourceType);
  return problemOfPrincipal(principal) ?? (isOfKafka ? undefined : problemOfOperation(acl));
}

function problemOfPrincipal(principal: string): string | undefined {
  if (principal.startsWith('User:') && principal !== 'User:') return undefined;
  return `The principal must be User:<name>, or User:* for every user, not ${principal}.`;
}

/** Returns why a rule never decides anything because of its operation; files of people are refused for it. */
export function problemOfOperation({
  resourceType,
  operation,
}: Pick<Acl, 'resourceType' | 'operation'>): string | undefined {
  const operations: readonly NeededOperation[] = operationsOfResource[resourceType];
  if (operation === 'ALL' || operations.includes(operation)) return undefined;
  return `${operation} is nothing that can be done with a ${resourceType}; there are ALL, ${operations.join(', ')}.`;
}

/** An existing rule that cannot have the intended effect, with the reason. */
export interface InvalidAcl {
  readonly acl: Acl;
  readonly reason: string;
}

/**
 * Returns the rules that never match anything. Such rules can exist: Kafka allows some of these mistakes, and another
 * release may have created them.
 */
export function invalidAcls(acls: Iterable<Acl>): InvalidAcl[] {
  const invalid: InvalidAcl[] = [];
  for (const acl of acls) {
    const reason = problemOfNewAcl(acl) ?? problemOfOperation(acl) ?? uselessness(acl);
    if (reason !== undefined) invalid.push({ acl, reason });
  }
  return invalid;
}

/** Returns why a valid rule never matches anything. */
function uselessness({ resourceType, resourceName, patternType, principal, host }: Acl): string | undefined {
  if (patternType === 'PREFIXED' && resourceName === everyName) {
    return 'PREFIXED * matches nothing; LITERAL * is every name.';
  }
  if (resourceType === 'TOPIC' && resourceName.includes('*') && resourceName !== everyName) {
    return `Topic names cannot contain a star; for all names with a prefix, use PREFIXED without the star.`;
  }
  if (principal.endsWith('*') && principal !== 'User:*' && !isTrustDomain(principal)) {
    return 'A star in a principal is a wildcard only in User:* and User:spiffe://<trust domain>/*.';
  }
  if (host !== '*' && isIP(host) === 0) return 'The host must be an address or *; names are not resolved.';
  return undefined;
}

function isTrustDomain(principal: string): boolean {
  return /^User:spiffe:\/\/[^/]+\/\*$/.test(principal);
}
