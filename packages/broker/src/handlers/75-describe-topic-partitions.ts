import type { TopicDescription } from '@weir/cluster';
import { isInternalTopic } from '@weir/core';
import { type Apis, type ErrorName, errors, type ResponseOf, zeroUuid } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { brokerLimits } from '../limits.ts';
import { describedPartitions, type PlacementOf } from '../placement/described-agents.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { Turns } from '../requests/turns.ts';
import { isTopicName } from '../topics/topic-name.ts';

/**
 * DescribeTopicPartitions v0: topics with their partitions, in pages ordered by name.
 *
 * - An empty list requests all topics. A page has at most as many partitions as the client requests and
 *   `brokerLimits.describedPartitionsMax`; the cursor is the first partition of the page.
 * - A cursor whose topic was deleted continues with the next name. With a partition below 0, or a topic that is none of
 *   those that the request names, it is INVALID_REQUEST for each of these.
 * - Internal topics are listed only if named, and flagged as internal.
 * - INVALID_TOPIC_EXCEPTION, UNKNOWN_TOPIC_OR_PARTITION per topic. Topics are not created.
 * - Requires DESCRIBE on the topic (TOPIC_AUTHORIZATION_FAILED, whether the topic exists or not). A request for all
 *   topics omits topics that the client may not DESCRIBE, and no cursor names one.
 */
export function describeTopicPartitionsHandler(
  placementOf: PlacementOf,
): HandlerOf<Apis['DescribeTopicPartitions']> {
  return async (request, context) => {
    const { access, cluster } = context;
    const turns = new Turns(context.clock);
    const { cursor } = request;
    const asksForAll = request.topics.length === 0;
    const isElsewhere = !asksForAll && request.topics.every(({ name }) => name !== cursor?.topicName);
    if (cursor !== null && (cursor.partitionIndex < 0 || isElsewhere)) {
      const refused = request.topics.map(({ name }) => failed(name, 'INVALID_REQUEST'));
      return page(refused, null);
    }
    const placement = placementOf(context);
    const limit = Math.min(Math.max(request.responsePartitionLimit, 1), brokerLimits.describedPartitionsMax);
    const topics: Entry[] = [];
    let left = limit;
    for (const name of namesFrom(cluster, request.topics, cursor?.topicName)) {
      const turn = turns.next();
      if (turn !== undefined) await turn;
      if (asksForAll && (isInternalTopic(name) || !access.mayQuietly('DESCRIBE', 'TOPIC', name))) continue;
      if (left === 0) return page(topics, { topicName: name, partitionIndex: 0 });
      if (!asksForAll && !access.may('DESCRIBE', 'TOPIC', name)) {
        topics.push(failed(name, 'TOPIC_AUTHORIZATION_FAILED'));
        continue;
      }
      const topic = cluster.topicByName(name);
      if (topic === undefined) {
        topics.push(unknown(name, context));
        continue;
      }
      const first = cursor?.topicName === name ? cursor.partitionIndex : 0;
      const partitions = describedPartitions(topic, placement, { first, countMax: left }).map(
        // The Java admin client expects a list here and fails on null.
        (partition) => ({ ...partition, eligibleLeaderReplicas: [], lastKnownElr: [] }),
      );
      topics.push(entryOf(topic, partitions, context));
      left -= partitions.length;
      const next = first + partitions.length;
      if (next < topic.partitionCount) return page(topics, { topicName: name, partitionIndex: next });
    }
    return page(topics, null);
  };
}

type Response = ResponseOf<Apis['DescribeTopicPartitions']>;
type Entry = Response['topics'][number];

function namesFrom(
  cluster: ClusterView,
  requested: readonly { readonly name: string }[],
  from: string | undefined,
): string[] {
  const names =
    requested.length === 0
      ? Array.from(cluster.topics(), ({ name }) => name)
      : requested.map(({ name }) => name);
  return [...new Set(names)].filter((name) => from === undefined || name >= from).sort();
}

function entryOf(
  topic: TopicDescription,
  partitions: Entry['partitions'],
  { access }: RequestContext,
): Entry {
  return {
    errorCode: errors.NONE.code,
    name: topic.name,
    topicId: topic.topicId,
    isInternal: isInternalTopic(topic.name),
    partitions,
    topicAuthorizedOperations: access.operationsOn('TOPIC', topic.name),
  };
}

/** The operations are those that the client might use if the topic existed. */
function unknown(name: string, { access }: RequestContext): Entry {
  const entry = failed(name, isTopicName(name) ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'INVALID_TOPIC_EXCEPTION');
  return { ...entry, topicAuthorizedOperations: access.operationsOn('TOPIC', name) };
}

function failed(name: string, error: ErrorName): Entry {
  return { errorCode: errors[error].code, name, topicId: zeroUuid, partitions: [] };
}

function page(topics: readonly Entry[], nextCursor: (Response['nextCursor'] & object) | null): Response {
  return { throttleTimeMs: 0, topics, nextCursor };
}
