import { type AclFilter, aclKey, type DeletedAcls, readAcls } from '@weir/cluster';
import { type Acl, type KafkaResourceType, kafkaResourceTypes } from '@weir/core';
import {
  entryNumbers,
  isKafkaAcl,
  isUnknown,
  mayOnCluster,
  readFilter,
  resourceNumbers,
} from '@weir/security';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { inCalls } from '../cluster-calls/acl-calls.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import { brokerLimits } from '../limits.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * DeleteAcls v1 to v3: returns the deleted ACLs per filter. When the response is sent, this agent no longer applies
 * them; other agents stop when they receive the change. ACLs of the schema registry are not deleted.
 *
 * - INVALID_REQUEST for an unknown enum value, filters beyond 10,000 in one request, too many filters with open fields,
 *   and a filter that matches more ACLs than one request may delete. Such a filter deletes nothing.
 * - Requires ALTER on the cluster (CLUSTER_AUTHORIZATION_FAILED).
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 */
export const deleteAclsHandler: HandlerOf<Apis['DeleteAcls']> = async ({ filters: requested }, context) => {
  const { access, cluster } = context;
  if (!mayOnCluster(access, 'ALTER')) {
    return {
      throttleTimeMs: 0,
      filterResults: requested.map(() => resultOf('CLUSTER_AUTHORIZATION_FAILED')),
    };
  }
  const read = requested.map((filter, index) =>
    index < brokerLimits.aclsPerRequestMax ? readFilter(filter) : tooMany,
  );
  const { byKey } = cluster.records('acl');
  const filters = read.filter((one): one is AclFilter => !isUnknown(one));
  const kafkaFilters = filters.map((filter) => withoutRegistry(filter, byKey.keys()));
  const partial = await inCalls(kafkaFilters.flat(), (some) => cluster.port.deleteAcls(some));
  let nextPart = 0;
  const answers = kafkaFilters.map((parts) => joined(parts.map(() => partial[nextPart++])));
  const gone = answers.flatMap((answer) => answer?.deleted ?? []).map(aclKey);
  await waitForView(context, () => !gone.some((key) => byKey.has(key)));
  let next = 0;
  return {
    throttleTimeMs: 0,
    filterResults: read.map((one) => {
      if (isUnknown(one)) return resultOf('INVALID_REQUEST', one.message);
      const answer = answers[next++];
      if (answer === undefined) return resultOf('NOT_CONTROLLER');
      return resultOf(answer.error, answer.message, answer.deleted);
    }),
  };
};

/**
 * A filter for any type must not delete ACLs of the schema registry, which the response could not contain. Such ACLs
 * are rare, so a filter is split by type only if there are some.
 */
function withoutRegistry(filter: AclFilter, keys: Iterable<string>): AclFilter[] {
  if (filter.resourceType !== 'ANY') return [filter];
  const hasRegistryAcls = readAcls(keys).some((acl) => !isKafkaAcl(acl));
  return hasRegistryAcls ? kafkaTypes.map((resourceType) => ({ ...filter, resourceType })) : [filter];
}

const kafkaTypes = Object.keys(kafkaResourceTypes) as KafkaResourceType[];

/** The answer to a filter that was split; the first failure counts. */
function joined(answers: readonly (DeletedAcls | undefined)[]): DeletedAcls | undefined {
  if (answers.includes(undefined)) return undefined;
  const given = answers as readonly DeletedAcls[];
  const deleted = given.flatMap((answer) => answer.deleted);
  return { ...(given.find(({ error }) => error !== 'NONE') ?? given[0]!), deleted };
}

const tooMany = {
  message: `Too many filters in one request; the limit is ${brokerLimits.aclsPerRequestMax}.`,
};

function resultOf(
  error: ErrorName,
  message: string | null = errors[error].message,
  deleted: readonly Acl[] = [],
) {
  return {
    errorCode: errors[error].code,
    errorMessage: error === 'NONE' ? null : message,
    matchingAcls: deleted.filter(isKafkaAcl).map((acl) => ({
      errorCode: errors.NONE.code,
      errorMessage: null,
      ...resourceNumbers(acl),
      ...entryNumbers(acl),
    })),
  };
}
