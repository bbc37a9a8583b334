import assert from 'node:assert/strict';
import type { OutputOf } from '@weir/api';
import { type KafkaCluster, produceRecords, readRecords } from '@weir/client';
import { pause } from '../brokers/waiting.ts';
import { openCluster, type startDestination } from './migrating.ts';

type Destination = Awaited<ReturnType<typeof startDestination>>;
type Lifetime = Parameters<typeof startDestination>[0];

/** How an agent logs in. */
interface Login {
  readonly broker: string;
  /** The fields of `source_cluster_credentials`. */
  readonly credentials: string;
}

/** The fields for TLS, and for a user and a password, as variables of `variablesOf`. */
export const overTls = 'use_tls: true, tls_ca_cert_env: CA';
export const byUser = 'sasl_username_env: USER, sasl_password_env: PASSWORD';

/** Asks an agent what it finds at a source. */
export async function preflight(
  to: Destination,
  { broker, credentials }: Login,
): Promise<OutputOf<'orbit/preflight'>> {
  const [host, port] = broker.split(':');
  return await to.call<OutputOf<'orbit/preflight'>>('orbit/preflight', {
    ...to.on,
    configuration_yaml: `source_bootstrap_brokers: [{ hostname: ${host}, port: ${port} }]
source_cluster_credentials: { ${credentials} }
topic_mappings: [{ source_regex: ".*" }]
`,
  });
}

/** Asserts that an agent logs in, and finds the topic `orders`. */
export async function assertLogsIn(to: Destination, login: Login): Promise<void> {
  const { is_ready, findings, topics } = await preflight(to, login);
  assert.ok(is_ready, JSON.stringify(findings));
  assert.deepEqual(
    topics.filter(({ fate }) => fate === 'created').map(({ topic }) => topic),
    ['orders'],
  );
}

/** Copies the topic `orders`, whose only record is `before`, writes to it through the agents, and cuts it over. */
export async function moveOrders(
  lifetime: Lifetime,
  to: Destination,
  source: KafkaCluster,
  { broker, credentials }: Login,
): Promise<void> {
  await to.migrate(broker, `source_cluster_credentials: { ${credentials} }`);
  const orders = { ...to.on, topics: ['orders'] };
  const untilState = async (wanted: string) => {
    for (;;) {
      const { topics } = await to.call<OutputOf<'orbit/describe_migration'>>(
        'orbit/describe_migration',
        to.on,
      );
      const found = topics.find(({ topic }) => topic === 'orders');
      if (found?.state === wanted && (wanted === 'migrated' || found.lag_offsets === 0)) return;
      await pause(200);
    }
  };
  await untilState('replicating');
  await to.call('orbit/auto_migration/start_forwarding', orders);
  await untilState('proxy');
  const here = openCluster(lifetime, to.broker);
  await writeOrder(here, 'forwarded');
  assert.deepEqual(await readOrders(source, 2), ['before', 'forwarded']);
  await to.call('orbit/auto_migration/initiate', orders);
  await untilState('migrated');
  await writeOrder(here, 'after');
  assert.deepEqual(await readOrders(here, 3), ['before', 'forwarded', 'after']);
}

export async function writeOrder(cluster: KafkaCluster, value: string): Promise<void> {
  const record = { key: null, value: Buffer.from(value) };
  await produceRecords(cluster, 'orders', new Map([[0, [record]]]), { acks: 'all', codec: 'none' });
}

async function readOrders(cluster: KafkaCluster, end: number): Promise<string[]> {
  const found: string[] = [];
  const from = new Map([[0, { offset: 0n, end: BigInt(end) }]]);
  const options = { topicName: 'orders', from, recordsMax: 100, waitMs: 10_000 };
  for await (const records of readRecords(cluster, options))
    for (const { value } of records) found.push(String(value));
  return found;
}
