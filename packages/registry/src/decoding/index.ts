/** What decodes payloads without loading the formats, which are loaded when the first schema is parsed. */
export { loadFormat } from './load-format.ts';
export { type DecodedPayload, PayloadDecoder } from './payload-decoder.ts';
export type { RegistryReader } from './registry-reader.ts';
export {
  type CachedSchema,
  type LoadedSchema,
  SchemaCache,
  type SchemaState,
  type Unavailable,
} from './schema-cache.ts';
export { serviceReader } from './service-reader.ts';
export {
  payloadAfter,
  type SchemaPrefix,
  type SchemaRef,
  schemaIdHeaders,
  schemaIdOf,
  schemaPrefixOf,
} from './wire-format.ts';
