import { type AclResourceType, type NeededOperation, operationBits, operationsOfResource } from '@weir/core';
import type { Access } from '../src/access.ts';
import { anonymous, type Principal } from '../src/principal.ts';

/** `WRITE TOPIC orders`: one permission of a client. */
export type Permit = `${NeededOperation} ${AclResourceType} ${string}`;

/** An access that permits what a test lists, and records denials that would be logged. */
export class ScriptedAccess implements Access {
  readonly principal: Principal;
  readonly #permits: ReadonlySet<string>;
  /** What `may` denied, in order. */
  readonly denied: string[] = [];
  readonly #others: ReadonlyMap<string, ScriptedAccess>;

  /** `others`: the accesses of users that the client may impersonate. All other users have no permissions. */
  constructor(
    permits: Iterable<Permit>,
    principal: Principal = anonymous,
    others: Iterable<ScriptedAccess> = [],
  ) {
    this.#permits = new Set<string>(permits);
    this.principal = principal;
    this.#others = new Map([...others].map((other) => [other.principal.name, other]));
  }

  may(operation: NeededOperation, resourceType: AclResourceType, name: string): boolean {
    if (this.mayQuietly(operation, resourceType, name)) return true;
    this.denied.push(`${operation} ${resourceType} ${name}`);
    return false;
  }

  mayQuietly(operation: NeededOperation, resourceType: AclResourceType, name: string): boolean {
    return this.#permits.has(`${operation} ${resourceType} ${name}`);
  }

  mayOnSome(operation: NeededOperation, resourceType: AclResourceType): boolean {
    return [...this.#permits].some((permit) => permit.startsWith(`${operation} ${resourceType} `));
  }

  operationsOn(resourceType: AclResourceType, name: string): number {
    return operationBits(
      operationsOfResource[resourceType].filter((operation) =>
        this.mayQuietly(operation, resourceType, name),
      ),
    );
  }

  as(principal: Principal): Access {
    return this.#others.get(principal.name) ?? new ScriptedAccess([], principal);
  }
}
