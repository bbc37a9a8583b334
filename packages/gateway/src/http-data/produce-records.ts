import { metadataBody } from '@weir/client';
import { HttpProblem } from '@weir/http';
import {
  apis,
  buildRecordBatch,
  errorByCode,
  errors,
  partitionOfKey,
  type RecordToWrite,
  type ResponseOf,
  zeroUuid,
} from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import type { HandlerClient } from './handler-client.ts';

/** Records for a topic. Those without a partition get one by their key, or all the same one if they have none. */
export interface TopicRecords {
  readonly topic: string;
  readonly records: readonly { readonly partition: number | undefined; readonly record: RecordToWrite }[];
}

/** The outcome of the records for one partition. */
export interface ProducedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly errorMessage: string | null;
  readonly baseOffset: bigint;
  readonly logAppendTimeMs: bigint;
  /** The places of its records in the list of the topic, in their order in the log. */
  readonly places: readonly number[];
  /** The places of records that were refused, and with them the others; none if it is not about single records. */
  readonly refusedPlaces: readonly number[];
}

/** The last versions that name topics, as HTTP callers do. */
const produceVersion = 12;
const metadataVersion = 12;

/** Tries to describe a topic, and the time between them. */
const attemptsMax = 5;
const retryMs = 50;

/** Partition of records that have none because the topic cannot be described. */
const unknownPartition = -1;

/** Records, and batches in one Produce request: some milliseconds of work each. */
const recordsPerTurn = 1024;
const batchesPerRequest = 1000;

/** Counts up, so that records without a key go to all partitions in turn, one request after the other. */
let nextPartition = 0;

interface ProduceOptions {
  readonly timeoutMs: number;
  readonly requestBytes: number;
  /** An idempotent producer that writes one batch only, so that repeating the call writes nothing twice. */
  readonly producerId?: bigint;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/**
 * Writes records as one batch per partition, and waits until they are durable. Nothing is built for topics that the
 * caller may not write.
 */
export async function produceRecords(
  topics: readonly TopicRecords[],
  client: HandlerClient,
  options: ProduceOptions,
): Promise<readonly ProducedPartition[]> {
  refuseMany(topics.length);
  const denied = new Set(topics.filter(({ topic }) => !client.mayWrite(topic)).map(({ topic }) => topic));
  const described = await describeTopics(
    topics.filter(({ topic }) => !denied.has(topic)),
    client,
  );
  const batches = new Map<string, Batch>();
  const refused: ProducedPartition[] = [];
  let recordsInTurn = 0;
  for (const { topic, records } of topics) {
    const counted = described.get(topic);
    const keyless = nextPartition++;
    const unplaced: number[] = [];
    for (const [place, { partition: given, record }] of records.entries()) {
      if (++recordsInTurn % recordsPerTurn === 0) await options.pause();
      const partition = given ?? partitionOf(record, counted?.partitions ?? 0, keyless);
      if (partition === unknownPartition) {
        unplaced.push(place);
        continue;
      }
      const key = keyOf(topic, partition);
      let batch = batches.get(key);
      if (batch === undefined) {
        batch = { topic, partition, records: [], bytes: batchOverheadBytes, places: [] };
        batches.set(key, batch);
        refuseMany(batches.size);
      }
      batch.records.push(record);
      batch.bytes += bytesOf(record);
      batch.places.push(place);
    }
    if (unplaced.length > 0) {
      const unknownCode = counted?.errorCode ?? errors.UNKNOWN_TOPIC_OR_PARTITION.code;
      const errorCode = denied.has(topic) ? errors.TOPIC_AUTHORIZATION_FAILED.code : unknownCode;
      refused.push(failed(topic, unknownPartition, errorCode, unplaced));
    }
  }
  for (const [key, { topic, partition, places }] of batches) {
    if (!denied.has(topic)) continue;
    refused.push(failed(topic, partition, errors.TOPIC_AUTHORIZATION_FAILED.code, places));
    batches.delete(key);
  }
  if (batches.size === 0) return refused;
  const produced = await produce(batches, client, options);
  const isUnknown = ({ topic, errorCode }: ProducedPartition) =>
    errorCode === errors.UNKNOWN_TOPIC_OR_PARTITION.code && !described.has(topic);
  const unknown = produced.filter(isUnknown);
  if (unknown.length === 0) return [...refused, ...produced];
  // Records with a partition may be for a topic that does not exist yet: they are written again once it was created.
  const created = await describeNames([...new Set(unknown.map(({ topic }) => topic))], client);
  const exists = ({ topic, partition }: ProducedPartition) =>
    partition < (created.get(topic)?.partitions ?? 0);
  const keys = unknown.filter(exists).map(({ topic, partition }) => keyOf(topic, partition));
  const again = new Map(keys.map((key) => [key, batches.get(key)!]));
  if (again.size === 0) return [...refused, ...produced];
  return [
    ...refused,
    ...produced.filter((answer) => !isUnknown(answer) || !exists(answer)),
    ...(await produce(again, client, { ...options, requestBytes: 0 })),
  ];
}

function keyOf(topic: string, partition: number): string {
  return `${partition} ${topic}`;
}

function refuseMany(partitions: number): void {
  const { httpPartitionsMax } = gatewayLimits;
  if (partitions > httpPartitionsMax)
    throw new HttpProblem(
      413,
      `The request has records for more than ${httpPartitionsMax} partitions; send fewer at a time.`,
    );
}

interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly records: RecordToWrite[];
  /** What they take at most. */
  bytes: number;
  readonly places: number[];
}

