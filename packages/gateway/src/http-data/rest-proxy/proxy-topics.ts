import { metadataBody } from '@weir/client';
import { apis, type ResponseOf } from '@weir/wire';
import type { HandlerClient } from '../handler-client.ts';
import { kafkaProblem, partitionMissing } from './proxy-problems.ts';

type DescribedTopic = ResponseOf<typeof apis.Metadata>['topics'][number];
type DescribedPartition = DescribedTopic['partitions'][number];

const metadataVersion = 12;
const configsVersion = 4;
const topicResource = 2;
const partitionText = /^\d{1,10}$/;

/** Throws a problem if there is no such topic, or the caller may not see it. */
export async function describeTopic(client: HandlerClient, topic: string): Promise<DescribedTopic> {
  const [described] = (await metadata(client, [topic])).topics;
  if (described === undefined || described.errorCode !== 0)
    throw kafkaProblem(topic, described?.errorCode ?? -1);
  return described;
}

/** `GET /brokers` */
export async function listBrokers(client: HandlerClient): Promise<string> {
  const { brokers } = await metadata(client, []);
  return JSON.stringify({ brokers: brokers.map(({ nodeId }) => nodeId).toSorted((a, b) => a - b) });
}

/** `GET /topics`: the names of all topics that the caller may see. */
export async function listTopics(client: HandlerClient): Promise<string> {
  const { topics } = await metadata(client, 'all');
  return JSON.stringify(topics.filter(({ errorCode }) => errorCode === 0).map(({ name }) => name));
}

/** `GET /topics/{topic}` */
export async function topicAnswer(client: HandlerClient, topic: string): Promise<string> {
  const { partitions } = await describeTopic(client, topic);
  const configs = await configsOf(client, topic);
  return JSON.stringify({ name: topic, configs, partitions: inOrder(partitions).map(partitionAnswerOf) });
}

/** `GET /topics/{topic}/partitions` */
export async function partitionsAnswer(client: HandlerClient, topic: string): Promise<string> {
  const { partitions } = await describeTopic(client, topic);
  return JSON.stringify(inOrder(partitions).map(partitionAnswerOf));
}

/** `GET /topics/{topic}/partitions/{partition}` */
export async function partitionAnswer(
  client: HandlerClient,
  topic: string,
  partition: string,
): Promise<string> {
  const wanted = partitionIn(topic, partition);
  const { partitions } = await describeTopic(client, topic);
  const found = partitions.find(({ partitionIndex }) => partitionIndex === wanted);
  if (found === undefined) throw partitionMissing(topic, partition);
  return JSON.stringify(partitionAnswerOf(found));
}

/** The partition in a path. One that is no number does not exist. */
export function partitionIn(topic: string, text: string): number {
  const partition = partitionText.test(text) ? Number(text) : Number.NaN;
  if (!(partition <= 2 ** 31 - 1)) throw partitionMissing(topic, text.slice(0, 64));
  return partition;
}

function metadata(
  client: HandlerClient,
  topics: readonly string[] | 'all',
): Promise<ResponseOf<typeof apis.Metadata>> {
  return client.call(apis.Metadata, metadataVersion, metadataBody(topics, { mayCreate: false }));
}

async function configsOf(client: HandlerClient, topic: string): Promise<Record<string, string | null>> {
  const request = {
    resources: [{ resourceType: topicResource, resourceName: topic, configurationKeys: null }],
    includeSynonyms: false,
    includeDocumentation: false,
  };
  const { results } = await client.call(apis.DescribeConfigs, configsVersion, request);
  const [result] = results;
  if (result === undefined || result.errorCode !== 0) throw kafkaProblem(topic, result?.errorCode ?? -1);
  return Object.fromEntries(result.configs.map(({ name, value }) => [name, value]));
}

function inOrder(partitions: readonly DescribedPartition[]): DescribedPartition[] {
  return partitions.toSorted((a, b) => a.partitionIndex - b.partitionIndex);
}

function partitionAnswerOf({ partitionIndex, leaderId, replicaNodes, isrNodes }: DescribedPartition) {
  return {
    partition: partitionIndex,
    leader: leaderId,
    replicas: replicaNodes.map((broker) => ({
      broker,
      leader: broker === leaderId,
      in_sync: isrNodes.includes(broker),
    })),
  };
}
