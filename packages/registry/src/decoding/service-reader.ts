import { schemaIn } from '../client/answer-shapes.ts';
import type { RegistrySchema } from '../client/registry-schema.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryService } from '../service/registry-service.ts';
import type { RegistryReader, RegistryWriter } from './registry-reader.ts';

type ReadService = Pick<
  RegistryService,
  'schemaById' | 'schemaByGuid' | 'idsOfGuid' | 'versionsOfId' | 'version'
>;

/** Reads the own registry as another one is read. The service is opened with the first read. */
export function serviceReader(openService: () => Promise<ReadService>): RegistryReader {
  const schema = (read: (service: ReadService) => Promise<unknown>): Promise<RegistrySchema | undefined> =>
    ifExists(async () => schemaIn(await read(await openService())));
  return {
    place: 'the schema registry',
    schemaById: (id) => schema((service) => service.schemaById(id)),
    schemaByGuid: (guid) => schema((service) => service.schemaByGuid(guid)),
    idsOfGuid: (guid) => ifExists(async () => (await openService()).idsOfGuid(guid)),
    versionsOfId: (id) => ifExists(async () => (await openService()).versionsOfId(id)),
    schemaOfVersion: (subject, version, { deleted } = {}) =>
      schema((service) => service.version(subject, String(version), { deleted })),
  };
}

type WrittenService = Pick<RegistryService, 'register' | 'lookUpSchema' | 'version'>;

/** Registers schemas in the own registry as in another one. Throws `RegistryError`. */
export function serviceWriter(openService: () => Promise<WrittenService>): RegistryWriter {
  const schema = (read: (service: WrittenService) => Promise<unknown>): Promise<RegistrySchema | undefined> =>
    ifExists(async () => schemaIn(await read(await openService())));
  return {
    register: async (subject, body) => ({ id: (await (await openService()).register(subject, body)).id }),
    lookup: (subject, body) => schema((service) => service.lookUpSchema(subject, body)),
    schemaOfVersion: (subject, version) => schema((service) => service.version(subject, String(version))),
  };
}

async function ifExists<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RegistryError && error.status === 404) return undefined;
    throw error;
  }
}
