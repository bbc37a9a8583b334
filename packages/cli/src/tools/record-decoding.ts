import type { Clock } from '@weir/core';
import {
  type DecodedPayload,
  loadFormat,
  PayloadDecoder,
  type RegistryReader,
  SchemaCache,
  schemaIdHeaders,
} from '@weir/registry/decoding';
import type { BatchRecord } from '@weir/wire';
import type { CommandValues } from '../flags/catalogue.ts';
import { escapeControls } from '../problem.ts';
import { readTlsFiles } from './connection.ts';
import { jsonLine, type jsonRecord, shownBytes } from './record-text.ts';
import { openRegistryClient } from './registry-client.ts';

type DecodingValues = Pick<
  CommandValues<'cli fetch'>,
  | 'decode'
  | 'schemaRegistryURL'
  | 'schemaRegistryUsername'
  | 'schemaRegistryPassword'
  | 'tls'
  | 'tlsServerCACertFile'
  | 'tlsClientCertFile'
  | 'tlsClientPrivateKeyFile'
  | 'tlsSkipVerify'
  | 'request-timeout'
>;

type Part = 'key' | 'value';

const types = { auto: undefined, avro: 'AVRO', protobuf: 'PROTOBUF', json: 'JSON' } as const;

/** Keys and values of one record as JSON values, by the schemas that they name. */
export type DecodedRecord = Readonly<Record<Part, DecodedPayload>>;

/** Decodes records for people. What cannot be decoded is shown as it is, with the reason. */
class RecordDecoding {
  readonly #decoder: PayloadDecoder;
  readonly #only: 'AVRO' | 'PROTOBUF' | 'JSON' | undefined;

  constructor(reader: RegistryReader, clock: Clock, only: RecordDecoding['only'] = undefined) {
    this.#decoder = new PayloadDecoder(new SchemaCache({ reader, formatOf: loadFormat, clock }), clock);
    this.#only = only;
  }

  get only() {
    return this.#only;
  }

  async decode(record: BatchRecord): Promise<DecodedRecord> {
    return { key: await this.#part('key', record), value: await this.#part('value', record) };
  }

  #part(part: Part, record: BatchRecord): Promise<DecodedPayload> {
    const header = record.headers.findLast(({ key }) => key === schemaIdHeaders[part])?.value;
    return this.#decoder.decode(record[part], { header, only: this.#only });
  }
}

/** Runs work with the decoding that the flags ask for, if any. */
export async function withDecoding<Result>(
  values: DecodingValues,
  clock: Clock,
  work: (decoding: RecordDecoding | undefined) => Promise<Result>,
): Promise<Result> {
  if (values.decode === 'none') return await work(undefined);
  const { schemaRegistryUsername: username, schemaRegistryPassword: password } = values;
  const client = await openRegistryClient({
    values,
    credentials: username === undefined ? undefined : { kind: 'basic', username, password: password ?? '' },
    tls: await readTlsFiles(values),
    clock,
  });
  try {
    return await work(new RecordDecoding(client, clock, types[values.decode]));
  } finally {
    client.close();
  }
}

/** For users, on one line. */
export function shownPayload(bytes: Buffer | null, decoded: DecodedPayload | undefined): string {
  switch (decoded?.kind) {
    case 'decoded':
      return escapeControls(jsonLine(decoded.value).trimEnd());
    case 'failed':
      return `${shownBytes(bytes)} (schema ${decoded.ref}: ${escapeControls(decoded.reason)})`;
    default:
      return shownBytes(bytes);
  }
}

/** A record as JSON: decoded parts are JSON values, and `keySchema` and `valueSchema` name their schemas. */
export function decodedJson(raw: ReturnType<typeof jsonRecord>, decoded: DecodedRecord | undefined) {
  if (decoded === undefined) return raw;
  return { ...raw, ...jsonPart('key', decoded.key), ...jsonPart('value', decoded.value) };
}

function jsonPart(part: Part, decoded: DecodedPayload): Record<string, unknown> {
  switch (decoded.kind) {
    case 'decoded':
      return { [part]: decoded.value, [`${part}Schema`]: decoded.ref };
    case 'failed':
      return { [`${part}Schema`]: decoded.ref, [`${part}Problem`]: decoded.reason };
    case 'plain':
      return {};
  }
}
