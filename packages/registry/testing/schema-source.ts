import type { SchemaSource } from '../src/schema-format.ts';

/** The source of a schema from its text, with references by name. */
export function schemaSource(
  text: string,
  references: Readonly<Record<string, SchemaSource>> = {},
): SchemaSource {
  return {
    text,
    references: Object.entries(references).map(([name, source]) => ({
      name,
      subject: name,
      version: 1,
      source,
    })),
  };
}
