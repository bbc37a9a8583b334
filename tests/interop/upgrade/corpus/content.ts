import {
  allAnswers,
  alterQuotas,
  changeConfigs,
  committedOffsets,
  createAcls,
  createTopic,
  describeAcls,
  describeConfigs,
  describeQuotas,
  type KafkaCluster,
  listGroupIds,
  listTopics,
  offsetRanges,
  readRecords,
  withCluster,
} from '@weir/client';
import { systemClock } from '@weir/core';
import { CompressionTypes, Kafka, logLevel } from 'kafkajs';

/** What the data of the corpus consists of: how a release is made to write it, and what any release shows of it. */

export interface Served {
  /** The address for clients of Kafka. */
  readonly kafka: string;
  /** The URL of the schema registry, if there is one. */
  readonly registry?: string;
}

/** The data is opened years later, so that nothing of it may expire. */
const forever = [{ name: 'retention.ms', value: '-1' }];
const longestMinutes = String(2 ** 31 - 1);
const timeoutMs = 60_000;
/** Topics whose older values a release may remove. */
const compacted = 'accounts';

const orderSchema = (fields: readonly object[]) =>
  JSON.stringify({ type: 'record', name: 'Order', namespace: 'shop', fields });
const idField = { name: 'id', type: 'long' };
const noteField = { name: 'note', type: ['null', 'string'], default: null };

function onCluster<Result>(
  { kafka }: Served,
  work: (cluster: KafkaCluster) => Promise<Result>,
): Promise<Result> {
  const [host = '', port] = kafka.split(':');
  const { signal } = new AbortController();
  return withCluster(
    {
      bootstrap: [{ host, port: Number(port) }],
      clientId: 'corpus',
      timeoutMs,
      clock: systemClock,
      stop: signal,
    },
    work,
  );
}

/** Writes some of everything. */
export async function writeContent(served: Served): Promise<void> {
  await onCluster(served, async (cluster) => {
    await changeConfigs(cluster, { kind: 'brokers' }, [
      { name: 'offsets.retention.minutes', set: longestMinutes },
    ]);
    await createTopic(cluster, { name: 'orders', partitions: 3, configs: forever });
    await createTopic(cluster, { name: 'payments', partitions: 1, configs: forever });
    await createTopic(cluster, {
      name: compacted,
      partitions: 1,
      configs: [...forever, { name: 'cleanup.policy', value: 'compact' }],
    });
    const acl = {
      ...({ principal: 'User:billing', host: '*', permission: 'ALLOW', resourceType: 'TOPIC' } as const),
      ...({ resourceName: 'orders', patternType: 'LITERAL' } as const),
    };
    const made = await createAcls(cluster, [
      { ...acl, operation: 'READ' },
      { ...acl, operation: 'WRITE', resourceName: 'pay', patternType: 'PREFIXED' },
    ]);
    if (made.some((failure) => failure !== undefined)) throw new Error(String(made));
    await alterQuotas(
      cluster,
      [{ type: 'client-id', name: 'billing' }],
      [{ name: 'producer_byte_rate', value: 1_000_000 }],
    );
  });
  await produceContent(served);
  if (served.registry !== undefined) await registerSchemas(served.registry);
}

async function produceContent({ kafka: broker }: Served): Promise<void> {
  const kafka = new Kafka({ clientId: 'corpus', brokers: [broker], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  const transactions = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    transactionalId: 'copies',
  });
  const admin = kafka.admin();
  await Promise.all([producer.connect(), transactions.connect(), admin.connect()]);
  try {
    for (const compression of [CompressionTypes.None, CompressionTypes.GZIP]) {
      for (let number = 1; number <= 30; number++) {
        const message = {
          key: `customer ${number % 7}`,
          value: number % 10 === 0 ? null : `order ${number}, ${compression}`,
          headers: { source: 'shop', number: String(number) },
          partition: number % 3,
        };
        await producer.send({ topic: 'orders', messages: [message], compression });
      }
    }
    for (const balance of ['1', '2', '3'])
      for (const key of ['alice', 'bob'])
        await producer.send({ topic: compacted, messages: [{ key, value: balance }] });
    await producer.send({ topic: compacted, messages: [{ key: 'bob', value: null }] });
    for (const [value, isCommitted] of [
      ['paid 1', true],
      ['never paid', false],
      ['paid 2', true],
    ] as const) {
      const transaction = await transactions.transaction();
      await transaction.send({ topic: 'payments', messages: [{ key: 'k', value }] });
      if (isCommitted) {
        const offset = value === 'paid 1' ? '5' : '6';
        const topics = [{ topic: 'orders', partitions: [{ partition: 0, offset }] }];
        await transaction.sendOffsets({ consumerGroupId: 'copier', topics });
        await transaction.commit();
      } else await transaction.abort();
    }
    const partitions = [0, 1, 2].map((partition) => ({ partition, offset: String(3 + partition) }));
    await admin.setOffsets({ groupId: 'billing', topic: 'orders', partitions });
  } finally {
    await Promise.all([producer.disconnect(), transactions.disconnect(), admin.disconnect()]);
  }
}

