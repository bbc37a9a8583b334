import { Failure } from '@weir/core';
import {
  InvalidPayload,
  loadFormat,
  PayloadEncoder,
  SchemaCache,
  type SchemaEncoder,
  SchemaUnusable,
  type WantedSchema,
} from '@weir/registry/decoding';
import type { Deps } from '../deps.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import { openRegistryOfRecords, type RegistryOfRecordsValues } from './record-decoding.ts';
import { readSchema } from './schemas/schema-file.ts';

type EncodingValues = RegistryOfRecordsValues &
  Pick<FlagValues, 'topic' | 'schema-id' | 'schema-file' | 'schema-type' | 'schema-message' | 'reference'>;

type Values = AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>;

/** Values to produce, and how they were given. */
interface EncodedValues {
  readonly groups: Values;
  given(value: Buffer): Buffer;
}

/** Runs work with values that are encoded by the schema that the flags name, or as they are without one. */
export async function withEncoding<Result>(
  values: EncodingValues,
  deps: Deps,
  groups: Values,
  work: (encoded: EncodedValues) => Promise<Result>,
): Promise<Result> {
  const wanted = await wantedSchema(values, deps);
  if (wanted === undefined) return await work({ groups, given: (value) => value });
  const client = await openRegistryOfRecords(values, deps.clock);
  try {
    const cache = new SchemaCache({ reader: client, formatOf: loadFormat, clock: deps.clock });
    const encoders = new PayloadEncoder({ cache, clock: deps.clock, registry: client });
    const encoder = await encoders.open(wanted, { recordName: values['schema-message'] });
    const given = new WeakMap<Buffer, Buffer>();
    return await work({
      groups: encodedGroups(encoder, groups, given),
      given: (value) => given.get(value) ?? value,
    });
  } catch (error) {
    throw error instanceof SchemaUnusable ? new Failure(error.message, { cause: error }) : error;
  } finally {
    client.close();
  }
}

/** As Confluent's console producers, it registers the schema of a file under the name of the topic. */
async function wantedSchema(values: EncodingValues, deps: Deps): Promise<WantedSchema | undefined> {
  const { topic, 'schema-id': id, 'schema-file': file } = values;
  if (id !== undefined) return { id };
  if (file === undefined) return undefined;
  const { schema } = await readSchema(values, deps);
  return { subject: `${topic}-value`, schema, mayRegister: true };
}

async function* encodedGroups(
  encoder: SchemaEncoder,
  groups: Values,
  given: WeakMap<Buffer, Buffer>,
): AsyncGenerator<readonly Buffer[], void, undefined> {
  let number = 0;
  for await (const group of groups) {
    const encoded: Buffer[] = [];
    for (const text of group) {
      number += 1;
      const value = await encodedValue(encoder, text, number);
      given.set(value, text);
      encoded.push(value);
    }
    yield encoded;
  }
}

async function encodedValue(encoder: SchemaEncoder, text: Buffer, number: number): Promise<Buffer> {
  try {
    const value = await encoder.encodeText(text.toString());
    if (value !== null) return value;
  } catch (error) {
    if (!(error instanceof InvalidPayload)) throw error;
    throw new Failure(`value ${number} does not match schema ${encoder.id}: ${error.message}`, {
      cause: error,
    });
  }
  throw new Failure(`value ${number} is null (tombstone), which no schema encodes`);
}
