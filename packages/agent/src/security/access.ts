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
  /** The same without a word in the log: for lists from which is left out what the client may not see. */
  mayQuietly(operation: NeededOperation, resourceType: AclResourceType, name: string): boolean;
  /** Whether there is any resource of the type on which the client may. */
  mayOnSome(operation: NeededOperation, resourceType: AclResourceType): boolean;
  /** All operations on a resource that the client may carry out, one bit for each by its number. Not logged. */
  operationsOn(resourceType: AclResourceType, name: string): number;
}

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
  };
}
