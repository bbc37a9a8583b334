/** Records whose values name a schema of a registry, each of which is fetched once. */
import { RegistryRefusal, type RegistrySchema, resolveReferences } from '@weir/registry/client';
import type { SchemaRef } from '@weir/registry/decoding';
import type { AvroSchema, MessageType, SchemaSource } from '@weir/registry/formats';
import { tableLimits } from '../limits.ts';
import type { RowValue } from '../parquet/parquet-writer.ts';
import { avroColumns, parseAvroSchema } from '../schemas/avro-columns.ts';
import { type Column, type SchemaColumns, UnusableSchema } from '../schemas/columns.ts';
import { parseProtobufSchema, protobufColumns } from '../schemas/protobuf-columns.ts';
import { sameColumns } from '../schemas/same-columns.ts';
import type { SourceFormat, TableRegistry } from '../table-definition.ts';
import { avroDocumentReader, avroRowReader } from './avro-values.ts';
import { framedMessage, framedOf, requiredFrame } from './framed-source.ts';
import { jsonReader } from './json-values.ts';
import { protobufDocumentReader, protobufRowReader } from './protobuf-values.ts';
import { fail } from './row-fault.ts';
import type { SourceRecord } from './row-reader.ts';
import type { RecordSource } from './table-rows.ts';
import type { RowContext, ValueReader } from './value-reader.ts';

/** Reads payloads of one schema, or says why it cannot. */
type KnownSchema =
  | { readonly read: ValueReader['read'] }
  | { readonly problem: string; readonly isMissing?: boolean };

const typeOfFormat = { json: 'JSON', avro: 'AVRO', protobuf: 'PROTOBUF' } as const;

/** Requests for schemas at once. */
const fetchesMax = 8;

export class RegistrySource implements RecordSource {
  readonly #registry: TableRegistry;
  readonly #format: SourceFormat;
  readonly #context: RowContext;
  readonly #known = new Map<SchemaRef, KnownSchema>();

  constructor(registry: TableRegistry, format: SourceFormat, context: RowContext) {
    this.#registry = registry;
    this.#format = format;
    this.#context = context;
  }

  async prepare(records: readonly SourceRecord[]): Promise<void> {
    if (this.#known.size > tableLimits.knownSchemasMax) this.#known.clear();
    const wanted = new Set<SchemaRef>();
    for (const record of records) {
      const ref = record.value === null ? undefined : framedOf(record)?.ref;
      if (ref !== undefined && !this.#isKnown(ref)) wanted.add(ref);
    }
    const refs = [...wanted];
    for (let at = 0; at < refs.length; at += fetchesMax)
      await Promise.all(
        refs.slice(at, at + fetchesMax).map(async (ref) => this.#known.set(ref, await this.#fetched(ref))),
      );
  }

  /** A schema that the registry did not have may be there by now. */
  #isKnown(ref: SchemaRef): boolean {
    const known = this.#known.get(ref);
    return known !== undefined && !('isMissing' in known);
  }

  read(record: SourceRecord, _value: Uint8Array, columns: readonly RowValue[][], row: number): boolean {
    const { ref, payload } = requiredFrame(record);
    const known = this.#known.get(ref) ?? fail('decode', `schema ${ref} was not fetched`);
    if ('problem' in known) return fail('decode', known.problem);
    return known.read(payload, columns, row);
  }

  async #fetched(ref: SchemaRef): Promise<KnownSchema> {
    const found =
      typeof ref === 'number' ? await this.#registry.schemaById(ref) : await this.#registry.schemaByGuid(ref);
    if (found === undefined) return { problem: `schema ${ref} is not in the registry`, isMissing: true };
    const wanted = typeOfFormat[this.#format];
    if (found.schemaType !== wanted)
      return { problem: `schema ${ref} is ${found.schemaType}, and the table reads ${wanted}` };
    try {
      return { read: this.#reader(await sourceOf(this.#registry, found)) };
    } catch (error) {
      if (error instanceof UnusableSchema) return { problem: `schema ${ref}: ${error.message}` };
      if (error instanceof RegistryRefusal && !error.isTemporary)
        return { problem: `schema ${ref}: ${error.reason}` };
      throw error;
    }
  }

  #reader(source: SchemaSource): ValueReader['read'] {
    switch (this.#format) {
      case 'json': {
        const reader = jsonReader(this.#context);
        return reader.read.bind(reader);
      }
      case 'avro': {
        const reader = avroReader(parseAvroSchema(source), this.#context);
        return reader.read.bind(reader);
      }
      case 'protobuf':
        return this.#protobufReader(source);
    }
  }

  #protobufReader(source: SchemaSource): ValueReader['read'] {
    const schema = parseProtobufSchema(source);
    const readers = new Map<MessageType, ValueReader>();
    return (payload, columns, row) => {
      const { type, message } = framedMessage(schema, payload);
      let reader = readers.get(type);
      if (reader === undefined) {
        const isSame = hasColumns(() => protobufColumns(type), this.#context);
        reader = (isSame ? protobufRowReader : protobufDocumentReader)(schema, type, this.#context);
        readers.set(type, reader);
      }
      return reader.read(message, columns, row);
    };
  }
}

/** A schema with all that it refers to. */
export async function sourceOf(registry: TableRegistry, found: RegistrySchema): Promise<SchemaSource> {
  return await resolveReferences(
    registry,
    found,
    found.subject === undefined ? {} : { subject: found.subject },
  );
}

function avroReader(schema: AvroSchema, context: RowContext): ValueReader {
  const isSame = hasColumns(() => avroColumns(schema), context);
  return (isSame ? avroRowReader : avroDocumentReader)(schema, context);
}

/** Whether a schema has the columns of the table and nothing is transformed, so that values need no names. */
function hasColumns(columnsOf: () => SchemaColumns, { columns, mappings }: RowContext): boolean {
  if (mappings.length > 0) return false;
  let found: readonly Column[];
  try {
    found = columnsOf().columns;
  } catch (error) {
    if (error instanceof UnusableSchema) return false;
    throw error;
  }
  return sameColumns(found, columns);
}