async function registerSchemas(registry: string): Promise<void> {
  const ask = async (method: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' };
    const answer = await fetch(`${registry}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  await ask('PUT', '/config/orders-value', { compatibility: 'FULL' });
  for (const fields of [[idField], [idField, noteField]])
    await ask('POST', '/subjects/orders-value/versions', { schema: orderSchema(fields) });
  const schemaType = 'PROTOBUF';
  const schema = 'syntax = "proto3";\nmessage Payment {\n  int64 id = 1;\n}\n';
  await ask('POST', '/subjects/payments-value/versions', { schemaType, schema });
}

/** Everything that a release shows to clients, as plain data. */
export async function readContent(served: Served): Promise<object> {
  const ofKafka = await onCluster(served, async (cluster) => ({
    clusterId: (await cluster.metadata([])).clusterId,
    topics: await readTopics(cluster),
    groups: await readGroups(cluster),
    acls: (await describeAcls(cluster, {})).map((acl) => JSON.stringify(acl)).toSorted(),
    quotas: await describeQuotas(cluster, [{ type: 'client-id', name: 'billing' }]),
    offsetsRetentionMinutes: (await describeConfigs(cluster, { kind: 'brokers' })).find(
      ({ name }) => name === 'offsets.retention.minutes',
    )?.value,
  }));
  const registry = served.registry === undefined ? {} : { registry: await readRegistry(served.registry) };
  return { ...ofKafka, ...registry };
}

async function readTopics(cluster: KafkaCluster): Promise<object[]> {
  const found: object[] = [];
  for (const { name, topicId, partitions } of await listTopics(cluster)) {
    const topicName = name!;
    const configs = await describeConfigs(cluster, { kind: 'topic', name: topicName });
    const own = configs.filter(({ source }) => source === 'topic');
    const indexes = partitions.map(({ partitionIndex }) => partitionIndex).toSorted((a, b) => a - b);
    found.push({
      ...{ name: topicName, topicId, partitionCount: indexes.length },
      configs: Object.fromEntries(own.map((config) => [config.name, config.value])),
      records: await recordsOf(cluster, topicName, indexes),
    });
  }
  return found;
}

async function recordsOf(cluster: KafkaCluster, topicName: string, indexes: readonly number[]) {
  const ranges = allAnswers(await offsetRanges(cluster, topicName, indexes));
  const from = new Map(
    [...ranges].map(([index, { earliest, latest }]) => [index, { offset: earliest, end: latest }]),
  );
  const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());
  const rows: { partition: number; offset: number; key: string | null; value: string | null }[] = [];
  const options = { topicName, from, recordsMax: 10_000, waitMs: 0, isolation: 'read_committed' } as const;
  for await (const records of readRecords(cluster, options))
    for (const { partition, offset, timestamp, key, value, headers } of records) {
      const named = headers.map((header) => [header.key, text(header.value)]);
      const row = { partition, offset: Number(offset), key: text(key), value: text(value) };
      rows.push(Object.assign(row, { timestampMs: Number(timestamp), headers: named }));
    }
  rows.sort((a, b) => a.partition - b.partition || a.offset - b.offset);
  if (topicName !== compacted) return rows;
  const values = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  return Object.entries(values).filter(([, value]) => value !== null);
}

async function readGroups(cluster: KafkaCluster): Promise<object> {
  const groups: Record<string, Record<string, number>> = {};
  for (const groupId of (await listGroupIds(cluster)).toSorted()) {
    const offsets = await committedOffsets(cluster, groupId);
    const rows = [...offsets].flatMap(([topic, partitions]) =>
      Array.from(partitions, ([partition, offset]) => [`${topic}-${partition}`, Number(offset)] as const),
    );
    groups[groupId] = Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
  return groups;
}

async function readRegistry(registry: string): Promise<object> {
  const ask = async (path: string) => {
    const answer = await fetch(`${registry}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as unknown;
  };
  const versions: unknown[] = [];
  for (const subject of (await ask('/subjects')) as string[])
    for (const version of (await ask(`/subjects/${subject}/versions`)) as number[]) {
      const { id, schema, schemaType } = (await ask(`/subjects/${subject}/versions/${version}`)) as Record<
        string,
        unknown
      >;
      versions.push({ subject, version, id, schema, schemaType });
    }
  return { versions, config: await ask('/config/orders-value') };
}
