import { type Address, createTopic, withCluster } from '@weir/client';
import { systemClock } from '@weir/core';
import type { TestTopic } from './cluster.ts';

const timeoutMs = 30_000;

/** Creates topics as a client does. */
export async function createTopics(
  bootstrapServers: string,
  topics: readonly (readonly [name: string, topic: TestTopic])[],
): Promise<void> {
  const colon = bootstrapServers.lastIndexOf(':');
  const address = { host: bootstrapServers.slice(0, colon), port: Number(bootstrapServers.slice(colon + 1)) };
  const stop = new AbortController().signal;
  const options = {
    bootstrap: [address] as [Address],
    clientId: 'weir-testing',
    timeoutMs,
    clock: systemClock,
    stop,
  };
  await withCluster(options, async (cluster) => {
    for (const [name, { partitions, configs = {} }] of topics)
      await createTopic(cluster, {
        name,
        partitions,
        configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
      });
  });
}
