import { isObject } from '../exact-json.ts';
import type { ParsedSchema, SchemaFormat } from '../schema-format.ts';
import { incompatibilitiesOf } from './compatibility/incompatibilities.ts';
import { jsonCodec } from './json-codec.ts';
import { jsonTagPlaces } from './json-tags.ts';
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
    const problemOfFields = problemOfNames(documents.root);
    return { type: 'JSON', documents, canonicalText: printJson(documents.root), problemOfFields };
  },
  normalizedText: ({ documents }) => printJson(documents.root, { sorted: true }),
  incompatibilities: (reader, writer, options) =>
    incompatibilitiesOf(reader.documents, writer.documents, options),
  usedNames({ documents: { root } }, names) {
    const properties = isObject(root) ? root.get('properties') : undefined;
    return isObject(properties) ? names.filter((name) => properties.has(name)) : [];
  },
  readTags(source) {
    const { root } = readDocuments(source);
    return { places: jsonTagPlaces(root), text: () => printJson(root) };
  },
  formattedText: ({ canonicalText }) => canonicalText,
  codec: ({ documents }) => jsonCodec(documents),
} as const satisfies SchemaFormat<JsonSchema>;

/** Names that Confluent reserves; only those at the top count. */
function problemOfNames(root: SchemaDocuments['root']): string | undefined {
  const properties = isObject(root) ? root.get('properties') : undefined;
  if (!isObject(properties)) return undefined;
  for (const name of properties.keys())
    if (name.startsWith('$$')) return `#/properties/${name}: field names cannot start with $$`;
  return undefined;
}
