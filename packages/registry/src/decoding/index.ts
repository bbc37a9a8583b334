/** What decodes and encodes payloads without loading the formats, which are loaded when the first schema is parsed. */
export type { AvroSchema } from '../avro/avro-format.ts';
export { fingerprintOf } from '../avro/fingerprint.ts';
export { avroOfPlain, plainOfAvro } from '../avro/plain-json.ts';
export { registryLimits } from '../limits.ts';
export { PayloadWork } from '../payload-work.ts';
export type { ProtobufSchema } from '../protobuf/protobuf-format.ts';
export { InvalidPayload, type PayloadCodec } from '../schema-format.ts';
export { SchemaPool } from '../schema-work/schema-pool.ts';
export { loadFormat, loadMessageCodec } from './load-format.ts';
export {
  type DecodedPayload,
  type DecodedRecord,
  PayloadDecoder,
} from './payload-decoder.ts';
export { PayloadEncoder, type SchemaEncoder, SchemaUnusable, type WantedSchema } from './payload-encoder.ts';
export { RecordSchemas } from './record-schemas.ts';
export type { RegistryReader, RegistryWriter } from './registry-reader.ts';
export {
  type CachedSchema,
  type LoadedSchema,
  SchemaCache,
  type SchemaState,
  type Unavailable,
} from './schema-cache.ts';
export { serviceReader, serviceWriter } from './service-reader.ts';
export {
  idPrefixBytes,
  namedSchema,
  payloadAfter,
  type SchemaPrefix,
  type SchemaRef,
  schemaIdHeaders,
  schemaIdOf,
  schemaPrefixOf,
} from './wire-format.ts';
