import {
  type AclResourceType,
  clusterResourceName,
  type NeededOperation,
  operationBits,
  operationsOfResource,
} from '@weir/core';
import { anonymous, type Principal } from './principal.ts';

/**
 * Access rights of the client of one request. Handlers check each resource before they use it. Denials are counted and
 * logged here and nowhere else.
 */
export interface Access {
  readonly principal: Principal;
  /** Set if every check succeeds, so that callers may skip checks of many resources. */
  readonly isUnlimited?: true;
  /** Whether the client may perform the operation. A denial is logged. */
  may(operation: NeededOperation, resourceType: AclResourceType, name: string): boolean;
  /**
   * The same without a log entry: for lists that omit what the client may not see, and for a right on the cluster that
   * makes the check on the resource unnecessary. If the latter is denied, `may` on the resource must follow: in shadow
   * mode it is the check that is logged, and it never denies.
   */
  mayQuietly(operation: NeededOperation, resourceType: AclResourceType, name: string): boolean;
  /**
   * Whether there is any resource of the type on which the client may perform the operation. Not logged: `may` must
   * follow, as above.
   */
  mayOnSome(operation: NeededOperation, resourceType: AclResourceType): boolean;
  /** All operations that the client may perform on a resource, as a bit field by operation number. Not logged. */
  operationsOn(resourceType: AclResourceType, name: string): number;
  /**
   * Access rights of another principal that acts through this client and so from its address. An impersonated principal
   * is never treated as a superuser.
   */
  as(principal: Principal): Access;
}

/** Value of authorized operations in a response if the client did not request them. */
export const operationsNotRequested = -2147483648;

export function mayOnCluster(access: Access, operation: NeededOperation): boolean {
  return access.may(operation, 'CLUSTER', clusterResourceName);
}

/** For clusters without ACLs, where every client may do everything. */
export function fullAccess(principal: Principal = anonymous): Access {
  return {
    principal,
    isUnlimited: true,
    may: () => true,
    mayQuietly: () => true,
    mayOnSome: () => true,
    operationsOn: (resourceType) => operationBits(operationsOfResource[resourceType]),
    as: (other) => fullAccess({ ...other, isSuperuser: false }),
  };
}
