import type { KafkaCluster } from '@weir/client';
import { fetchBatches, produceRecords, requestFromLeaders } from '@weir/client';
import { Failure, KiB } from '@weir/core';
import type { DemoTopicName } from './topics.ts';

const attemptEveryMs = 5_000;

/** Tries to read a topic without the right to do so, again and again, as a client with a missing rule does. */
export async function readWithoutRight(cluster: KafkaCluster, topicName: DemoTopicName): Promise<void> {
  const limits = {
    maxWaitMs: 0,
    responseBytesMax: KiB,
    partitionBytesMax: KiB,
    timeoutMs: cluster.timeoutMs,
  };
  while (!cluster.stop.aborted) {
    await requestFromLeaders(cluster, topicName, [0], (leader, topic, partitions) =>
      fetchBatches(leader, topic, new Map(partitions.map((partition) => [partition, 0n])), limits),
    );
    await cluster.pause(attemptEveryMs);
  }
}

/** Tries to write to a topic without the right to do so. */
export async function writeWithoutRight(cluster: KafkaCluster, topicName: DemoTopicName): Promise<void> {
  const record = { key: Buffer.from('c-1'), value: Buffer.from('{"customer_id":"c-1","city":"Nowhere"}') };
  while (!cluster.stop.aborted) {
    await produceRecords(cluster, topicName, new Map([[0, [record]]]), { acks: 'all', codec: 'none' });
    await cluster.pause(attemptEveryMs);
  }
}

const loginEveryMs = 20_000;

/** Tries to log in with a password that is no longer valid. */
export async function logInInVain(cluster: KafkaCluster): Promise<void> {
  while (!cluster.stop.aborted) {
    try {
      await cluster.bootstrap();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
    await cluster.pause(loginEveryMs);
  }
}
