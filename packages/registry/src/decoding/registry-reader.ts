import type { RegistryClient } from '../client/registry-client.ts';

/** What decoding reads from a registry: one of another cluster or vendor by its API, or the own one. */
export type RegistryReader = Pick<
  RegistryClient,
  'place' | 'schemaById' | 'schemaByGuid' | 'idsOfGuid' | 'versionsOfId' | 'schemaOfVersion'
>;

/** What encoding asks a registry for, beside schemas by id. */
export type RegistryWriter = Pick<RegistryClient, 'register' | 'lookup' | 'schemaOfVersion'>;
