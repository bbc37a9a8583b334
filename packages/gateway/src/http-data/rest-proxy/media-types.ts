import { bodyTypeOf, HttpProblem } from '@weir/http';

/** Types of answers of Confluent's REST proxy, the preferred one first. Clients of its API v1 name the last one. */
export const proxyTypes = [
  'application/vnd.kafka.v2+json',
  'application/vnd.kafka+json',
  'application/json',
  'application/vnd.kafka.v1+json',
] as const;

/** Types of bodies without records. */
export const bodyTypes = [
  'application/vnd.kafka.v2+json',
  'application/json',
  'application/vnd.kafka.v1+json',
] as const;

/** How keys and values are in a body. */
export type RecordFormat = 'binary' | 'json' | 'avro' | 'protobuf' | 'jsonschema';

export const formats: ReadonlySet<string> = new Set<RecordFormat>([
  'binary',
  'json',
  'avro',
  'protobuf',
  'jsonschema',
]);
/** Names that the registry has for formats with schemas. */
export const schemaTypeOf = { avro: 'AVRO', protobuf: 'PROTOBUF', jsonschema: 'JSON' } as const;

/** Types of bodies and answers with records. */
export const recordTypes = [
  'application/vnd.kafka.binary.v2+json',
  'application/vnd.kafka.json.v2+json',
  'application/vnd.kafka.avro.v2+json',
  'application/vnd.kafka.protobuf.v2+json',
  'application/vnd.kafka.jsonschema.v2+json',
  'application/vnd.kafka.binary.v1+json',
  'application/vnd.kafka.json.v1+json',
  'application/vnd.kafka.avro.v1+json',
] as const satisfies readonly `application/vnd.kafka.${RecordFormat}.v${1 | 2}+json`[];

export const formatInType = /^application\/vnd\.kafka\.([a-z]+)\.v[12]\+json$/;
/** Types that name no format. */
const plainTypes: ReadonlySet<string> = new Set([...proxyTypes, 'application/octet-stream']);

export function formatOf(contentType: string | undefined): RecordFormat {
  const type = bodyTypeOf(contentType);
  if (type === undefined || plainTypes.has(type)) return 'binary';
  const format = formatInType.exec(type)?.[1] ?? '';
  if (formats.has(format)) return format as RecordFormat;
  throw new HttpProblem(
    415,
    `Send the body as application/vnd.kafka.FORMAT.v2+json, where FORMAT is ${[...formats].join(', ')}.`,
  );
}
