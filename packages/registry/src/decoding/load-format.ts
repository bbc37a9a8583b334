import type { SchemaFormat, SchemaType } from '../schema-format.ts';

/** Loads a format with its libraries. */
export async function loadFormat(type: SchemaType): Promise<SchemaFormat> {
  switch (type) {
    case 'AVRO':
      return (await import('../avro/avro-format.ts')).avroFormat as SchemaFormat;
    case 'PROTOBUF':
      return (await import('../protobuf/protobuf-format.ts')).protobufFormat as SchemaFormat;
    case 'JSON':
      return (await import('../json-schema/json-schema-format.ts')).jsonSchemaFormat as SchemaFormat;
  }
}