/** Its header, and of each record and header of a record the lengths and differences. */
const batchOverheadBytes = 64;
const recordOverheadBytes = 40;

/** The memory that a record takes in a batch, so that the batch need not grow while it is built. */
function bytesOf({ key, value, headers = [] }: RecordToWrite): number {
  let bytes = recordOverheadBytes + (key?.length ?? 0) + (value?.byteLength ?? 0);
  for (const header of headers) bytes += 10 + 3 * header.key.length + (header.value?.length ?? 0);
  return bytes;
}

/** Sends Produce requests, of so few batches each that other work has its turn between them. */
async function produce(
  batches: ReadonlyMap<string, Batch>,
  client: HandlerClient,
  { timeoutMs, requestBytes, producerId, pause }: ProduceOptions,
): Promise<ProducedPartition[]> {
  const producer = producerId === undefined ? {} : { producerId, producerEpoch: 0, baseSequence: 0 };
  const all = [...batches.values()];
  const sent: Promise<ProducedPartition[]>[] = [];
  for (let from = 0; from < all.length; from += batchesPerRequest) {
    if (from > 0) await pause();
    const byTopic = Map.groupBy(all.slice(from, from + batchesPerRequest), ({ topic }) => topic);
    const topicData = [...byTopic].map(([name, ofTopic]) => ({
      name,
      topicId: zeroUuid,
      partitionData: ofTopic.map(({ partition, records, bytes }) => ({
        index: partition,
        records: buildRecordBatch(records, { expectedBytes: bytes, ...producer }),
      })),
    }));
    const request = { transactionalId: null, acks: -1, timeoutMs, topicData };
    // The size of the body counts for quotas once.
    const bytes = from === 0 ? requestBytes : 0;
    const answer = client.call(apis.Produce, produceVersion, request, bytes);
    sent.push(answer.then(({ responses }) => producedIn(responses, batches)));
    // It is awaited below; until then a failure is not unhandled.
    answer.catch(() => undefined);
  }
  return (await Promise.all(sent)).flat();
}

type ProduceResponses = ResponseOf<typeof apis.Produce>['responses'];

function producedIn(responses: ProduceResponses, batches: ReadonlyMap<string, Batch>): ProducedPartition[] {
  return responses.flatMap(({ name = '', partitionResponses }) =>
    partitionResponses.map((answer) => {
      const { index, errorCode, errorMessage, baseOffset, logAppendTimeMs = -1n, recordErrors } = answer;
      const { places } = batches.get(keyOf(name, index))!;
      return {
        topic: name,
        partition: index,
        errorCode,
        errorMessage: errorCode === 0 ? null : (errorMessage ?? textOf(errorCode)),
        baseOffset,
        logAppendTimeMs,
        places,
        refusedPlaces: (recordErrors ?? []).flatMap(({ batchIndex }) => places[batchIndex] ?? []),
      };
    }),
  );
}

function partitionOf({ key }: RecordToWrite, partitions: number, keyless: number): number {
  if (partitions === 0) return unknownPartition;
  return key === null ? keyless % partitions : partitionOfKey(key, partitions);
}

interface DescribedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly errorCode: number;
}

/** Asks for the partitions of topics whose records have none, which creates topics as a Kafka producer does. */
async function describeTopics(
  topics: readonly TopicRecords[],
  client: HandlerClient,
): Promise<ReadonlyMap<string, DescribedTopic>> {
  const toDescribe = topics.filter(({ records }) => records.some(({ partition }) => partition === undefined));
  return describeNames([...new Set(toDescribe.map(({ topic }) => topic))], client);
}

async function describeNames(
  topics: readonly string[],
  client: HandlerClient,
): Promise<ReadonlyMap<string, DescribedTopic>> {
  const found = new Map<string, DescribedTopic>();
  let names = topics;
  for (let attempt = 1; names.length > 0 && !client.closed.aborted; attempt++) {
    for (const topic of await describe(names, client)) found.set(topic.name, topic);
    // A topic that was just created is described with an error at first.
    names = names.filter((name) => errorByCode(found.get(name)?.errorCode ?? 0)?.retriable === true);
    if (attempt === attemptsMax) break;
    if (names.length > 0) await client.pause(retryMs);
  }
  return found;
}

async function describe(names: readonly string[], client: HandlerClient): Promise<DescribedTopic[]> {
  const body = metadataBody(names, { mayCreate: true });
  const { topics } = await client.call(apis.Metadata, metadataVersion, body);
  return topics.map(({ name, errorCode, partitions }) => ({
    name: name ?? '',
    partitions: errorCode === 0 ? partitions.length : 0,
    errorCode,
  }));
}

function failed(
  topic: string,
  partition: number,
  errorCode: number,
  places: readonly number[],
): ProducedPartition {
  return {
    topic,
    partition,
    errorCode,
    errorMessage: textOf(errorCode),
    baseOffset: -1n,
    logAppendTimeMs: -1n,
    places,
    refusedPlaces: [],
  };
}

function textOf(errorCode: number): string {
  return errorByCode(errorCode)?.message ?? `Kafka error ${errorCode}.`;
}
