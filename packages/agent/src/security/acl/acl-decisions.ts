import type { AclDecision } from '@weir/cluster';
import { type AclResourceType, type NeededOperation, RecentlyUsed } from '@weir/core';
import { agentLimits } from '../../limits.ts';
import type { Principal } from '../principal.ts';
import type { FollowedAcls } from './followed-acls.ts';

/** Somebody at an address: whom rules are about. */
export interface AclSubject {
  readonly principals: readonly string[];
  readonly host: string;
  /** The same as text, to remember decisions by. */
  readonly key: string;
}

export function subjectOf({ name, aliases }: Principal, host: string): AclSubject {
  const principals = aliases.length === 0 ? [name] : [name, ...aliases];
  // As JSON, because names may hold whatever somebody put into a certificate or a token.
  return { principals, host, key: JSON.stringify([host, ...principals]) };
}

/** What rules say, remembered until a rule changes. */
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
    // Names are a client's choice, and there are as many as it likes.
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

  /** The decision with its reason, worked out anew. */
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

  /** Forgets what was decided by rules that are no longer those of the cluster. */
  refresh(): void {
    if (this.#acls.refresh()) this.#remembered.forgetAll();
  }
}
