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
export {
  type JsonSchema,
  jsonSchemaFormat,
  reservedPropertyIncompatibilities,
} from './json-schema/json-schema-format.ts';
export { registryLimits } from './limits.ts';
export { LinkedContexts } from './linking/linked-contexts.ts';
export { LinkingFailed, type LinkSource } from './linking/source-reader.ts';
export { type LinkDestination, syncRegistry } from './linking/sync-registry.ts';
export { type ProtobufSchema, protobufFormat } from './protobuf/protobuf-format.ts';
export { prettySchema } from './readable/pretty-schema.ts';
export { type NamedSchema, schemaDiff } from './readable/schema-diff.ts';
export { readViolations, type SchemaViolation } from './readable/violations.ts';
export {
  type CompatibilityAnswer,
  type CompatibilityLevel,
  type ConfigAnswer,
  compatibilityLevels,
  type DekAnswer,
  type ExporterAnswer,
  type ExporterState,
  type ExporterStatusAnswer,
  type KekAnswer,
  type Metadata,
  type ModeAnswer,
  type RegisterAnswer,
  type RegistryMode,
  type Rule,
  type RuleSet,
  registryModes,
  type SchemaAnswer,
  type SchemaByIdAnswer,
  type SchemaTags,
  type SubjectVersionAnswer,
} from './registry-answers.ts';
export type { RegistryChange } from './registry-change.ts';
export { RegistryError, type RegistryErrorName, registryErrors } from './registry-error.ts';
export type { Decision, RegistryStore } from './registry-store.ts';
export {
  type RegistryChangeStream,
  RegistryReplica,
  type RegistryReplicaOptions,
} from './replica/registry-replica.ts';
export {
  type CompatibilityOptions,
  type Incompatibility,
  InvalidPayload,
  InvalidSchema,
  type ParsedSchema,
  type PayloadCodec,
  type ResolvedReference,
  type SchemaFormat,
  type SchemaReference,
  type SchemaSource,
  type SchemaType,
  schemaTypes,
} from './schema-format.ts';
export { loadSchemaFormats } from './schema-formats.ts';
export { ExporterService } from './service/exporter-service.ts';
export { KeyService } from './service/key-service.ts';
export type {
  CompatibilityQuery,
  DekQuery,
  DeleteDekQuery,
  DeleteModeQuery,
  DeleteQuery,
  ListContextsQuery,
  ListDeksQuery,
  ListKeksQuery,
  ListSchemasQuery,
  ListSubjectsQuery,
  ListVersionsQuery,
  LookUpQuery,
  PageQuery,
  PutModeQuery,
  ReferencedByQuery,
  RegisterQuery,
  SchemaByIdQuery,
  ScopeQuery,
  UsesOfIdQuery,
  VersionQuery,
  WithMetadataQuery,
} from './service/registry-queries.ts';
export { RegistryService, type RegistryServiceOptions } from './service/registry-service.ts';
export {
  contextOfPath,
  defaultContext,
  formatSubject,
  globalContext,
  parseSubject,
  type QualifiedSubject,
  referencedSubject,
  subjectIn,
} from './state/qualified-subject.ts';
export { RegistryState } from './state/registry-state.ts';
