import type { RegistrySchema } from '../src/client/registry-schema.ts';
import type { LinkSource } from '../src/linking/source-reader.ts';
import { RegistryError } from '../src/registry-error.ts';
import type { RegistryService } from '../src/service/registry-service.ts';

/** Reads a registry as its client does, without HTTP. Counts the schemas that were read. */
export function serviceAsSource(service: RegistryService): LinkSource & { schemaReads: number } {
  const source: LinkSource & { schemaReads: number } = {
    place: 'the source',
    schemaReads: 0,
    subjects: ({ deleted } = {}) => service.listSubjects({ deleted }),
    versions: (subject, { deleted } = {}) => ifExists(service.listVersions(subject, { deleted })),
    async schemaOfVersion(subject, version, { deleted } = {}) {
      source.schemaReads++;
      const found = await ifExists(service.version(subject, String(version), { deleted }));
      if (found === undefined) return undefined;
      const { schemaType = 'AVRO', references = [], metadata, ruleSet, deleted: isDeleted, ...rest } = found;
      const schema = { ...rest, schemaType, references, metadata, ruleSet, isDeleted };
      return JSON.parse(JSON.stringify(schema)) as RegistrySchema;
    },
    config: (scope) => ifExists(service.config(scope)) as ReturnType<LinkSource['config']>,
    mode: async (scope) => (await ifExists(service.mode(scope)))?.mode,
  };
  return source;
}

async function ifExists<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RegistryError && Math.floor(error.code / 100) === 404) return undefined;
    throw error;
  }
}
