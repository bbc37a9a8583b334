import { createRequire } from 'node:module';
import { apis, decodeMessage, encodeMessage, type ResponseOf } from '@weir/wire';
import { atLeast, type Benchmark, ms } from './benchmark.ts';
import { sideBySide } from './side-by-side.ts';

interface KafkajsResponse {
  decode(body: Buffer): Promise<{ topicMetadata: { partitionMetadata: unknown[] }[] }>;
}

/** The highest version of kafkajs. */
const version = 6;
const topicCount = 100;
const partitionsPerTopic = 100;
const brokerCount = 9;

/** A cluster of nine brokers with replicas distributed as Kafka does. */
function response(): ResponseOf<typeof apis.Metadata> {
  const replicasOf = (partition: number) => [0, 1, 2].map((replica) => (partition + replica) % brokerCount);
  return {
    throttleTimeMs: 0,
    clusterId: 'bench',
    controllerId: 1,
    brokers: Array.from({ length: brokerCount }, (_, nodeId) => ({
      nodeId,
      host: `broker-${nodeId}`,
      port: 9092,
      rack: null,
    })),
    topics: Array.from({ length: topicCount }, (_unused, topic) => ({
      errorCode: 0,
      name: `topic-${topic}`,
      isInternal: false,
      partitions: Array.from({ length: partitionsPerTopic }, (_, partitionIndex) => ({
        errorCode: 0,
        partitionIndex,
        leaderId: partitionIndex % brokerCount,
        replicaNodes: replicasOf(partitionIndex),
        isrNodes: replicasOf(partitionIndex),
        offlineReplicas: [],
      })),
    })),
  };
}

export const metadataDecode: Benchmark = {
  name: 'metadata-decode',
  async run(effort) {
    const { decode } = createRequire(import.meta.url)(
      `kafkajs/src/protocol/requests/metadata/v${version}/response`,
    ) as KafkajsResponse;
    const bytes = Buffer.concat(encodeMessage(apis.Metadata.response, version, response()));

    const ours = decodeMessage(apis.Metadata.response, version, bytes);
    const theirs = await decode(bytes);
    if (ours.topics.length !== topicCount || theirs.topicMetadata.length !== topicCount) {
      throw new Error('the two do not decode the same');
    }

    const outcome = await sideBySide(
      { name: 'weir', run: () => decodeMessage(apis.Metadata.response, version, bytes) },
      { name: 'kafkajs', run: () => decode(bytes) },
      effort,
    );
    return [
      {
        what: `decode Metadata v${version} with 10,000 partitions: kafkajs / weir`,
        result: outcome.referenceOverSubject,
        unit: 'x',
        bar: atLeast(3),
        detail: `${ms(outcome.referenceMs)} / ${ms(outcome.subjectMs)}`,
      },
    ];
  },
};
