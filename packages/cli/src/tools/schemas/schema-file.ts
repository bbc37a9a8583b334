import { basename } from 'node:path';
import { Failure, MiB } from '@weir/core';
import type { NewSchema, SchemaType } from '@weir/registry';
import type { Deps } from '../../deps.ts';
import type { FlagValues } from '../../flags/catalogue.ts';
import { readGivenFile } from '../given-file.ts';

type SchemaValues = Pick<FlagValues, 'schema-file' | 'schema-type' | 'reference'>;

/** No registry accepts a larger one. */
const schemaBytesMax = 10 * MiB;

const typesByEnding: Readonly<Record<string, SchemaType>> = {
  avsc: 'AVRO',
  proto: 'PROTOBUF',
  json: 'JSON',
};

interface GivenSchema {
  readonly schema: NewSchema & { readonly schemaType: SchemaType };
  /** What diffs call it. */
  readonly name: string;
}

/** The schema that the flags name, from a file or from standard input. */
export async function readSchema(values: SchemaValues, deps: Deps): Promise<GivenSchema> {
  const path = values['schema-file']!;
  const schemaType = values['schema-type'] ?? typeOf(path);
  const schema = await readGivenFile('schema-file', path, schemaBytesMax, deps);
  return {
    schema: { schema, schemaType, references: values.reference },
    name: path === '-' ? 'standard input' : basename(path),
  };
}

/** The language of a schema by the name of its file. */
export function schemaTypeOf(path: string): SchemaType | undefined {
  return typesByEnding[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
}

function typeOf(path: string): SchemaType {
  const type = schemaTypeOf(path);
  if (type !== undefined) return type;
  const why =
    path === '-' ? 'standard input has no name' : 'its name does not end with .avsc, .proto or .json';
  throw new Failure(`-schema-file=${path}: ${why}; set -schema-type`);
}
