import type { NamedMessageCodec } from '../protobuf/named-messages.ts';
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

/** The codec of a Protobuf message that one of some files declares; files have the paths that imports name. */
export async function loadMessageCodec(
  files: ReadonlyMap<string, string>,
  fullName: string,
): Promise<NamedMessageCodec> {
  return (await import('../protobuf/named-messages.ts')).codecOfMessage(files, fullName);
}
