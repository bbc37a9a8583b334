import { metadataBody } from '@weir/client';
import { matchInSlices, type UsablePattern } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { apis, errors, type ResponseOf } from '@weir/wire';
import type { HandlerClient } from '../../handler-client.ts';
import { kafkaProblem, unprocessable } from '../proxy-problems.ts';

type DescribedTopic = ResponseOf<typeof apis.Metadata>['topics'][number];

const metadataVersion = 12;

/**
 * The partition counts of topics. Those that do not exist are left out, after they are created if the cluster allows
 * it, as for Kafka's consumers. Topics that the client may not see are left out as well.
 */
export async function partitionCounts(
  client: HandlerClient,
  names: readonly string[],
): Promise<Map<string, number>> {
  const topics = names.length === 0 ? [] : await metadata(client, names);
  return new Map(
    topics
      .filter(({ errorCode }) => errorCode === 0)
      .map(({ name, partitions }) => [name ?? '', partitions.length]),
  );
}

/** Throws a problem if the client may not see one of the topics. */
export async function requireVisible(client: HandlerClient, names: readonly string[]): Promise<void> {
  const denied = (await metadata(client, names)).find(
    ({ errorCode }) => errorCode === errors.TOPIC_AUTHORIZATION_FAILED.code,
  );
  if (denied !== undefined) throw kafkaProblem(denied.name ?? '', denied.errorCode);
}

/** The names of all topics that match a pattern and that the client may see. */
export async function matchingTopics(
  client: HandlerClient,
  pattern: UsablePattern,
  clock: Clock,
): Promise<readonly string[]> {
  const topics = await metadata(client, 'all');
  const names = topics.flatMap(({ name, errorCode }) => (errorCode === 0 && name ? [name] : []));
  const found = await matchInSlices(pattern, names, (name) => name, clock);
  if (found === undefined)
    throw unprocessable('topic_pattern takes too long on all topics; use a simpler one.');
  return found.toSorted();
}

async function metadata(
  client: HandlerClient,
  names: readonly string[] | 'all',
): Promise<readonly DescribedTopic[]> {
  const body = metadataBody(names, { mayCreate: names !== 'all' });
  return (await client.call(apis.Metadata, metadataVersion, body)).topics;
}
