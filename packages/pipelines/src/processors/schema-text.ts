import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { string } from '../component/field-types.ts';
import type { Reading, TextPlace } from '../component/reading.ts';

/** The fields of processors that have a schema, and how they are read. */
export const schemaPath = (about: string) =>
  string(about)
    .localOnly()
    .check((path) => (path === '' || path.startsWith('file://') ? undefined : 'has to begin with file://'));

interface SchemaFields {
  readonly schema?: string | undefined;
  readonly schema_path?: string | undefined;
}

/** Notes that neither is set. */
export function checkSchema({ schema, schema_path }: SchemaFields, reading: Reading, place: TextPlace): void {
  if (!schema && !schema_path) reading.problem(place, 'schema or schema_path is missing');
}

export async function schemaTextOf({ schema = '', schema_path: path = '' }: SchemaFields): Promise<string> {
  return path === '' ? schema : readFile(fileURLToPath(path), 'utf8');
}
