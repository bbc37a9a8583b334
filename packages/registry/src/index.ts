export { RegistryError, type RegistryErrorName, registryErrors } from './registry-error.ts';
export type { Decision, RegistryChange, RegistryStore } from './registry-store.ts';
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
export { RegistryState } from './state/registry-state.ts';
