import { registryLimits } from '../limits.ts';
import {
  type CompatibilityOptions,
  type Incompatibility,
  InvalidSchema,
  type ParsedSchema,
  type PayloadCodec,
  type SchemaFormat,
  type SchemaSource,
} from '../schema-format.ts';
import { AvroCodec } from './avro-codec.ts';
import { avroTagPlaces } from './avro-tags.ts';
import type { AvroType } from './avro-type.ts';
import { avroIncompatibilities } from './compatibility.ts';
import { jsonDepth } from './json-text.ts';
import { parseAvro } from './parse-schema.ts';
import { printSchema } from './print-schema.ts';

export interface AvroSchema extends ParsedSchema {
  readonly type: 'AVRO';
  readonly root: AvroType;
  readonly referencedNames: ReadonlySet<string>;
}

/** Avro 1.12, by the rules of its Java library, which Confluent's registry uses. */
export const avroFormat: SchemaFormat<AvroSchema> = {
  type: 'AVRO',

  parse(source: SchemaSource, { isStored = false } = {}): AvroSchema {
    const { root, referencedNames, problemIfNew } = parseAvro(source);
    if (problemIfNew !== undefined && !isStored) throw new InvalidSchema(problemIfNew);
    const canonicalText = printed(root, referencedNames, false);
    // Throws if the types that references define nest too deeply.
    if (referencedNames.size > 0) printed(root, [], false);
    return { type: 'AVRO', root, referencedNames, canonicalText, problemIfNew };
  },

  normalizedText({ root, referencedNames }: AvroSchema): string {
    return printed(root, referencedNames, true);
  },

  incompatibilities(
    reader: AvroSchema,
    writer: AvroSchema,
    options: CompatibilityOptions,
  ): readonly Incompatibility[] {
    return avroIncompatibilities(reader.root, writer.root, options);
  },

  usedNames({ root }: AvroSchema, names: readonly string[]): readonly string[] {
    return root.kind === 'record' ? names.filter((name) => root.fieldByName.has(name)) : [];
  },

  readTags(source: SchemaSource) {
    const parsed = parseAvro(source);
    return {
      places: avroTagPlaces(parsed),
      text: () => printed(parsed.root, parsed.referencedNames, false),
    };
  },

  formattedText(schema: AvroSchema, format: string): string {
    return format.trim().toLowerCase() === 'resolved'
      ? printed(schema.root, [], false)
      : schema.canonicalText;
  },

  codec(schema: AvroSchema): PayloadCodec {
    return new AvroCodec(schema.root);
  },
};

function printed(root: AvroType, knownNames: Iterable<string>, normalizes: boolean): string {
  const text = printSchema(root, { knownNames, normalizes });
  // Else the registry could not parse what it stores.
  if (jsonDepth(text) > registryLimits.avroDepthMax) {
    throw new InvalidSchema(
      `the text nests deeper than ${registryLimits.avroDepthMax} levels where each type is printed at its first use`,
    );
  }
  return text;
}
