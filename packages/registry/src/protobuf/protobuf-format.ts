import { registryLimits } from '../limits.ts';
import { InvalidSchema, type ParsedSchema, type SchemaFormat } from '../schema-format.ts';
import { differencesOf } from './compare.ts';
import { encodeDescriptor } from './descriptor-writer.ts';
import { isIncompatible, messageOf } from './difference.ts';
import { type LoadedSchema, loadSchema } from './load-files.ts';
import { printFile } from './print-file.ts';
import { ProtobufCodec } from './protobuf-codec.ts';
import { protobufTagPlaces } from './protobuf-tags.ts';

/** The name of the file in serialized schemas, which have none of their own. */
const serializedName = 'default';

export interface ProtobufSchema extends ParsedSchema {
  readonly type: 'PROTOBUF';
  readonly loaded: LoadedSchema;
}

/** Protobuf schemas: proto2, proto3 and edition 2023. */
export const protobufFormat = {
  type: 'PROTOBUF',

  parse(source) {
    const loaded = loadSchema(source);
    const canonicalText = printFile(loaded.file, { normalize: false, ignoreExtensions: false });
    // What is stored must be within the limit too, as it is parsed again.
    if (canonicalText.length > registryLimits.protobufTextCharsMax) {
      throw new InvalidSchema(`the schema is longer than ${registryLimits.protobufTextCharsMax} characters`);
    }
    return { type: 'PROTOBUF', canonicalText, loaded };
  },

  normalizedText: ({ loaded }) => printFile(loaded.file, { normalize: true, ignoreExtensions: false }),

  incompatibilities: (reader, writer, options) =>
    differencesOf(writer.loaded, reader.loaded)
      .filter(isIncompatible)
      .slice(0, registryLimits.protobufDifferencesMax)
      .map(({ type, path }) => ({ type, path, message: messageOf(type, path, options.reader) })),

  usedNames({ loaded }, names) {
    // As in Confluent's registry, members of oneofs do not count.
    const fields = loaded.file.messages.flatMap((message) => message.fields.filter(({ oneof }) => !oneof));
    const used = new Set(fields.map(({ name }) => name));
    return names.filter((name) => used.has(name));
  },

  readTags(source) {
    const { file } = loadSchema(source);
    return {
      places: protobufTagPlaces(file.node),
      text: () => printFile(file, { normalize: false, ignoreExtensions: false }),
    };
  },

  formattedText(schema, format) {
    if (format === 'serialized') {
      return Buffer.from(encodeDescriptor(schema.loaded.file, serializedName)).toString('base64');
    }
    if (format === 'ignore_extensions') {
      return printFile(schema.loaded.file, { normalize: false, ignoreExtensions: true });
    }
    return schema.canonicalText;
  },

  codec: ({ loaded }) => new ProtobufCodec(loaded),
} satisfies SchemaFormat<ProtobufSchema>;
