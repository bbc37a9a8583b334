/** What a table makes of its schema: its columns, and readers of its records. */
import type { Mapping } from '@weir/bloblang';
import { RegistryRefusal } from '@weir/registry/client';
import type { AvroSchema, MessageType, ProtobufSchema, SchemaSource } from '@weir/registry/formats';
import { avroDocumentReader, avroRowReader } from '../rows/avro-values.ts';
import { framedMessageSource, framedSource } from '../rows/framed-source.ts';
import { jsonReader } from '../rows/json-values.ts';
import { protobufDocumentReader, protobufRowReader } from '../rows/protobuf-values.ts';
import { RegistrySource, sourceOf } from '../rows/registry-source.ts';
import type { RowReader } from '../rows/row-reader.ts';
import { type RecordSource, rawSource, TableRows } from '../rows/table-rows.ts';
import type { RowContext, ValueReader } from '../rows/value-reader.ts';
import { avroColumns, parseAvroSchema } from '../schemas/avro-columns.ts';
import { type SchemaColumns, tableColumns, UnusableSchema } from '../schemas/columns.ts';
import { jsonColumns } from '../schemas/json-columns.ts';
import { messageNamed, parseProtobufSchema, protobufColumns } from '../schemas/protobuf-columns.ts';
import type { SourceFormat, TableRegistry } from '../table-definition.ts';

/** A schema that records are read by, with the columns that it describes. */
export type ParsedSource =
  | { readonly kind: 'json'; readonly columns: SchemaColumns }
  | { readonly kind: 'avro'; readonly columns: SchemaColumns; readonly schema: AvroSchema }
  | {
      readonly kind: 'protobuf';
      readonly columns: SchemaColumns;
      readonly schema: ProtobufSchema;
      readonly message: MessageType;
    };

/** Parses the schema of records. Throws `UnusableSchema`. */
export function parsedSource(
  format: SourceFormat,
  source: SchemaSource,
  messageName: string | undefined,
): ParsedSource {
  switch (format) {
    case 'json':
      return { kind: 'json', columns: jsonColumns(source.text) };
    case 'avro': {
      const schema = parseAvroSchema(source);
      return { kind: 'avro', schema, columns: avroColumns(schema) };
    }
    case 'protobuf': {
      const schema = parseProtobufSchema(source);
      const message = messageNamed(schema, messageName);
      return { kind: 'protobuf', schema, message, columns: protobufColumns(message) };
    }
  }
}

interface RowsOptions {
  /** The columns of the table, if they are not those of the schema of records. */
  readonly columns: SchemaColumns;
  readonly hasOwnColumns: boolean;
  readonly mappings: readonly Mapping[];
  readonly isFramed: boolean;
}

/** Opens a reader of records whose schema the configuration has; JSON needs none. */
export function openInlineRows(parsed: ParsedSource | undefined, options: RowsOptions): RowReader {
  const context = contextOf(options);
  return rowsOf(inlineSource(parsed, context, options), options.columns, context);
}

/** Opens a reader of records that name a schema of a registry. */
export function openRegistryRows(
  registry: TableRegistry,
  format: SourceFormat,
  options: Omit<RowsOptions, 'isFramed' | 'hasOwnColumns'>,
): RowReader {
  const context = contextOf(options);
  return rowsOf(new RegistrySource(registry, format, context), options.columns, context);
}

function contextOf({
  columns: { columns, units },
  mappings,
}: Pick<RowsOptions, 'columns' | 'mappings'>): RowContext {
  return { columns, units, mappings, meter: { bytes: 0 } };
}

function rowsOf(source: RecordSource, columns: SchemaColumns, { meter }: RowContext): RowReader {
  return new TableRows(source, tableColumns(columns).columns.length, meter);
}

function inlineSource(
  parsed: ParsedSource | undefined,
  context: RowContext,
  { isFramed, hasOwnColumns, mappings }: RowsOptions,
): RecordSource {
  const isDirect = mappings.length === 0 && !hasOwnColumns;
  const reader = inlineReader(parsed, context, isDirect);
  if (!isFramed) return rawSource(reader);
  return parsed?.kind === 'protobuf'
    ? framedMessageSource(reader, parsed.schema, parsed.message)
    : framedSource(reader);
}

function inlineReader(parsed: ParsedSource | undefined, context: RowContext, isDirect: boolean): ValueReader {
  switch (parsed?.kind) {
    case 'avro':
      return (isDirect ? avroRowReader : avroDocumentReader)(parsed.schema, context);
    case 'protobuf':
      return (isDirect ? protobufRowReader : protobufDocumentReader)(parsed.schema, parsed.message, context);
    default:
      return jsonReader(context);
  }
}

/** The schema of a subject cannot be that of a table; asking again does not help until it has another one. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}

interface WantedSchema {
  readonly format: SourceFormat;
  readonly subject: string;
  readonly messageName: string | undefined;
}

/**
 * The newest schema of a subject. Throws `SchemaRefused`, or what the client of the registry throws if it did not
 * answer.
 */
export async function latestSchema(
  registry: TableRegistry,
  { format, subject, messageName }: WantedSchema,
): Promise<ParsedSource> {
  const found = await registry.schemaOfVersion(subject, 'latest');
  if (found === undefined)
    throw new SchemaRefused(`the registry has no subject ${subject}; register a schema, or list the columns`);
  if (found.schemaType.toLowerCase() !== format)
    throw new SchemaRefused(
      `the schema of ${subject} is ${found.schemaType}, and source_format is ${format}`,
    );
  try {
    return parsedSource(format, await sourceOf(registry, found), messageName);
  } catch (error) {
    if (error instanceof UnusableSchema)
      throw new SchemaRefused(`the schema of ${subject}: ${error.message}`);
    if (error instanceof RegistryRefusal && !error.isTemporary)
      throw new SchemaRefused(`the schema of ${subject}: ${error.reason}`);
    throw error;
  }
}
