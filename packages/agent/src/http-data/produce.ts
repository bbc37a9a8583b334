import type { RecordToWrite } from '@weir/wire';
import { HttpProblem } from '../http/http-problem.ts';
import { Base64Memory } from './base64-memory.ts';
import { produceBounds } from './definitions/produce-definition.ts';
import type { HandlerClient } from './handler-client.ts';
import { bytesIn, integerIn, type JsonObject, objectsIn, textIn } from './json-fields.ts';
import { type ProducedPartition, produceRecords, type TopicRecords } from './produce-records.ts';

/** Writes what a body of `/v1/kafka/produce` has, and returns the answer as JSON. */
export async function produceAnswer(
  body: JsonObject,
  bodyBytes: number,
  client: HandlerClient,
  nowMs: number,
): Promise<string> {
  const timeoutMs = integerIn(body, 'timeout_ms', produceBounds.timeout_ms);
  const topics = readTopics(body, nowMs, new Base64Memory(bodyBytes));
  const produced = await produceRecords(topics, client, { timeoutMs, requestBytes: bodyBytes });
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

/** Entries of one topic are joined, because a Produce request may have a partition only once. */
function readTopics(body: JsonObject, nowMs: number, memory: Base64Memory): readonly TopicRecords[] {
  const topics = new Map<string, TopicRecords['records'][number][]>();
  for (const entry of objectsIn(body, 'topics')) {
    const topic = textIn(entry, 'topic');
    if (topic === '') throw new HttpProblem(400, `${entry.path}.topic must be the name of a topic.`);
    const records = topics.get(topic) ?? [];
    topics.set(topic, records);
    for (const ofPartition of objectsIn(entry, 'partitions')) {
      const isGiven = (ofPartition.fields.partition ?? null) !== null;
      const partition = isGiven ? integerIn(ofPartition, 'partition', produceBounds.partition) : undefined;
      for (const record of objectsIn(ofPartition, 'records'))
        records.push({ partition, record: readRecord(record, nowMs, memory) });
    }
  }
  return [...topics].map(([topic, records]) => ({ topic, records }));
}

function readRecord(object: JsonObject, nowMs: number, memory: Base64Memory): RecordToWrite {
  return {
    timestamp: BigInt(integerIn(object, 'timestamp', { ...produceBounds.timestamp, absent: nowMs })),
    key: bytesIn(object, 'key', memory),
    value: bytesIn(object, 'value', memory),
    headers: objectsIn(object, 'headers', { isRequired: false }).map((header) => ({
      key: textIn(header, 'key'),
      value: bytesIn(header, 'value', memory),
    })),
  };
}
