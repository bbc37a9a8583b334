import type { AclFilter } from '@weir/cluster';
import {
  type Acl,
  aclOperations,
  aclPatternTypes,
  aclPermissions,
  type KafkaResourceType,
  kafkaResourceTypes,
} from '@weir/core';
import type { Apis, RequestOf } from '@weir/wire';

/** Converts between the names of ACL enums and their protocol values. */

/** Protocol values of wildcards; only filters have them. */
const any = 1;
const match = 2;

function wordsOf<Word extends string>(numbers: Readonly<Record<Word, number>>): ReadonlyMap<number, Word> {
  return new Map(Object.entries<number>(numbers).map(([word, number]) => [number, word as Word]));
}

const resourceTypeOf = wordsOf(kafkaResourceTypes);
const patternTypeOf = wordsOf(aclPatternTypes);
const operationOf = wordsOf(aclOperations);
const permissionOf = wordsOf(aclPermissions);

const filteredResourceTypeOf = wordsOf({ ANY: any, ...kafkaResourceTypes });
const filteredPatternTypeOf = wordsOf({ ANY: any, MATCH: match, ...aclPatternTypes });
const filteredOperationOf = wordsOf({ ANY: any, ...aclOperations });
const filteredPermissionOf = wordsOf({ ANY: any, ...aclPermissions });

/** An ACL as in CreateAcls. */
interface NumberedAcl {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly resourcePatternType: number;
  readonly principal: string;
  readonly host: string;
  readonly operation: number;
  readonly permissionType: number;
}

/** A filter as in DescribeAcls and DeleteAcls. */
type NumberedFilter = RequestOf<Apis['DescribeAcls']>;

/** The problem with a protocol value that is unknown, or not valid in such a request. */
interface UnknownNumber {
  readonly message: string;
}

export function readAcl(numbered: NumberedAcl): Acl | UnknownNumber {
  const { resourceName, principal, host } = numbered;
  const resourceType = resourceTypeOf.get(numbered.resourceType);
  const patternType = patternTypeOf.get(numbered.resourcePatternType);
  const operation = operationOf.get(numbered.operation);
  const permission = permissionOf.get(numbered.permissionType);
  if (resourceType === undefined) return unknown('resource type', numbered.resourceType, resourceTypeOf);
  if (patternType === undefined) return unknown('pattern type', numbered.resourcePatternType, patternTypeOf);
  if (operation === undefined) return unknown('operation', numbered.operation, operationOf);
  if (permission === undefined) return unknown('permission', numbered.permissionType, permissionOf);
  return { resourceType, resourceName, patternType, principal, host, operation, permission };
}

export function readFilter(numbered: NumberedFilter): AclFilter | UnknownNumber {
  const resourceType = filteredResourceTypeOf.get(numbered.resourceTypeFilter);
  const patternType = filteredPatternTypeOf.get(numbered.patternTypeFilter);
  const operation = filteredOperationOf.get(numbered.operation);
  const permission = filteredPermissionOf.get(numbered.permissionType);
  if (resourceType === undefined) {
    return unknown('resource type', numbered.resourceTypeFilter, filteredResourceTypeOf);
  }
  if (patternType === undefined) {
    return unknown('pattern type', numbered.patternTypeFilter, filteredPatternTypeOf);
  }
  if (operation === undefined) return unknown('operation', numbered.operation, filteredOperationOf);
  if (permission === undefined) return unknown('permission', numbered.permissionType, filteredPermissionOf);
  return {
    resourceType,
    resourceName: numbered.resourceNameFilter,
    patternType,
    principal: numbered.principalFilter,
    host: numbered.hostFilter,
    operation,
    permission,
  };
}

export function isUnknown(read: Acl | AclFilter | UnknownNumber): read is UnknownNumber {
  return 'message' in read;
}

function unknown(what: string, number: number, words: ReadonlyMap<number, string>): UnknownNumber {
  const known = Array.from(words, ([number, word]) => `${number} ${word}`).join(', ');
  return { message: `Unsupported ${what} ${number}; supported: ${known}.` };
}

/** An ACL that the Kafka protocol can express. */
export type KafkaAcl = Acl & { readonly resourceType: KafkaResourceType };

/** Whether Kafka clients may see and delete an ACL. Those of the schema registry have no number. */
export function isKafkaAcl(acl: Acl): acl is KafkaAcl {
  return Object.hasOwn(kafkaResourceTypes, acl.resourceType);
}

/** The resource of an ACL, as protocol values. */
export function resourceNumbers({ resourceType, resourceName, patternType }: KafkaAcl) {
  return {
    resourceType: kafkaResourceTypes[resourceType],
    resourceName,
    patternType: aclPatternTypes[patternType],
  };
}

/** The entry of an ACL without its resource, as protocol values. */
export function entryNumbers({ principal, host, operation, permission }: Acl) {
  return {
    principal,
    host,
    operation: aclOperations[operation],
    permissionType: aclPermissions[permission],
  };
}
