import type { NeededOperation } from '@weir/core';
import type { ErrorName } from '@weir/wire';
import type { RequestContext } from '../requests/handler.ts';

/** Why a client may not use a topic; `undefined` if it may. */
export type TopicRefusals = (topic: string) => ErrorName | undefined;

/**
 * For requests that name topics by id. ACLs know names only, so an id without a topic here is UNKNOWN_TOPIC_ID for all
 * clients. Ids are not secret: one that exists and is not permitted is TOPIC_AUTHORIZATION_FAILED.
 *
 * Permissions are checked once for each topic, for any number of its partitions.
 */
export function refusalsById(
  { access, cluster }: Pick<RequestContext, 'access' | 'cluster'>,
  operation: NeededOperation,
): TopicRefusals {
  return onceForEach((topicId) => {
    const name = cluster.topicById(topicId)?.name;
    if (name === undefined) return 'UNKNOWN_TOPIC_ID';
    return access.may(operation, 'TOPIC', name) ? undefined : 'TOPIC_AUTHORIZATION_FAILED';
  });
}

/** The same for names. The result does not depend on whether the topic exists, so that a refusal does not reveal it. */
export function refusalsByName(
  { access }: Pick<RequestContext, 'access'>,
  operation: NeededOperation,
): TopicRefusals {
  return onceForEach((name) =>
    access.may(operation, 'TOPIC', name) ? undefined : 'TOPIC_AUTHORIZATION_FAILED',
  );
}

function onceForEach(ask: TopicRefusals): TopicRefusals {
  const known = new Map<string, ErrorName | undefined>();
  return (topic) => {
    if (known.has(topic)) return known.get(topic);
    const refusal = ask(topic);
    known.set(topic, refusal);
    return refusal;
  };
}
