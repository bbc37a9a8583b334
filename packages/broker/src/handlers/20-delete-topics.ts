import type { TopicReference } from '@weir/cluster';
import { clusterResourceName, internalTopicProblem, isInternalTopic } from '@weir/core';
import type { Access } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf, zeroUuid } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { repeatedOf } from '../requests/repeated.ts';

/**
 * DeleteTopics v1 to v6, with one call to the control plane for all topics.
 *
 * - Up to v5 by name; in v6 by name or by id, and both or neither is INVALID_REQUEST. A topic that appears twice is
 *   INVALID_REQUEST, answered once for each name and id. If the request has too many topics, all of them are
 *   INVALID_REQUEST.
 * - UNKNOWN_TOPIC_OR_PARTITION and UNKNOWN_TOPIC_ID; TOPIC_DELETION_DISABLED if the cluster or the topic forbids
 *   deletion.
 * - An internal topic is INVALID_TOPIC_EXCEPTION.
 * - The quota on mutations counts partitions. From v5 on, a topic above the quota is THROTTLING_QUOTA_EXCEEDED; before
 *   v5 it is deleted and the client is throttled.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 * - Requires DELETE on the topic or on the cluster (TOPIC_AUTHORIZATION_FAILED). Without DESCRIBE, the client does not
 *   learn whether a name exists, nor the name of an id. ACLs apply to names: an id that this agent does not know is
 *   UNKNOWN_TOPIC_ID, unless the client has DELETE on the cluster.
 *
 * Not implemented: `timeoutMs`.
 */
export const deleteTopicsHandler: HandlerOf<Apis['DeleteTopics']> = async (request, context) => {
  const { cluster, apiVersion } = context;
  const references = apiVersion >= 6 ? request.topics.map(asReference) : request.topicNames.map(byName);
  const tooMany = tooManyProblem(references.length);
  if (tooMany !== undefined) {
    const { code: errorCode } = errors.INVALID_REQUEST;
    const responses = references.map(({ name = null, topicId = zeroUuid }) => {
      return { name, topicId, errorCode, errorMessage: tooMany };
    });
    return { throttleTimeMs: 0, responses };
  }
  const rights = new Rights(context.access);
  const refusals = references.map((topic) =>
    isWellFormed(topic) ? refusalOf(topic, rights, cluster) : undefined,
  );
  // Only a client that may delete both may learn that a name and an id are the same topic.
  const keys = references.map((topic, index) =>
    refusals[index] === undefined ? keyOf(topic, cluster) : (topic.topicId ?? `name ${topic.name}`),
  );
  const repeated = repeatedOf(keys.filter((_, index) => isWellFormed(references[index]!)));
  const ids = references.map(({ name = '', topicId }) => topicId ?? cluster.topicByName(name)?.topicId);
  // Read before the deletion, because the response for an id contains the name of the topic.
  const names = new Map(references.map(({ topicId }) => [topicId, describedName(topicId)]));
  const mutations = context.quotas.mutations(apiVersion >= refusalFromVersion);
  const refusedByQuota = new Set<TopicReference>();
  const wellFormedKeys: string[] = [];
  const wellFormed = references.filter((topic, index) => {
    if (!isWellFormed(topic) || repeated.has(keys[index]!) || refusals[index] !== undefined) return false;
    if (!isWithinQuota(topic, index)) return false;
    wellFormedKeys.push(keys[index]!);
    return true;
  });
  function isWithinQuota(topic: TopicReference, index: number): boolean {
    const known = cluster.topicById(keys[index]!);
    if (known === undefined || mutations.take(known.partitionCount)) return true;
    refusedByQuota.add(topic);
    return false;
  }
  const results = wellFormed.length === 0 ? [] : await ifAvailable(cluster.port.deleteTopics(wellFormed));
  const deleted = wellFormedKeys.filter((_, index) => results?.[index]?.error === 'NONE');
  await waitForView(context, () => deleted.every((topicId) => cluster.topicById(topicId) === undefined));
  let next = 0;
  const refusedTwice = new Set<string>();
  return {
    throttleTimeMs: mutations.throttleMs(),
    responses: references.flatMap((topic, index) => {
      const { name = null, topicId = zeroUuid } = topic;
      const entry = { name, topicId };
      if (!isWellFormed(topic)) return refused(entry, 'specify either the name or the id of a topic');
      if (repeated.has(keys[index]!)) {
        const asked = topic.topicId ?? `name ${name}`;
        if (refusedTwice.has(asked)) return [];
        refusedTwice.add(asked);
        return refused(entry, 'duplicate topic in the request');
      }
      const refusal = refusals[index];
      if (refusal === 'INVALID_TOPIC_EXCEPTION') return answered(entry, refusal, internalProblem(topic));
      if (refusal !== undefined) return answered(entry, refusal, errors[refusal].message);
      if (refusedByQuota.has(topic)) {
        const error = 'THROTTLING_QUOTA_EXCEEDED';
        return answered(entry, error, errors[error].message);
      }
      const result = results?.[next++];
      if (result === undefined) return answered(entry, 'NOT_CONTROLLER', errors.NOT_CONTROLLER.message);
      // A client that may delete a topic may know its id.
      const deletedId = result.error === 'NONE' ? ids[index] : undefined;
      return answered({ name, topicId: deletedId ?? topicId }, result.error, result.message);
    }),
  };

  function internalProblem({ name, topicId }: TopicReference): string {
    return internalTopicProblem(name ?? names.get(topicId) ?? 'that was named');
  }

  function describedName(topicId = ''): string | undefined {
    const name = cluster.topicById(topicId)?.name;
    return name !== undefined && rights.mayDescribeQuietly(name) ? name : undefined;
  }

  function answered(
    entry: { name: string | null; topicId: string },
    error: ErrorName,
    message: string | null,
  ) {
    const name = entry.name ?? names.get(entry.topicId) ?? null;
    return { ...entry, name, errorCode: errors[error].code, errorMessage: message };
  }

  function refused(entry: { name: string | null; topicId: string }, message: string) {
    return answered(entry, 'INVALID_REQUEST', message);
  }
};

