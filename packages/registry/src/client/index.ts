/** The client of a registry, without the registry itself. */
export { registryErrors } from '../registry-error.ts';
export { RegistryRefusal, RegistryUnavailable } from './client-error.ts';
export { InvalidRegistryAddress } from './registry-address.ts';
export { RegistryClient } from './registry-client.ts';
export type { RegistrySchema } from './registry-schema.ts';
export { resolveReferences } from './resolve-references.ts';
