import { type ClusterOptions, KafkaCluster, RememberedTopic, TransactionalProducer } from '@weir/client';
import { systemClock } from '@weir/core';
import { deployPipeline, startLocalClusterIn } from '../../../packages/cli/testing/local-pipelines.ts';
import { pause } from '../brokers/waiting.ts';
import { type RawLog, rawLogs } from './raw-log.ts';

type Lifetime = Parameters<typeof startLocalClusterIn>[0];

/** A cluster that topics are moved to, with variables for credentials. */
export async function startDestination(t: Lifetime, environment: Readonly<Record<string, string>> = {}) {
  const local = await startLocalClusterIn(t, environment);
  const broker = `127.0.0.1:${local.found(/Kafka\s+\S*?:(\d+)/)}`;
  return {
    ...local,
    broker,
    /** Starts a migration from a broker, with more lines of configuration. */
    async migrate(from: string, more = ''): Promise<string> {
      const { pipeline_id } = await local.call<{ pipeline_id: string }>('create_pipeline', {
        ...local.on,
        pipeline_name: 'move',
        pipeline_type: 'orbit',
      });
      const [host, port] = from.split(':');
      await deployPipeline(
        local,
        pipeline_id,
        `source_bootstrap_brokers: [{hostname: ${host}, port: ${port}}]
topic_mappings: [{source_regex: ".*"}]
${more}`,
      );
      return pipeline_id;
    },
  };
}

export function openCluster(t: Lifetime, first: string, ...others: readonly string[]): KafkaCluster {
  return openClusterBy(t, {}, first, ...others);
}

/** Opens a cluster that wants TLS or a login. */
export function openClusterBy(
  t: Lifetime,
  login: Pick<ClusterOptions, 'tls' | 'login'>,
  first: string,
  ...others: readonly string[]
): KafkaCluster {
  const addressOf = (broker: string) => {
    const [host = '', port] = broker.split(':');
    return { host, port: Number(port) };
  };
  const stop = new AbortController();
  const cluster = new KafkaCluster({
    ...login,
    bootstrap: [addressOf(first), ...others.map(addressOf)],
    clientId: 'test',
    timeoutMs: 30_000,
    clock: systemClock,
    stop: stop.signal,
  });
  t.after(async () => {
    stop.abort();
    await cluster.close();
  });
  return cluster;
}

/** Writes a transaction of some records into every partition of a topic. */
export async function writeTransaction(
  cluster: KafkaCluster,
  topic: string,
  partitionCount: number,
  outcome: 'commit' | 'abort',
): Promise<void> {
  const producer = new TransactionalProducer(cluster, {
    transactionalId: `of ${topic}`,
    transactionTimeoutMs: 60_000,
  });
  await producer.open();
  const record = { key: null, value: Buffer.from(outcome) };
  const byPartition = new Map(Array.from({ length: partitionCount }, (_, at) => [at, [record, record]]));
  await producer.write([{ topic: new RememberedTopic(cluster, topic), byPartition }], outcome);
}

/** Waits until copies have the same bytes and offsets as their source, and returns these. */
export async function untilSame(from: string, to: string, topic: string): Promise<readonly RawLog[]> {
  for (;;) {
    const source = await rawLogs(from, topic);
    const copy = await rawLogs(to, topic);
    if (JSON.stringify(source) === JSON.stringify(copy)) return source;
    await pause(300);
  }
}
