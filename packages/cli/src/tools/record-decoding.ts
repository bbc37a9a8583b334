import type { Clock } from '@weir/core';
import type { DecodedPayload, DecodedRecord } from '@weir/registry/decoding';
import type { BatchRecord } from '@weir/wire';
import type { FlagValues } from '../flags/catalogue.ts';
import { escapeControls } from '../problem.ts';
import { JsonText } from '../results/json-line.ts';
import { registryTlsValues } from '../rules/registry-tools.ts';
import { readTlsFiles } from './connection.ts';
import { type jsonRecord, shownBytes } from './record-text.ts';
import { openRegistryClient } from './registry-client.ts';

/** The flags for a registry of tools whose other flags are about a cluster or a bucket. */
export type RegistryOfRecordsValues = Pick<
  FlagValues,
  | 'schemaRegistryURL'
  | 'schemaRegistryUsername'
  | 'schemaRegistryPassword'
  | 'tlsServerCACertFile'
  | 'tlsClientCertFile'
  | 'tlsClientPrivateKeyFile'
  | 'tlsSkipVerify'
  | 'request-timeout'
>;

type DecodingValues = RegistryOfRecordsValues & Pick<FlagValues, 'decode'>;

const types = { auto: undefined, avro: 'AVRO', protobuf: 'PROTOBUF', json: 'JSON' } as const;

/** Decodes one record for people. What cannot be decoded comes with the reason. */
export type DecodeRecord = (record: BatchRecord) => Promise<DecodedRecord>;

export async function openRegistryOfRecords(values: RegistryOfRecordsValues, clock: Clock) {
  const { schemaRegistryUsername: username, schemaRegistryPassword: password } = values;
  return await openRegistryClient({
    values,
    credentials: username === undefined ? undefined : { kind: 'basic', username, password: password ?? '' },
    tls: await readTlsFiles(registryTlsValues(values)),
    clock,
  });
}

/** Runs work with the decoding that the flags ask for, if any. */
export async function withDecoding<Result>(
  values: DecodingValues,
  clock: Clock,
  work: (decode: DecodeRecord | undefined) => Promise<Result>,
): Promise<Result> {
  if (values.decode === 'none') return await work(undefined);
  const only = types[values.decode];
  const client = await openRegistryOfRecords(values, clock);
  const { loadFormat, PayloadDecoder, SchemaCache } = await import('@weir/registry/decoding');
  const cache = new SchemaCache({ reader: client, formatOf: loadFormat, clock });
  const decoder = new PayloadDecoder({ cache, clock });
  try {
    return await work((record) => decoder.decodeRecord(record, { only }));
  } finally {
    client.close();
  }
}

/** For users, on one line. `shown` is the payload as it is. */
export function shownPayload(
  bytes: Buffer | null,
  decoded: DecodedPayload | undefined,
  shown: (bytes: Buffer | null) => string = shownBytes,
): string {
  switch (decoded?.kind) {
    case 'decoded':
      return escapeControls(decoded.json);
    case 'failed':
      return `${shown(bytes)} (schema ${decoded.ref}: ${escapeControls(decoded.reason)})`;
    default:
      return shown(bytes);
  }
}

/**
 * A record as JSON: decoded parts are JSON values; `keySchema` and `valueSchema` name their schemas, with the type and
 * the subjects beside it, and `keyProblem` and `valueProblem` say why a part is not decoded.
 */
export function decodedJson(raw: ReturnType<typeof jsonRecord>, decoded: DecodedRecord | undefined) {
  if (decoded === undefined) return raw;
  return { ...raw, ...jsonPart('key', decoded.key), ...jsonPart('value', decoded.value) };
}

function jsonPart(part: 'key' | 'value', decoded: DecodedPayload): Record<string, unknown> {
  if (decoded.kind === 'plain') return {};
  const { ref, type, subjects } = decoded;
  return {
    ...(decoded.kind === 'decoded' ? { [part]: new JsonText(decoded.json) } : {}),
    [`${part}Schema`]: ref,
    ...(type === undefined ? {} : { [`${part}SchemaType`]: type, [`${part}Subjects`]: subjects }),
    ...(decoded.kind === 'failed' ? { [`${part}Problem`]: decoded.reason } : {}),
  };
}
