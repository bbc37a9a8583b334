import { isIP } from 'node:net';
import {
  type Acl,
  clusterResourceName,
  coreLimits,
  type NeededOperation,
  operationsOfResource,
} from '@weir/core';
import { everyName } from './acl-filter.ts';

/** Why a rule cannot be made, as a sentence that says what to do; `undefined` when it can. */
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
  return problemOfPrincipal(principal) ?? problemOfOperation(acl);
}

function problemOfPrincipal(principal: string): string | undefined {
  if (principal.startsWith('User:') && principal !== 'User:') return undefined;
  return `The principal must be User: and a name, or User:* for every user, not ${principal}.`;
}

function problemOfOperation({ resourceType, operation }: Acl): string | undefined {
  const operations: readonly NeededOperation[] = operationsOfResource[resourceType];
  if (operation === 'ALL' || operations.includes(operation)) return undefined;
  return `${operation} is nothing that can be done with a ${resourceType}; there are ALL, ${operations.join(', ')}.`;
}

/** A rule that is there and cannot do what its author meant, with the reason. */
export interface InvalidAcl {
  readonly acl: Acl;
  readonly reason: string;
}

/**
 * The rules that will never decide anything. They can be there: some of these mistakes are none by Kafka's rules, and rules may
 * have been made by another release.
 */
export function invalidAcls(acls: Iterable<Acl>): InvalidAcl[] {
  const invalid: InvalidAcl[] = [];
  for (const acl of acls) {
    const reason = problemOfNewAcl(acl) ?? uselessness(acl);
    if (reason !== undefined) invalid.push({ acl, reason });
  }
  return invalid;
}

/** Why a rule that may be made never matches anything. */
function uselessness({ resourceType, resourceName, patternType, principal, host }: Acl): string | undefined {
  if (patternType === 'PREFIXED' && resourceName === everyName) {
    return 'PREFIXED * matches nothing; LITERAL * is every name.';
  }
  if (resourceType === 'TOPIC' && resourceName.includes('*') && resourceName !== everyName) {
    return `No topic has a name with a star; for all that begin alike make it PREFIXED without the star.`;
  }
  if (principal.endsWith('*') && principal !== 'User:*' && !isTrustDomain(principal)) {
    return 'A star in a principal stands for others only in User:* and User:spiffe://<trust domain>/*.';
  }
  if (host !== '*' && isIP(host) === 0) return 'The host must be an address or *; names are not resolved.';
  return undefined;
}

function isTrustDomain(principal: string): boolean {
  return /^User:spiffe:\/\/[^/]+\/\*$/.test(principal);
}
