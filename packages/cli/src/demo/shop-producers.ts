import type { KafkaCluster } from '@weir/client';
import {
  allAnswers,
  produceRecords,
  type RecordToProduce,
  RememberedTopic,
  type TopicRecords,
  TransactionalProducer,
} from '@weir/client';
import { seededRandom } from '@weir/core';
import type { SchemaEncoder } from '@weir/registry/decoding';
import { partitionOfKey } from '@weir/wire';
import { checkoutTransactions, type DemoClientName } from './cast.ts';
import type { SchemaTopic } from './schemas.ts';
import { type Happening, type HappeningKind, Shop, type ShopRecord } from './shop.ts';
import type { DemoTopicName } from './topics.ts';
import { recordsDue } from './wave.ts';

/** Who writes what. */
const writers = {
  visit: 'storefront',
  order: 'storefront',
  kioskVisit: 'kiosk',
  payment: 'checkout',
  shipment: 'warehouse',
  stock: 'warehouse',
  import: 'importer',
  customer: 'backoffice',
} as const satisfies Record<HappeningKind, DemoClientName>;

type WriterName = (typeof writers)[HappeningKind];

export const writerNames = [...new Set(Object.values(writers))] as readonly WriterName[];

export interface ShopLoad {
  readonly recordsPerSecond: number;
  readonly seed: number;
  readonly encoders: ReadonlyMap<SchemaTopic, SchemaEncoder>;
}

/** Records gather for this long, and all writers write at the same time, so that a demo writes few files. */
const tickMs = 1_000;
/** What a writer may be behind. Then the cluster is overloaded, and older happenings are dropped. */
const backlogMax = 5_000;

/** Lets things happen in the shop at the given rate. Each writer takes what it has to write. */
export class ShopFloor {
  readonly #load: ShopLoad;
  readonly #shop: Shop;
  readonly #backlogs = new Map<WriterName, Happening[]>(writerNames.map((name) => [name, []]));
  #startMs: number | undefined;
  #happened = 0;

  constructor(load: ShopLoad) {
    this.#load = load;
    this.#shop = new Shop(seededRandom(load.seed));
  }

  /** What happened since the last call and is to be written by this client. */
  take(writer: WriterName, { clock }: Pick<KafkaCluster, 'clock'>): readonly Happening[] {
    this.#startMs ??= clock.monotonicMs();
    const due = recordsDue(this.#load.recordsPerSecond, clock.monotonicMs() - this.#startMs);
    // After a pause of the process, as of a laptop that sleeps, it does not catch up.
    this.#happened = Math.max(this.#happened, due - backlogMax);
    for (; this.#happened < due; this.#happened++) {
      const happening = this.#shop.next(clock.nowMs());
      const backlog = this.#backlogs.get(writers[happening.kind])!;
      if (backlog.length < backlogMax) backlog.push(happening);
    }
    return this.#backlogs.get(writer)!.splice(0);
  }
}

/** Writes what happens, without transactions. */
export async function produceShopRecords(
  cluster: KafkaCluster,
  writer: Exclude<WriterName, 'checkout'>,
  floor: ShopFloor,
  { encoders }: ShopLoad,
): Promise<void> {
  const topics = new RememberedTopics(cluster);
  // An old program that does not know about schemas.
  const encode = writer === 'importer' ? plainJson : encodeWith(encoders);
  while (!cluster.stop.aborted) {
    const happenings = floor.take(writer, cluster);
    const records = happenings.flatMap((happening) => happening.records);
    const placed = await topics.placed(records, encode);
    const writing = placed.map(({ topic, byPartition }) =>
      produceRecords(cluster, topic, byPartition, { acks: 'all', codec: 'lz4' }),
    );
    for (const answers of await Promise.all(writing)) allAnswers(answers);
    await untilNextTick(cluster);
  }
}

/** One transaction in this many is aborted, as when a bank declines a payment. */
const abortedEvery = 20;

/** Writes payments together with their postings: consumers see all three records or none. */
export async function produceTransactions(
  cluster: KafkaCluster,
  floor: ShopFloor,
  { encoders }: ShopLoad,
): Promise<void> {
  const topics = new RememberedTopics(cluster);
  const producer = new TransactionalProducer(cluster, {
    transactionalId: checkoutTransactions,
    transactionTimeoutMs: 60_000,
  });
  await producer.open();
  for (let count = 1; !cluster.stop.aborted; count++) {
    const payments = floor.take('checkout', cluster);
    const placed = await topics.placed(
      payments.flatMap(({ records }) => records),
      encodeWith(encoders),
    );
    if (placed.length > 0) await producer.write(placed, count % abortedEvery === 0 ? 'abort' : 'commit');
    await untilNextTick(cluster);
  }
}

const auditEveryMs = 10_000;
const actions = ['changed a price', 'answered a question', 'refunded an order', 'added a product'] as const;

/** Writes a line once in a while into the topic that keeps everything. */
export async function produceAuditTrail(cluster: KafkaCluster, seed: number): Promise<void> {
  const topicName: DemoTopicName = 'audit-trail';
  const topic = new RememberedTopic(cluster, topicName);
  const random = seededRandom(seed);
  while (!cluster.stop.aborted) {
    const line = { who: `staff-${1 + random.below(9)}`, what: actions[random.below(actions.length)] };
    const record = { key: null, value: Buffer.from(JSON.stringify(line)) };
    allAnswers(
      await produceRecords(cluster, topic, new Map([[0, [record]]]), { acks: 'all', codec: 'none' }),
    );
    await cluster.pause(auditEveryMs);
  }
}

function untilNextTick(cluster: KafkaCluster): Promise<void> {
  return cluster.pause(tickMs - (cluster.clock.monotonicMs() % tickMs));
}

type EncodeRecord = (record: ShopRecord) => Promise<Buffer>;

const plainJson: EncodeRecord = async ({ value }) => Buffer.from(JSON.stringify(value));

function encodeWith(encoders: ReadonlyMap<SchemaTopic, SchemaEncoder>): EncodeRecord {
  // Only null has no encoding.
  return async ({ topic, value }) => (await encoders.get(topic)!.encode(value))!;
}

/** The topics that a client has written to. */
class RememberedTopics {
  readonly #cluster: KafkaCluster;
  readonly #topics = new Map<SchemaTopic, RememberedTopic>();

  constructor(cluster: KafkaCluster) {
    this.#cluster = cluster;
  }

  /** Encodes records and sorts them by topic and by the partition of their key. */
  async placed(records: readonly ShopRecord[], encode: EncodeRecord): Promise<readonly TopicRecords[]> {
    const byTopic = Map.groupBy(records, ({ topic }) => topic);
    return Promise.all([...byTopic].map(([name, ofTopic]) => this.#placedInTopic(name, ofTopic, encode)));
  }

  async #placedInTopic(
    name: SchemaTopic,
    records: readonly ShopRecord[],
    encode: EncodeRecord,
  ): Promise<TopicRecords> {
    const topic = this.#topics.get(name) ?? new RememberedTopic(this.#cluster, name);
    this.#topics.set(name, topic);
    const { partitions } = (await this.#cluster.retrying(() => topic.find())).topic;
    const byPartition = new Map<number, RecordToProduce[]>();
    for (const record of records) {
      const key = Buffer.from(record.key);
      const partition = partitionOfKey(key, partitions.length);
      const placed = byPartition.get(partition) ?? [];
      placed.push({ key, value: await encode(record) });
      byPartition.set(partition, placed);
    }
    return { topic, byPartition };
  }
}
