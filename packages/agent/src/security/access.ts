import {
  type AclResourceType,
  clusterResourceName,
  type NeededOperation,
  operationBits,
  operationsOfResource,
} from '@weir/core';
import { anonymous, type Principal } from './principal.ts';

/**
 * What the client of one request may do. Handlers ask it for everything that they touch, before they touch it; denials are
 * counted and logged by it, and by it alone.
 */
export interface Access {
  readonly principal: Principal;
  /** Whether the client may. A denial is logged. */
  may(operation: NeededOperation, resourceType: AclResourceType, name: string): boolean;
  /**
   * The same without a word in the log: for lists from which is left out what the client may not see, and for a right on the cluster that
   * makes the question about the resource itself needless. The one about the resource has to follow: while rules are only tried
   * out, it is the one that is told, and never says no.
   */
  mayQuietly(operation: NeededOperation, resourceType: AclResourceType, name: string): boolean;
  /** Whether there is any resource of the type on which the client may. Not logged: another question has to follow, as above. */
  mayOnSome(operation: NeededOperation, resourceType: AclResourceType): boolean;
  /** All operations on a resource that the client may carry out, one bit for each by its number. Not logged. */
  operationsOn(resourceType: AclResourceType, name: string): number;
  /** What somebody else may do, who acts through this client and so from its address. A superuser is none through somebody else. */
  as(principal: Principal): Access;
}

/** What an answer says of the operations when nobody asked for them. */
export const operationsNotAsked = -2147483648;

export function mayOnCluster(access: Access, operation: NeededOperation): boolean {
  return access.may(operation, 'CLUSTER', clusterResourceName);
}

/** For clusters without rules, where everybody may do everything. */
export function fullAccess(principal: Principal = anonymous): Access {
  return {
    principal,
    may: () => true,
    mayQuietly: () => true,
    mayOnSome: () => true,
    operationsOn: (resourceType) => operationBits(operationsOfResource[resourceType]),
    as: (other) => fullAccess({ ...other, isSuperuser: false }),
  };
}
