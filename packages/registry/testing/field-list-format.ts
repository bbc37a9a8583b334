import {
  type CompatibilityOptions,
  type Incompatibility,
  InvalidPayload,
  InvalidSchema,
  type ParsedSchema,
  type SchemaFormat,
  type SchemaSource,
  type SchemaType,
} from '../src/schema-format.ts';

interface FieldList extends ParsedSchema {
  readonly fields: readonly string[];
  readonly source: SchemaSource;
}

/**
 * A language of schemas for tests, small enough to see what is compatible: a list of fields, `a b? @c`. A
 * reader needs every field of its own in the writer unless it ends with `?`. `@c` is the reference of the name `c`. The
 * field `spin` never ends to be parsed.
 */
export function fieldListFormat(type: SchemaType): SchemaFormat<FieldList> {
  return {
    type,
    parse(source) {
      const fields = source.text.split(/\s+/).filter((field) => field !== '');
      for (const field of fields) {
        if (!/^@?\w+\??$/.test(field)) throw new InvalidSchema(`"${field}" is not a field`);
        if (field.startsWith('@') && !source.references.some(({ name }) => `@${name}` === field))
          throw new InvalidSchema(`"${field}" is not a reference`);
        while (field === 'spin');
      }
      return { type, canonicalText: fields.join(' '), fields, source };
    },
    normalizedText: ({ fields }) => [...fields].sort().join(' '),
    incompatibilities: (reader, writer, { reader: side }: CompatibilityOptions): Incompatibility[] =>
      reader.fields
        .filter((field) => !field.endsWith('?'))
        .filter(
          (field) => !writer.fields.some((other) => untagged(other).replace('?', '') === untagged(field)),
        )
        .map((field) => ({
          type: 'MISSING_FIELD',
          path: `/${field}`,
          message: `{errorType:'MISSING_FIELD', description:'${field} of the ${side} schema'}`,
        })),
    readTags: readFieldTags,
    usedNames: ({ fields }, names) => names.filter((name) => fields.includes(name)),
    formattedText({ canonicalText, fields, source }, format) {
      if (format !== 'resolved') return canonicalText;
      return fields.map((field) => resolved(field, source)).join(' ');
    },
    codec() {
      throw new InvalidPayload('lists of fields have no payloads');
    },
  };
}

function untagged(field: string): string {
  return field.replace(/__\w*/, '');
}

/** A field with tags is `a__PII__SECRET`. */
function readFieldTags({ text }: SchemaSource) {
  const fields = text
    .split(/\s+/)
    .filter((field) => field !== '')
    .map((field) => field.split(/__/));
  const places = fields.map((field) => ({
    type: 'sr_field' as const,
    paths: [field[0]!.replace(/\?$/, '')],
    isListed: true,
    tags: () => field.slice(1),
    setTags: (tags: readonly string[]) => {
      field.splice(1, Infinity, ...tags);
    },
  }));
  return { places, text: () => fields.map((field) => field.join('__')).join(' ') };
}

function resolved(field: string, { references }: SchemaSource): string {
  const reference = references.find(({ name }) => `@${name}` === field);
  if (reference === undefined) return field;
  const { text } = reference.source;
  return text
    .split(' ')
    .map((inner) => resolved(inner, reference.source))
    .join(' ');
}

export const fieldListFormats: Readonly<Record<SchemaType, SchemaFormat>> = {
  AVRO: fieldListFormat('AVRO') as SchemaFormat,
  PROTOBUF: fieldListFormat('PROTOBUF') as SchemaFormat,
  JSON: fieldListFormat('JSON') as SchemaFormat,
};