/** The first version whose clients understand THROTTLING_QUOTA_EXCEEDED. */
const refusalFromVersion = 5;

type RequestedTopic = RequestOf<Apis['DeleteTopics']>['topics'][number];

function asReference({ name, topicId }: RequestedTopic): TopicReference {
  return { ...(name === null ? {} : { name }), ...(topicId === zeroUuid ? {} : { topicId }) };
}

function byName(name: string): TopicReference {
  return { name };
}

/** Access checks of one request. DELETE on the cluster makes the checks on each topic unnecessary. */
class Rights {
  readonly #access: Access;
  readonly isForAll: boolean;

  constructor(access: Access) {
    this.#access = access;
    this.isForAll = access.mayQuietly('DELETE', 'CLUSTER', clusterResourceName);
  }

  mayDelete(name: string): boolean {
    return this.isForAll || this.#access.may('DELETE', 'TOPIC', name);
  }

  mayDescribe(name: string): boolean {
    return this.isForAll || this.#access.may('DESCRIBE', 'TOPIC', name);
  }

  mayDescribeQuietly(name: string): boolean {
    return this.isForAll || this.#access.mayQuietly('DESCRIBE', 'TOPIC', name);
  }
}

/**
 * Returns the error of a topic that is refused without a call to the control plane; `undefined` if the control plane
 * decides.
 */
function refusalOf(
  { name, topicId }: TopicReference,
  rights: Rights,
  cluster: ClusterView,
): ErrorName | undefined {
  const denied = 'TOPIC_AUTHORIZATION_FAILED';
  if (name !== undefined) {
    if (!rights.mayDescribe(name)) return denied;
    if (rights.mayDelete(name)) return internalRefusal(name);
    return cluster.topicByName(name) === undefined ? 'UNKNOWN_TOPIC_OR_PARTITION' : denied;
  }
  const known = cluster.topicById(topicId ?? '');
  if (known === undefined) return rights.isForAll ? undefined : 'UNKNOWN_TOPIC_ID';
  return rights.mayDelete(known.name) ? internalRefusal(known.name) : denied;
}

function internalRefusal(name: string): ErrorName | undefined {
  return isInternalTopic(name) ? 'INVALID_TOPIC_EXCEPTION' : undefined;
}

function isWellFormed({ name, topicId }: TopicReference): boolean {
  return (name === undefined) !== (topicId === undefined);
}

/** Returns the same key for a name and an id of one topic. */
function keyOf({ name, topicId }: TopicReference, cluster: ClusterView): string {
  if (topicId !== undefined) return topicId;
  return cluster.topicByName(name ?? '')?.topicId ?? `name ${name}`;
}
