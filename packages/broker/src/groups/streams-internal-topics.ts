import type { TopicToCreate } from '@weir/cluster';
import { clusterResourceName } from '@weir/core';
import { errors } from '@weir/wire';
import { callInParts } from '../cluster-calls/call-in-parts.ts';
import type { RequestContext } from '../requests/handler.ts';

const namesShownMax = 3;

/**
 * Creates the missing internal topics of a streams application for its member. Returns what went wrong, `undefined` if
 * nothing did: members of one group heartbeat at once, so that a topic may exist by now.
 */
export async function creationFailure(
  topics: readonly TopicToCreate[],
  { access, cluster, clock }: RequestContext,
): Promise<string | undefined> {
  if (topics.length === 0) return undefined;
  if (!access.mayQuietly('CREATE', 'CLUSTER', clusterResourceName)) {
    const denied = topics.filter(({ name }) => !access.may('CREATE', 'TOPIC', name));
    if (denied.length > 0)
      return `Unauthorized to CREATE on topics ${summary(denied.map(({ name }) => name))}.`;
  }
  const results = await callInParts(topics, {
    clock,
    costOf: ({ configs }) => 1 + Object.keys(configs).length,
    call: (part) => cluster.port.createTopics(part, { validateOnly: false }),
  });
  const failures = topics.flatMap(({ name }, index) => {
    const result = results[index];
    if (result?.error === 'NONE' || result?.error === 'TOPIC_ALREADY_EXISTS') return [];
    return `${name} (${result?.message ?? errors.NOT_CONTROLLER.message})`;
  });
  return failures.length === 0 ? undefined : `Creation failed: ${summary(failures)}`;
}

function summary(names: readonly string[]): string {
  const more = names.length - namesShownMax;
  const shown = names.slice(0, namesShownMax).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
