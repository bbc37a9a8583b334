import type { CompatibilityOptions, Incompatibility, ParsedSchema, SchemaFormat } from '../schema-format.ts';
import {
  incompatibilitiesOf,
  type ReservedProperties,
  reservedIncompatibilitiesOf,
} from './compatibility/incompatibilities.ts';
import { jsonCodec } from './json-codec.ts';
import { printJson } from './print-json.ts';
import { readDocuments, type SchemaDocuments } from './schema-documents.ts';

export interface JsonSchema extends ParsedSchema {
  readonly type: 'JSON';
  readonly documents: SchemaDocuments;
}

/** JSON Schema, of drafts 4, 6, 7, 2019-09 and 2020-12. */
export const jsonSchemaFormat = {
  type: 'JSON',
  parse(source) {
    const documents = readDocuments(source);
    return { type: 'JSON', documents, canonicalText: printJson(documents.root) };
  },
  normalizedText: ({ documents }) => printJson(documents.root, { sorted: true }),
  incompatibilities(reader, writer, options) {
    const found = incompatibilitiesOf(reader.documents, writer.documents, options);
    const { reserved } = options;
    if (reserved === undefined) return found;
    const updated = options.reader === 'new' ? reader : writer;
    const names = { reader: reserved.new, writer: reserved.old };
    return [...found, ...reservedPropertyIncompatibilities(updated, names, { reader: 'new' })];
  },
  formattedText: ({ canonicalText }) => canonicalText,
  codec: ({ documents }) => jsonCodec(documents),
} as const satisfies SchemaFormat<JsonSchema>;

/**
 * What is wrong with the properties that the metadata of two schemas reserves (`confluent:reserved`). Confluent's
 * registry looks at it only where `validateFields` is set.
 */
export function reservedPropertyIncompatibilities(
  reader: JsonSchema,
  reserved: ReservedProperties,
  options: Pick<CompatibilityOptions, 'reader'>,
): Incompatibility[] {
  return reservedIncompatibilitiesOf(reader.documents, reserved, options);
}
