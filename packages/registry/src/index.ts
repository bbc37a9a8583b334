export { type AvroSchema, avroFormat } from './avro/avro-format.ts';
export { RegistryRefusal, RegistryUnavailable } from './client/client-error.ts';
export { InvalidRegistryAddress } from './client/registry-address.ts';
export { RegistryClient } from './client/registry-client.ts';
export type {
  RegistryClientOptions,
  RegistryCredentials,
} from './client/registry-connection.ts';
export type {
  Fields,
  NewSchema,
  RegistrySchema,
} from './client/registry-schema.ts';
export { LinkedContexts } from './copying/linked-contexts.ts';
export { LinkingFailed } from './copying/linking-failed.ts';
export type { ExportCounts, ExportDestination } from './exporting/copy-subjects.ts';
export { destinationOptions, InvalidDestination } from './exporting/destination-options.ts';
export { type ExportSource, exportChanges } from './exporting/export-changes.ts';
export { ExportedSubjects } from './exporting/exported-subjects.ts';
export {
  type JsonSchema,
  jsonSchemaFormat,
} from './json-schema/json-schema-format.ts';
export { registryLimits } from './limits.ts';
export type { LinkSource } from './linking/source-reader.ts';
export { type LinkDestination, syncRegistry } from './linking/sync-registry.ts';
export { protobufFormat } from './protobuf/protobuf-format.ts';
export { prettySchema } from './readable/pretty-schema.ts';
export { readViolations, type SchemaViolation } from './readable/violations.ts';
export {
  type Metadata,
  type Rule,
  registryModes,
  type SchemaAnswer,
  type SubjectVersionAnswer,
} from './registry-answers.ts';
export {
  IncompatibleSchema,
  RegistryError,
  type RegistryErrorName,
  registryErrors,
} from './registry-error.ts';
export type { Decision } from './registry-store.ts';
export {
  type RegistryChangeStream,
  RegistryReplica,
} from './replica/registry-replica.ts';
export {
  InvalidSchema,
  type PayloadCodec,
  type SchemaReference,
  type SchemaType,
  schemaTypes,
} from './schema-format.ts';
export { loadSchemaFormats } from './schema-formats.ts';
export { RegistryService } from './service/registry-service.ts';
export type { RehearsedChange, RehearsedOutcome } from './service/rehearsal.ts';
export {
  contextOfPath,
  formatSubject,
  parseSubject,
  referencedSubject,
  subjectIn,
} from './state/qualified-subject.ts';
export { RegistryState } from './state/registry-state.ts';
