import type { TopicResult } from '@weir/cluster';
import { coreLimits, internalTopicProblem, isInternalTopic } from '@weir/core';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { repeatedOf } from '../requests/repeated.ts';

/**
 * CreatePartitions v0 to v3, with one call to the control plane for all topics.
 *
 * - The count is the new total; it must be above the current one (INVALID_PARTITIONS).
 * - There must be one assignment per new partition (INVALID_REPLICA_ASSIGNMENT); broker ids are ignored.
 * - A topic named twice is INVALID_REQUEST, answered once. An internal topic is INVALID_TOPIC_EXCEPTION.
 * - If the request has too many topics, all of them are INVALID_REQUEST.
 * - The quota on mutations counts new partitions. In v3 a topic above the quota is THROTTLING_QUOTA_EXCEEDED; before v3
 *   its partitions are created and the client is throttled.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 * - Requires ALTER on the topic (TOPIC_AUTHORIZATION_FAILED, whether the topic exists or not).
 *
 * Not implemented: `timeoutMs`.
 */
export const createPartitionsHandler: HandlerOf<Apis['CreatePartitions']> = async (request, context) => {
  const { cluster } = context;
  const { validateOnly } = request;
  const requested = [...new Map(request.topics.map((topic) => [topic.name, topic])).values()];
  const tooMany = tooManyProblem(request.topics.length);
  if (tooMany !== undefined) {
    const { code: errorCode } = errors.INVALID_REQUEST;
    return {
      throttleTimeMs: 0,
      results: requested.map(({ name }) => ({ name, errorCode, errorMessage: tooMany })),
    };
  }
  const repeated = repeatedOf(request.topics.map(({ name }) => name));
  const mutations = context.quotas.mutations(context.apiVersion >= refusalFromVersion);
  const problems = requested.map((topic) => problemOf(topic, context, repeated) ?? quotaProblemOf(topic));
  const toCreate = requested
    .filter((_, index) => problems[index] === undefined)
    .map(({ name, count }) => ({ name, partitionCount: count }));
  const results =
    toCreate.length === 0 ? [] : await ifAvailable(cluster.port.createPartitions(toCreate, { validateOnly }));
  if (!validateOnly) await waitForView(context, () => (results ?? []).every(isVisible));
  let next = 0;
  return {
    throttleTimeMs: mutations.throttleMs(),
    results: requested.map(({ name }, index) => {
      const { error, message } = problems[index] ??
        results?.[next++] ?? { error: 'NOT_CONTROLLER' as const, message: errors.NOT_CONTROLLER.message };
      return { name, errorCode: errors[error].code, errorMessage: message };
    }),
  };

  function quotaProblemOf({ name, count }: RequestedTopic): Problem | undefined {
    const added = count - (cluster.topicByName(name)?.partitionCount ?? count);
    if (validateOnly || added <= 0 || mutations.take(added)) return undefined;
    const error = 'THROTTLING_QUOTA_EXCEEDED';
    return { error, message: errors[error].message };
  }

  function isVisible({ topic }: TopicResult): boolean {
    const known = topic === undefined ? undefined : cluster.topicById(topic.topicId);
    return topic === undefined || (known !== undefined && known.partitionCount >= topic.partitionCount);
  }
};

/** The first version whose clients understand THROTTLING_QUOTA_EXCEEDED. */
const refusalFromVersion = 3;

type RequestedTopic = RequestOf<Apis['CreatePartitions']>['topics'][number];

interface Problem {
  readonly error: ErrorName;
  readonly message: string;
}

function problemOf(
  { name, count, assignments }: RequestedTopic,
  { access, cluster }: RequestContext,
  repeated: ReadonlySet<string>,
): Problem | undefined {
  if (repeated.has(name)) {
    return { error: 'INVALID_REQUEST', message: 'duplicate topic in the request' };
  }
  if (!access.may('ALTER', 'TOPIC', name)) {
    const error = 'TOPIC_AUTHORIZATION_FAILED';
    return { error, message: errors[error].message };
  }
  if (isInternalTopic(name)) return { error: 'INVALID_TOPIC_EXCEPTION', message: internalTopicProblem(name) };
  const present = cluster.topicByName(name)?.partitionCount;
  if (present === undefined && count < 1) {
    const error = 'UNKNOWN_TOPIC_OR_PARTITION';
    return { error, message: errors[error].message };
  }
  if (count < 1 || count > coreLimits.partitionsPerTopicMax) {
    const message = `partition count must be between 1 and ${coreLimits.partitionsPerTopicMax}`;
    return { error: 'INVALID_PARTITIONS', message };
  }
  const added = present === undefined ? undefined : count - present;
  if (assignments !== null && added !== undefined && added > 0 && assignments.length !== added) {
    const message = `${assignments.length} assignments given for ${added} new partitions`;
    return { error: 'INVALID_REPLICA_ASSIGNMENT', message };
  }
  return undefined;
}
