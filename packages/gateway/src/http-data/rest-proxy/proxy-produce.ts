import { mapInTurns } from '@weir/broker';
import { errorByCode, errors, type RecordToWrite } from '@weir/wire';
import { Base64Memory } from '../base64-memory.ts';
import type { AdmittedInput, DataDeps, DataInput } from '../data-route.ts';
import type { HandlerClient } from '../handler-client.ts';
import { bytesIn } from '../json-fields.ts';
import { type ProducedPartition, produceRecords } from '../produce-records.ts';
import { formatOf } from './media-types.ts';
import { type GivenRecord, orUnprocessable, type ProduceBody, readProduceBody } from './produce-body.ts';
import { kafkaProblem, partitionMissing } from './proxy-problems.ts';
import { describeTopic } from './proxy-topics.ts';
import { encodedBySchemas } from './schema-records.ts';

type EncodedRecord = Pick<RecordToWrite, 'key' | 'value'>;

interface EncodedRecords {
  readonly records: readonly EncodedRecord[];
  readonly keySchemaId: number | null;
  readonly valueSchemaId: number | null;
}

/** `request.timeout.ms` of a Kafka producer. */
const timeoutMs = 30_000;

/** Writes the records of a body to a topic, or to the partition of the path, and returns the answer as JSON. */
export async function proxyProduce(
  input: DataInput,
  deps: DataDeps,
  topic: string,
  partition?: number,
): Promise<string> {
  const { bodyBytes, client } = input;
  const body = await readProduceBody(input.body, partition, deps.pause);
  const { records: given } = body;
  const { records, keySchemaId, valueSchemaId } = await encodedRecords(input, body, topic, deps);
  const timestamp = BigInt(deps.clock.nowMs());
  const toWrite = await mapInTurns(given, deps.pause, ({ partition: own }, place) => ({
    partition: own,
    record: { timestamp, ...records[place]!, headers: [] },
  }));
  const produced = await produceRecords([{ topic, records: toWrite }], client, {
    timeoutMs,
    requestBytes: bodyBytes,
    pause: deps.pause,
  });
  await refuseIfAllFailed(produced, client, topic, partition);
  const offsets = new Array<string>(given.length);
  for (const ofPartition of produced)
    for (const [index, place] of ofPartition.places.entries())
      offsets[place] = offsetJson(ofPartition, index);
  return `{"offsets":[${offsets.join(',')}],"key_schema_id":${keySchemaId},"value_schema_id":${valueSchemaId}}`;
}

/** Refuses callers without the right to write to the topic of the path, before the body is inflated and parsed. */
export function admitProduce({ path, client }: AdmittedInput): void {
  const topic = String(path.topic);
  if (!client.mayWrite(topic)) throw kafkaProblem(topic, errors.TOPIC_AUTHORIZATION_FAILED.code);
}

async function encodedRecords(
  { contentType, bodyBytes, registryAccess }: DataInput,
  body: ProduceBody,
  topic: string,
  deps: DataDeps,
): Promise<EncodedRecords> {
  const format = formatOf(contentType);
  if (format === 'binary' || format === 'json') {
    const memory = new Base64Memory(bodyBytes);
    const encode = format === 'binary' ? (record: GivenRecord) => binaryRecord(record, memory) : jsonRecord;
    const records = await mapInTurns(body.records, deps.pause, encode);
    return { records, keySchemaId: null, valueSchemaId: null };
  }
  const request = { topic, body, format, access: registryAccess() };
  const { keys, values } = await encodedBySchemas(request, deps);
  const records = keys.parts.map((key, place) => ({ key, value: values.parts[place]! }));
  return { records, keySchemaId: keys.schemaId, valueSchemaId: values.schemaId };
}

function binaryRecord({ object }: GivenRecord, memory: Base64Memory): EncodedRecord {
  return orUnprocessable(() => ({
    key: bytesIn(object, 'key', memory),
    value: bytesIn(object, 'value', memory),
  }));
}

function jsonRecord({ object }: GivenRecord): EncodedRecord {
  return { key: jsonBytes(object.fields.key), value: jsonBytes(object.fields.value) };
}

/** The bytes of a JSON value; none for `null`, which deletes a key. */
function jsonBytes(value: unknown): Buffer | null {
  return value === undefined || value === null ? null : Buffer.from(JSON.stringify(value));
}

function offsetJson({ partition, errorCode, errorMessage, baseOffset }: ProducedPartition, index: number) {
  if (errorCode === 0)
    return `{"partition":${partition},"offset":${baseOffset + BigInt(index)},"error_code":null,"error":null}`;
  const code = errorByCode(errorCode)?.retriable === true ? 2 : 1;
  return `{"partition":null,"offset":null,"error_code":${code},"error":${JSON.stringify(errorMessage)}}`;
}

/** A topic or partition that does not exist, or that the caller may not write, is an error of the whole request. */
async function refuseIfAllFailed(
  produced: readonly ProducedPartition[],
  client: HandlerClient,
  topic: string,
  partition: number | undefined,
): Promise<void> {
  const codes = new Set(produced.map(({ errorCode }) => errorCode));
  const [code = 0] = codes;
  if (code === 0 || codes.size > 1) return;
  // No partition was found for any record.
  if (produced.every((ofPartition) => ofPartition.partition < 0)) throw kafkaProblem(topic, code);
  if (code === errors.TOPIC_AUTHORIZATION_FAILED.code || code === errors.INVALID_TOPIC_EXCEPTION.code)
    throw kafkaProblem(topic, code);
  if (code !== errors.UNKNOWN_TOPIC_OR_PARTITION.code) return;
  const { partitions } = await describeTopic(client, topic);
  if (partition !== undefined && !partitions.some(({ partitionIndex }) => partitionIndex === partition))
    throw partitionMissing(topic, partition);
}
