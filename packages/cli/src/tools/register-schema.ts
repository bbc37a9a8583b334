import { Failure } from '@weir/core';
import { RegistryRefusal, registryErrors } from '@weir/registry/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { withRegistry } from './schemas/open-registry.ts';
import { readSchema } from './schemas/schema-file.ts';

/** Registers a schema as the next version of a subject, and prints its id and version. */
export const registerSchemaTool: Handler<'cli register-schema'> = async (values, deps) => {
  const { schema } = await readSchema(values, deps);
  const subject = values.subject!;
  const { id, version, guid } = await withRegistry(values, deps, async (registry, stop) => {
    try {
      const made = await registry.register(subject, schema, { normalize: values.normalize, stop });
      if (made.version !== undefined) return made;
      // Registries before 7.0 return the id alone.
      const found = await registry.lookup(subject, schema, { normalize: values.normalize, stop });
      return { ...made, ...(found?.version === undefined ? {} : { version: found.version }) };
    } catch (error) {
      throw isIncompatible(error)
        ? new Failure(
            `${subject}: the schema is incompatible with an earlier version; run weir cli check-schema with the same flags to see why`,
            { cause: error },
          )
        : error;
    }
  });
  return printResult(values, deps, {
    json: { subject, version, id, guid },
    text: () =>
      table(
        ['SUBJECT', 'VERSION', 'ID'],
        [[subject, version === undefined ? '-' : String(version), String(id)]],
      ),
  });
};

/** Registries before 8.0 answer 409 without a code of its own. */
function isIncompatible(error: unknown): boolean {
  if (!(error instanceof RegistryRefusal)) return false;
  return error.errorCode === registryErrors.incompatible || error.errorCode === 409;
}
