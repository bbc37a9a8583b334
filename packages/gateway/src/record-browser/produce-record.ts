import type { PartToWrite, ProducedRecord, ProduceRecordQuery } from '@weir/cluster';
import { InvalidPayload, type RecordSchemas, SchemaUnusable } from '@weir/registry/decoding';
import type { Access } from '@weir/security';
import { partitionOfKey } from '@weir/wire';
import { jsonText } from '../http-data/formatted-records.ts';
import { produceRecords } from '../http-data/produce-records.ts';
import type { BrowserClient } from './browser-client.ts';
import { RecordRefused, refusalOf } from './record-refused.ts';

interface ProduceDeps {
  readonly client: BrowserClient;
  readonly schemas: RecordSchemas | undefined;
  /** Rights in the schema registry. */
  readonly registryAccess: () => Access;
}

const timeoutMs = 15_000;

/** Writes one record as a Kafka producer of the caller, and waits until it is durable. */
export async function produceRecord(query: ProduceRecordQuery, deps: ProduceDeps): Promise<string> {
  const { topic, partitionCount, timestampMs, producerId } = query;
  const key = await bytesOf('key', query.key, deps);
  const value = await bytesOf('value', query.value, deps);
  const headers = await Promise.all(
    query.headers.map(async (header) => ({
      key: header.name,
      value: await bytesOf(`header ${header.name}`, header.value, deps),
    })),
  );
  const partition =
    query.partition ?? (key === null ? producerId % partitionCount : partitionOfKey(key, partitionCount));
  const record = { timestamp: BigInt(timestampMs), key, value, headers };
  const [produced] = await deps.client.use((kafka) =>
    produceRecords([{ topic, records: [{ partition, record }] }], kafka, {
      timeoutMs,
      requestBytes: (key?.length ?? 0) + (value?.length ?? 0),
      producerId: BigInt(producerId),
      pause: () => deps.client.pause(0),
    }),
  );
  const { errorCode, errorMessage, baseOffset, logAppendTimeMs, refusedPlaces } = produced!;
  if (refusedPlaces.length > 0) throw new RecordRefused('refused', errorMessage ?? 'The record was refused.');
  if (errorCode !== 0) throw refusalOf(errorCode, { act: 'write', topic, partition });
  const answer: ProducedRecord = {
    kind: 'produced',
    partition,
    offset: Number(baseOffset),
    timestampMs: logAppendTimeMs >= 0n ? Number(logAppendTimeMs) : timestampMs,
  };
  return JSON.stringify(answer);
}

const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

async function bytesOf(what: string, part: PartToWrite | null, deps: ProduceDeps): Promise<Buffer | null> {
  if (part === null) return null;
  const { text, format, schemaId } = part;
  switch (format) {
    case 'string':
      return Buffer.from(text);
    case 'base64':
      if (!base64Text.test(text)) throw new RecordRefused('invalid', `The ${what} is not base64.`);
      return Buffer.from(text, 'base64');
    case 'json': {
      const bytes = Buffer.from(text);
      const found = jsonText(bytes);
      if ('problem' in found)
        throw new RecordRefused('invalid', `The ${what} cannot be written as JSON: ${found.problem}.`);
      return bytes;
    }
    case 'schema':
      return await bySchema(what, text, schemaId, deps);
  }
}

async function bySchema(
  what: string,
  text: string,
  schemaId: number | undefined,
  { schemas, registryAccess }: ProduceDeps,
): Promise<Buffer | null> {
  if (schemaId === undefined) throw new RecordRefused('invalid', `The ${what} needs the id of a schema.`);
  if (schemas === undefined)
    throw new RecordRefused(
      'invalid',
      'This agent has no schema registry for the format schema; start it with -externalSchemaRegistryURL.',
    );
  const json = jsonText(Buffer.from(text));
  if ('problem' in json)
    throw new RecordRefused('invalid', `The ${what} cannot be encoded: ${json.problem}; schemas take JSON.`);
  // Not before a person needs it: it loads the formats of schemas.
  const { mayReadSubject } = await import('../schema-registry/registry-rights.ts');
  const access = registryAccess();
  try {
    const mayRead = (subject: string) => mayReadSubject(access, subject);
    const encoder = await schemas.encoder.open({ id: schemaId }, { mayRead });
    return await encoder.encodeText(json.text);
  } catch (error) {
    if (error instanceof InvalidPayload)
      throw new RecordRefused('invalid', `The ${what} does not fit schema ${schemaId}: ${error.message}`);
    if (!(error instanceof SchemaUnusable)) throw error;
    throw new RecordRefused(error.reason === 'unavailable' ? 'unavailable' : 'invalid', error.message);
  }
}
