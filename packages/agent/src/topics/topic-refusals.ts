import type { NeededOperation } from '@weir/core';
import type { ErrorName } from '@weir/wire';
import type { RequestContext } from '../requests/handler.ts';

/** Why a client may not do something with a topic; `undefined` when it may. */
export type TopicRefusals = (topic: string) => ErrorName | undefined;

/**
 * For requests that name topics by their ids. Rules know names only, so that an id which has none here is UNKNOWN_TOPIC_ID for
 * everybody and goes no further. Ids are no secret: one that is known and not permitted is TOPIC_AUTHORIZATION_FAILED.
 *
 * The rules are asked once for each topic, however many partitions of it there are.
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

/** The same for names. Whether there is such a topic makes no difference, so that nobody learns it from being refused. */
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
