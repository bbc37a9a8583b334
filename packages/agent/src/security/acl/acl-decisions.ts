import type { AclDecision } from '@weir/cluster';
import { type AclResourceType, type NeededOperation, RecentlyUsed } from '@weir/core';
import { agentLimits } from '../../limits.ts';
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

/** Caches the decisions of ACLs until an ACL changes. */
export class AclDecisions {
  readonly #acls: FollowedAcls;
  readonly #remembered = new RecentlyUsed<boolean>(agentLimits.aclDecisionsMax);

  constructor(acls: FollowedAcls) {
    this.#acls = acls;
  }

  isAllowed(
    subject: AclSubject,
    operation: NeededOperation,
    resourceType: AclResourceType,
    resourceName: string,
  ): boolean {
    this.refresh();
    const decide = () => this.#decide(subject, operation, resourceType, resourceName).isAllowed;
    // Clients choose names, so the cache skips long ones to bound its memory.
    if (resourceName.length > agentLimits.aclDecisionNameCharsMax) return decide();
    return this.#remembered.of(`${operation} ${resourceType} ${resourceName}\n${subject.key}`, decide);
  }

  isAllowedOnSome(subject: AclSubject, operation: NeededOperation, resourceType: AclResourceType): boolean {
    this.refresh();
    const { principals, host, key } = subject;
    return this.#remembered.of(`${operation} some ${resourceType}\n${key}`, () =>
      this.#acls.index.allowsOnSome({ principals, host, operation, resourceType }),
    );
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
