import { Pace } from '@weir/broker';
import { HttpProblem } from '@weir/http';
import type { RecordToWrite } from '@weir/wire';
import { Base64Memory } from './base64-memory.ts';
import type { DataDeps } from './data-route.ts';
import { produceBounds } from './definitions/produce-definition.ts';
import type { HandlerClient } from './handler-client.ts';
import { bytesIn, integerIn, type JsonObject, objectsIn, textIn } from './json-fields.ts';
import { type ProducedPartition, produceRecords, type TopicRecords } from './produce-records.ts';

/** Writes what a body of `/v1/kafka/produce` has, and returns the answer as JSON. */
export async function produceAnswer(
  body: JsonObject,
  bodyBytes: number,
  client: HandlerClient,
  { clock, pause }: DataDeps,
): Promise<string> {
  const timeoutMs = integerIn(body, 'timeout_ms', produceBounds.timeout_ms);
  const reading = { nowMs: clock.nowMs(), memory: new Base64Memory(bodyBytes), pause };
  const topics = await readTopics(body, reading);
  const produced = await produceRecords(topics, client, { timeoutMs, requestBytes: bodyBytes, pause });
  const byTopic = Map.groupBy(produced, ({ topic }) => topic);
  const entries = [...byTopic].map(
    ([topic, partitions]) =>
      `{"topic":${JSON.stringify(topic)},"partitions":[${partitions.map(partitionJson).join(',')}]}`,
  );
  return `{"topics":[${entries.join(',')}]}`;
}

function partitionJson(produced: ProducedPartition): string {
  const { partition, errorCode, errorMessage, baseOffset, logAppendTimeMs } = produced;
  const message = errorMessage === null ? '' : `,"error_message":${JSON.stringify(errorMessage)}`;
  return `{"partition":${partition},"error_code":${errorCode}${message},"base_offset":${baseOffset},"log_append_time_ms":${logAppendTimeMs}}`;
}

interface Reading {
  /** The time of records that have none. */
  readonly nowMs: number;
  readonly memory: Base64Memory;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/** What an entry, a record or a header costs, as steps of `Pace`. */
const entrySteps = 10;

/** Entries of one topic are joined, because a Produce request may have a partition only once. */
async function readTopics(body: JsonObject, reading: Reading): Promise<readonly TopicRecords[]> {
  const pace = new Pace();
  const topics = new Map<string, TopicRecords['records'][number][]>();
  for (const entry of objectsIn(body, 'topics')) {
    if (pace.isOver(entrySteps)) await reading.pause();
    const topic = textIn(entry, 'topic');
    if (topic === '') throw new HttpProblem(400, `${entry.path}.topic must be the name of a topic.`);
    const records = topics.get(topic) ?? [];
    topics.set(topic, records);
    for (const ofPartition of objectsIn(entry, 'partitions')) {
      if (pace.isOver(entrySteps)) await reading.pause();
      const isGiven = (ofPartition.fields.partition ?? null) !== null;
      const partition = isGiven ? integerIn(ofPartition, 'partition', produceBounds.partition) : undefined;
      for (const object of objectsIn(ofPartition, 'records')) {
        const record = readRecord(object, reading);
        if (pace.isOver(entrySteps * (1 + record.headers.length))) await reading.pause();
        records.push({ partition, record });
      }
    }
  }
  return [...topics].map(([topic, records]) => ({ topic, records }));
}

function readRecord(object: JsonObject, { nowMs, memory }: Reading) {
  return {
    timestamp: BigInt(integerIn(object, 'timestamp', { ...produceBounds.timestamp, absent: nowMs })),
    key: bytesIn(object, 'key', memory),
    value: bytesIn(object, 'value', memory),
    headers: objectsIn(object, 'headers', { isRequired: false }).map((header) => ({
      key: textIn(header, 'key'),
      value: bytesIn(header, 'value', memory),
    })),
  } satisfies RecordToWrite;
}
