import type { KafkaCluster } from '@weir/client';
import type { Clock } from '@weir/core';
import { RegistryClient } from '@weir/registry';
import { loadFormat, PayloadEncoder, SchemaCache, type SchemaEncoder } from '@weir/registry/decoding';
import { adminName, type DemoClientName, demoGroups } from './cast.ts';
import { type DemoConnection, runDemoClient } from './demo-client.ts';
import { type GroupReading, readInGroup } from './group-reader.ts';
import { logInInVain, readWithoutRight, writeWithoutRight } from './refused-clients.ts';
import type { SchemaTopic } from './schemas.ts';
import type { DemoState } from './set-up.ts';
import { pageViewShare } from './shop.ts';
import {
  produceAuditTrail,
  produceShopRecords,
  produceTransactions,
  ShopFloor,
  type ShopLoad,
  writerNames,
} from './shop-producers.ts';
import { slowShare } from './wave.ts';

interface WorkloadOptions {
  readonly connection: DemoConnection;
  readonly registryUrl: string;
  readonly state: DemoState;
  /** On average. */
  readonly recordsPerSecond: number;
  readonly seed: number;
}

/** The time that the kiosk gives a write: a diagnostic says that it is too short. */
const kioskTimeoutMs = 3_000;

/** Starts all clients of the demo, and returns what stops them. */
export async function startWorkload(options: WorkloadOptions): Promise<() => Promise<void>> {
  const encoders = await openEncoders(options);
  const end = new AbortController();
  const { connection } = options;
  const stop = AbortSignal.any([connection.stop, end.signal]);
  const running = runClients({ ...options, connection: { ...connection, stop } }, encoders);
  return async () => {
    end.abort();
    await running;
  };
}

async function runClients(
  { connection, state, recordsPerSecond, seed }: WorkloadOptions,
  encoders: ReadonlyMap<SchemaTopic, SchemaEncoder>,
): Promise<void> {
  const load = { recordsPerSecond, seed, encoders };
  const floor = new ShopFloor(load);
  const as = (
    name: DemoClientName,
    work: (cluster: KafkaCluster) => Promise<void>,
    options: { readonly clientId?: string; readonly timeoutMs?: number } = {},
  ) => runDemoClient(connection, { clientId: name, login: state.logins.get(name)!, ...options }, work);
  const reads = (name: DemoClientName, reading: GroupReading, clientId: string = name) =>
    as(name, (cluster) => readInGroup(cluster, reading), { clientId });
  const orders = { topicName: 'orders', groupId: demoGroups.healthy, habit: 'reads' } as const;
  await Promise.all([
    ...writerNames.map((name) =>
      as(
        name,
        (cluster) => produce(cluster, name, floor, load),
        name === 'kiosk' ? { timeoutMs: kioskTimeoutMs } : {},
      ),
    ),
    as('backoffice', (cluster) => produceAuditTrail(cluster, seed)),
    reads('fulfilment', orders, 'fulfilment-1'),
    reads('fulfilment', orders, 'fulfilment-2'),
    reads('fraud', {
      groupId: demoGroups.committed,
      topicName: 'payments',
      habit: 'reads',
      isReadCommitted: true,
    }),
    reads('invoicing', { groupId: demoGroups.stuck, topicName: 'orders', habit: 'stuck' }),
    reads('exporter', { groupId: demoGroups.abandoned, topicName: 'orders', habit: 'leaves' }),
    reads('marketing', {
      groupId: demoGroups.slow,
      topicName: 'page-views',
      habit: 'reads',
      recordsPerSecondMax: recordsPerSecond * pageViewShare * slowShare,
    }),
    as('marketing', (cluster) => readWithoutRight(cluster, 'payments')),
    as('partner', (cluster) => writeWithoutRight(cluster, 'customers')),
    runDemoClient(
      connection,
      { clientId: 'old-scanner', login: { username: 'old-scanner', password: 'expired' } },
      logInInVain,
    ),
  ]);
}

function produce(
  cluster: KafkaCluster,
  name: (typeof writerNames)[number],
  floor: ShopFloor,
  load: ShopLoad,
): Promise<void> {
  return name === 'checkout'
    ? produceTransactions(cluster, floor, load)
    : produceShopRecords(cluster, name, floor, load);
}

/** The encoders of the topics, from the schemas as the registry has them. */
async function openEncoders({
  connection: { clock },
  registryUrl,
  state,
}: WorkloadOptions): Promise<ReadonlyMap<SchemaTopic, SchemaEncoder>> {
  const registry = registryClient(registryUrl, state, clock);
  try {
    const cache = new SchemaCache({ reader: registry, formatOf: loadFormat, clock });
    const encoders = new PayloadEncoder({ cache, clock, registry });
    const opened = [...state.schemaIds].map(
      async ([topic, id]) => [topic, await encoders.open({ id })] as const,
    );
    return new Map(await Promise.all(opened));
  } finally {
    registry.close();
  }
}

function registryClient(urls: string, { logins }: DemoState, clock: Clock): RegistryClient {
  return new RegistryClient({
    urls,
    credentials: { kind: 'basic', ...logins.get(adminName)! },
    // It is this process that serves it.
    tls: { isInsecure: true },
    clock,
  });
}
