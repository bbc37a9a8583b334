import { createHash } from 'node:crypto';
import type { Clock } from '@weir/core';
import { RegistryRefusal, RegistryUnavailable } from '../client/client-error.ts';
import type { NewSchema } from '../client/registry-schema.ts';
import { registryLimits } from '../limits.ts';
import { jsonCharsOf } from '../payload-json.ts';
import { PayloadWork } from '../payload-work.ts';
import { RegistryError } from '../registry-error.ts';
import { InvalidPayload, type SchemaType } from '../schema-format.ts';
import { encoded, type JsonInput } from '../schema-work/payload-task.ts';
import type { SchemaPool } from '../schema-work/schema-pool.ts';
import { SizedCache } from '../schema-work/sized-cache.ts';
import { inThread } from './in-thread.ts';
import type { RegistryWriter } from './registry-reader.ts';
import type { CachedSchema, SchemaCache } from './schema-cache.ts';
import { framed } from './wire-format.ts';

/** The schema to encode with: one by id, the last version of a subject, or a text, which the subject has or gets. */
export type WantedSchema =
  | { readonly id: number }
  | { readonly subject: string; readonly schema?: undefined }
  | { readonly subject: string; readonly schema: NewSchema; readonly mayRegister: boolean };

interface OpenOptions {
  /** The full name of the message to encode, of a Protobuf schema with several; the first one if absent. */
  readonly recordName?: string | undefined;
  /** Whether the caller may read a subject, for schemas by id. One subject that has the schema is enough. */
  readonly mayRead?: ((subject: string) => boolean) | undefined;
}

/** Why values cannot be encoded with a schema. The message is one line, for users. */
export class SchemaUnusable extends Error {
  override name = 'SchemaUnusable';
  /** `missing`: no such schema. `refused`: invalid, incompatible or not permitted. `unavailable`: try again. */
  readonly reason: 'missing' | 'refused' | 'unavailable';

  constructor(reason: SchemaUnusable['reason'], message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
  }
}

/** Encodes values with one schema. */
export interface SchemaEncoder {
  readonly id: number;
  readonly type: SchemaType;
  /**
   * Encodes a JSON value, with the magic byte and the id before it. `null` stays: it deletes a key. Throws
   * `InvalidPayload` for a value that does not fit the schema.
   */
  encode(value: unknown): Promise<Buffer | null>;
  /** The same for JSON as text, whose integers keep all their digits. */
  encodeText(json: string): Promise<Buffer | null>;
}

interface PayloadEncoderOptions {
  readonly cache: SchemaCache;
  readonly clock: Clock;
  readonly registry: RegistryWriter;
  /** Threads for large values. Without them, the calling thread encodes all. */
  readonly pool?: SchemaPool | undefined;
}

/** The size of an id in the cache, with its key. */
const idBytes = 128;

/** Encodes JSON values as Avro, Protobuf or JSON, by the schema that the caller names. */
export class PayloadEncoder {
  readonly #cache: SchemaCache;
  readonly #clock: Clock;
  readonly #registry: RegistryWriter;
  readonly #pool: SchemaPool | undefined;
  /** Ids of texts under subjects. They never change. */
  readonly #ids = new SizedCache<number>(registryLimits.encoderIdsBytesMax);

  constructor({ cache, clock, registry, pool }: PayloadEncoderOptions) {
    this.#cache = cache;
    this.#clock = clock;
    this.#registry = registry;
    this.#pool = pool;
  }

  /** Throws `SchemaUnusable`. */
  async open(wanted: WantedSchema, { recordName, mayRead }: OpenOptions = {}): Promise<SchemaEncoder> {
    const isById = 'id' in wanted;
    const id = isById ? wanted.id : await asUnusable(() => this.#idOf(wanted));
    const schema = await this.#schemaOf(id, !isById);
    const { type, subjects } = schema;
    if (isById && mayRead !== undefined && ![...subjects].some(mayRead))
      throw new SchemaUnusable('refused', `no right to read a subject that has schema ${id}`);
    // One for all values, of which each could take the whole of a limit of its own.
    const work = new PayloadWork();
    const payload = async (input: JsonInput) =>
      framed(id, await this.#payload(schema, input, recordName, work));
    return {
      id,
      type,
      encode: async (value) => (value === null ? null : payload({ value })),
      encodeText: async (json) => (json.trim() === 'null' ? null : payload({ json })),
    };
  }

  async #idOf(wanted: Exclude<WantedSchema, { readonly id: number }>): Promise<number> {
    const { subject, schema } = wanted;
    if (schema === undefined) {
      const latest = await this.#registry.schemaOfVersion(subject, 'latest');
      if (latest?.id === undefined) throw new SchemaUnusable('missing', `subject ${subject} not found`);
      return latest.id;
    }
    const key = createHash('sha256')
      .update(JSON.stringify([subject, schema]))
      .digest('base64');
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const found = wanted.mayRegister
      ? await this.#registry.register(subject, schema)
      : await this.#registry.lookup(subject, schema);
    if (found?.id === undefined)
      throw new SchemaUnusable('missing', `subject ${subject} does not have the schema`);
    this.#ids.set(key, found.id, idBytes);
    return found.id;
  }

  async #schemaOf(id: number, isNew: boolean): Promise<CachedSchema> {
    const known = this.#cache.state(id, this.#clock.monotonicMs());
    // One that was just registered may have been missing a moment before.
    const isCurrent = known.kind === 'found' || (!isNew && known.kind !== 'unknown');
    const state = isCurrent ? known : (await this.#cache.load(id)).state;
    if (state.kind === 'unavailable') throw new SchemaUnusable('unavailable', state.problem);
    if (state.kind !== 'found') throw new SchemaUnusable('missing', `the registry has no schema ${id}`);
    const { problem } = state.schema;
    if (problem !== undefined)
      throw new SchemaUnusable('refused', `schema ${id} cannot be parsed: ${problem}`);
    return state.schema;
  }

  async #payload(
    { type, codec, source }: CachedSchema,
    input: JsonInput,
    recordName: string | undefined,
    work: PayloadWork,
  ): Promise<Uint8Array> {
    const { inlinePayloadBytesMax: inlineCharsMax, decodedJsonCharsMax: charsMax } = registryLimits;
    const chars = 'json' in input ? input.json.length : jsonCharsOf(input.value, charsMax);
    if (chars === Number.POSITIVE_INFINITY) throw new InvalidPayload('it is nested too deeply');
    if (chars > charsMax) throw new InvalidPayload(`its JSON has more than ${charsMax} characters`);
    work.allow(chars);
    if (codec !== undefined && (this.#pool === undefined || chars <= inlineCharsMax))
      return encoded(codec, type, input, recordName, work);
    if (this.#pool === undefined) throw new InvalidPayload('the schema is too large');
    const workMax = work.left;
    const task = { kind: 'encode', type, source: source!, input, recordName, workMax } as const;
    const result = await inThread(this.#pool, task);
    if (result.kind !== 'payload') throw new Error(`a result of the kind ${result.kind} was not asked for`);
    work.spend(result.work);
    return result.payload;
  }
}

async function asUnusable<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RegistryUnavailable)
      throw new SchemaUnusable('unavailable', error.message, { cause: error });
    if (error instanceof RegistryRefusal) {
      const reason = error.isTemporary ? 'unavailable' : 'refused';
      throw new SchemaUnusable(reason, error.message, { cause: error });
    }
    if (error instanceof RegistryError) {
      const reason = error.code >= 50_000 ? 'unavailable' : 'refused';
      throw new SchemaUnusable(reason, error.message, { cause: error });
    }
    throw error;
  }
}
