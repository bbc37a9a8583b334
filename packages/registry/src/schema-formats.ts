import type { SchemaFormat, SchemaType } from './schema-format.ts';

/** Loads all languages of schemas. They are large, so that a process without a registry does not load them. */
export async function loadSchemaFormats(): Promise<Readonly<Record<SchemaType, SchemaFormat>>> {
  const [{ avroFormat }, { protobufFormat }, { jsonSchemaFormat }] = await Promise.all([
    import('./avro/avro-format.ts'),
    import('./protobuf/protobuf-format.ts'),
    import('./json-schema/json-schema-format.ts'),
  ]);
  return {
    AVRO: avroFormat as SchemaFormat,
    PROTOBUF: protobufFormat as SchemaFormat,
    JSON: jsonSchemaFormat as SchemaFormat,
  };
}
