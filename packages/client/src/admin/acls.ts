import {
  type Acl,
  type AclOperation,
  type AclPatternType,
  type AclPermission,
  aclOperations,
  aclPatternTypes,
  aclPermissions,
  Failure,
  type KafkaResourceType,
  kafkaResourceTypes,
} from '@weir/core';
import { apis, errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { ConnectionFailed } from '../connection-failed.ts';
import { KafkaRequestFailed } from '../request-failed.ts';

/** A filter for ACLs. A missing field matches any value. */
export interface AclFilter {
  readonly resourceType?: KafkaResourceType | undefined;
  readonly resourceName?: string | undefined;
  /** `MATCH` is every pattern that applies to a resource of this name. */
  readonly patternType?: AclPatternType | 'MATCH' | undefined;
  readonly principal?: string | undefined;
  readonly host?: string | undefined;
  readonly operation?: AclOperation | undefined;
  readonly permission?: AclPermission | undefined;
}

/** An ACL that the Kafka protocol can express. */
export type KafkaAcl = Acl & { readonly resourceType: KafkaResourceType };

/** An ACL as a broker returns it. Its values may be newer than this client: `UNKNOWN (17)`. */
export type AclResponse = { readonly [Field in keyof Acl]: string };

const anyNumber = 1;
const patternNumbers = { ...aclPatternTypes, MATCH: 2 } as const;

/** Creates ACLs, and returns for each the failure or `undefined`. An ACL that exists already counts as created. */
export function createAcls(
  cluster: KafkaCluster,
  acls: readonly KafkaAcl[],
): Promise<readonly (Failure | undefined)[]> {
  return cluster.retrying(async () => {
    const controller = await cluster.controller();
    const { results } = await controller.request(
      apis.CreateAcls,
      {
        creations: acls.map((acl) => ({
          resourceType: kafkaResourceTypes[acl.resourceType],
          resourceName: acl.resourceName,
          resourcePatternType: aclPatternTypes[acl.patternType],
          principal: acl.principal,
          host: acl.host,
          operation: aclOperations[acl.operation],
          permissionType: aclPermissions[acl.permission],
        })),
      },
      { timeoutMs: cluster.timeoutMs },
    );
    const failures = acls.map((acl, index) => {
      const { errorCode, errorMessage } = results[index] ?? {
        errorCode: errors.UNKNOWN_SERVER_ERROR.code,
        errorMessage: null,
      };
      if (errorCode === errors.NONE.code) return undefined;
      return new KafkaRequestFailed(aclInWords(acl), errorCode, errorMessage);
    });
    const passing = failures.find((failure) => failure?.retriable);
    if (passing !== undefined) throw passing;
    return failures;
  });
}

export function describeAcls(cluster: KafkaCluster, filter: AclFilter): Promise<readonly AclResponse[]> {
  return cluster.retrying(async () => {
    const connection = await cluster.bootstrap();
    const answer = await connection.request(apis.DescribeAcls, filterOnTheWire(filter), {
      timeoutMs: cluster.timeoutMs,
    });
    if (answer.errorCode !== errors.NONE.code) {
      throw new KafkaRequestFailed('ACLs', answer.errorCode, answer.errorMessage);
    }
    return answer.resources.flatMap(({ acls, ...resource }) =>
      acls.map((acl) => toResponse({ ...resource, ...acl })),
    );
  });
}

export interface DeletedAcls {
  readonly deleted: readonly AclResponse[];
  /** Errors of a filter, or of an ACL that it matched. */
  readonly failures: readonly Failure[];
}

/** Deletes the ACLs that match any of the filters, and returns them. */
export function deleteAcls(cluster: KafkaCluster, filters: readonly AclFilter[]): Promise<DeletedAcls> {
  return cluster.retrying(async () => {
    const controller = await cluster.controller();
    const { filterResults } = await onlyOnce(() =>
      controller.request(
        apis.DeleteAcls,
        { filters: filters.map(filterOnTheWire) },
        { timeoutMs: cluster.timeoutMs },
      ),
    );
    const failures: KafkaRequestFailed[] = [];
    const deleted: AclResponse[] = [];
    for (const { errorCode, errorMessage, matchingAcls } of filterResults) {
      if (errorCode !== errors.NONE.code) {
        failures.push(new KafkaRequestFailed('ACLs', errorCode, errorMessage));
      }
      for (const match of matchingAcls) {
        if (match.errorCode === errors.NONE.code) deleted.push(toResponse(match));
        else
          failures.push(
            new KafkaRequestFailed(aclInWords(toResponse(match)), match.errorCode, match.errorMessage),
          );
      }
    }
    // A retry would not return the ACLs that this attempt has deleted.
    const [passing] = failures.filter(({ retriable }) => retriable);
    if (passing !== undefined && deleted.length === 0) throw passing;
    return { deleted, failures };
  });
}

/** Does not retry after a lost connection, because it is not known what was deleted. */
async function onlyOnce<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ConnectionFailed)) throw error;
    throw new Failure(`${error.message}; ACLs may have been deleted: check with weir cli describe-acls`);
  }
}

function filterOnTheWire(filter: AclFilter) {
  const { resourceType, patternType, operation, permission } = filter;
  return {
    resourceTypeFilter: resourceType === undefined ? anyNumber : kafkaResourceTypes[resourceType],
    resourceNameFilter: filter.resourceName ?? null,
    patternTypeFilter: patternType === undefined ? anyNumber : patternNumbers[patternType],
    principalFilter: filter.principal ?? null,
    hostFilter: filter.host ?? null,
    operation: operation === undefined ? anyNumber : aclOperations[operation],
    permissionType: permission === undefined ? anyNumber : aclPermissions[permission],
  };
}

interface AclOnTheWire {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly patternType: number;
  readonly principal: string;
  readonly host: string;
  readonly operation: number;
  readonly permissionType: number;
}

function toResponse(acl: AclOnTheWire): AclResponse {
  return {
    resourceType: wordOf(kafkaResourceTypes, acl.resourceType),
    resourceName: acl.resourceName,
    patternType: wordOf(aclPatternTypes, acl.patternType),
    principal: acl.principal,
    host: acl.host,
    operation: wordOf(aclOperations, acl.operation),
    permission: wordOf(aclPermissions, acl.permissionType),
  };
}

function wordOf(numbers: Readonly<Record<string, number>>, wanted: number): string {
  return Object.keys(numbers).find((word) => numbers[word] === wanted) ?? `UNKNOWN (${wanted})`;
}

/** `ALLOW User:alice to READ TOPIC orders`. */
function aclInWords({ permission, principal, operation, resourceType, resourceName }: AclResponse): string {
  return `${permission} ${principal} to ${operation} ${resourceType} ${resourceName}`;
}
