import type { AclDecision } from '@weir/cluster';
import { type AclResourceType, type NeededOperation, RecentlyUsed } from '@weir/core';
import { securityLimits } from '../limits.ts';
import type { Principal } from '../principal.ts';
import type { FollowedAcls } from './followed-acls.ts';

/** A principal at an address: the subject of ACLs. */
export interface AclSubject {
  readonly principals: readonly string[];
  readonly host: string;
  /** Cache key of the subject. */
  readonly key: string;
}

export function subjectOf({ name, aliases }: Principal, host: string): AclSubject {
  const principals = aliases.length === 0 ? [name] : [name, ...aliases];
  // JSON, because names from certificates and tokens may contain any character.
  return { principals, host, key: JSON.stringify([host, ...principals]) };
}

export interface RememberedDecision {
  readonly isAllowed: boolean;
  /** When it was last reported that it allowed something, on the monotonic clock. */
  reportedMs: number;
}

/** Caches the decisions of ACLs until an ACL changes. */
export class AclDecisions {
  readonly #acls: FollowedAcls;
  readonly #remembered = new RecentlyUsed<RememberedDecision>(securityLimits.aclDecisionsMax);

  constructor(acls: FollowedAcls) {
    this.#acls = acls;
  }

  of(
    subject: AclSubject,
    operation: NeededOperation,
    resourceType: AclResourceType,
    resourceName: string,
  ): RememberedDecision {
    this.refresh();
    const isAllowed = () => this.#decide(subject, operation, resourceType, resourceName).isAllowed;
    // Clients choose names, so the cache skips long ones to bound its memory. What is not cached would be reported
    // each time.
    if (resourceName.length > securityLimits.aclDecisionNameCharsMax) {
      return { isAllowed: isAllowed(), reportedMs: Number.POSITIVE_INFINITY };
    }
    const decide = () => remembered(isAllowed());
    return this.#remembered.of(`${operation} ${resourceType} ${resourceName}\n${subject.key}`, decide);
  }

  isAllowedOnSome(subject: AclSubject, operation: NeededOperation, resourceType: AclResourceType): boolean {
    this.refresh();
    const { principals, host, key } = subject;
    const decide = () =>
      remembered(this.#acls.index.allowsOnSome({ principals, host, operation, resourceType }));
    return this.#remembered.of(`${operation} some ${resourceType}\n${key}`, decide).isAllowed;
  }

  /** Returns the decision with its reason, without the cache. */
  explain(
    subject: AclSubject,
    operation: NeededOperation,
    resourceType: AclResourceType,
    resourceName: string,
  ): AclDecision {
    this.refresh();
    return this.#decide(subject, operation, resourceType, resourceName);
  }

  #decide(
    { principals, host }: AclSubject,
    operation: NeededOperation,
    resourceType: AclResourceType,
    resourceName: string,
  ): AclDecision {
    return this.#acls.index.decide({ principals, host, operation, resourceType, resourceName });
  }

  /** Drops cached decisions if the ACLs of the cluster have changed. */
  refresh(): void {
    if (this.#acls.refresh()) this.#remembered.forgetAll();
  }
}

function remembered(isAllowed: boolean): RememberedDecision {
  return { isAllowed, reportedMs: Number.NEGATIVE_INFINITY };
}
