import type { Clock } from '@weir/core';
import { registryLimits } from '../limits.ts';
import { jsonOfPayload } from '../payload-json.ts';
import { InvalidPayload, type SchemaType } from '../schema-format.ts';
import type { SchemaPool } from '../schema-work/schema-pool.ts';
import { inThread } from './in-thread.ts';
import type { CachedSchema, SchemaCache } from './schema-cache.ts';
import { type NamedSchema, namedSchema, type RecordPayloads, type SchemaRef } from './wire-format.ts';

/** A key or value for people. */
export type DecodedPayload =
  | {
      readonly kind: 'decoded';
      readonly ref: SchemaRef;
      readonly type: SchemaType;
      /** Subjects of the default context that have the schema and that the caller may read; the first ones of many. */
      readonly subjects: readonly string[];
      /** The full name of the record or message, if it has one. */
      readonly recordName: string | undefined;
      /** JSON on one line. */
      readonly json: string;
    }
  /** The payload names no schema. */
  | { readonly kind: 'plain' }
  | {
      readonly kind: 'failed';
      readonly ref: SchemaRef;
      /** Absent if the schema could not be read. */
      readonly type: SchemaType | undefined;
      readonly subjects: readonly string[];
      /** One line. */
      readonly reason: string;
    };

export interface DecodedRecord {
  readonly key: DecodedPayload;
  readonly value: DecodedPayload;
}

export interface DecodeOptions {
  /** Decode payloads of one type alone. */
  readonly only?: SchemaType | undefined;
  /** The longest JSON that the caller wants. */
  readonly charsMax?: number | undefined;
  /**
   * Whether the caller may read a subject; without it, all. As for `GET /schemas/ids/{id}`, one subject that has the
   * schema is enough.
   */
  readonly mayRead?: ((subject: string) => boolean) | undefined;
}

interface PayloadDecoderOptions {
  readonly cache: SchemaCache;
  readonly clock: Clock;
  /** Threads for large payloads. Without them, the calling thread decodes all. */
  readonly pool?: SchemaPool | undefined;
}

const plain: DecodedPayload = { kind: 'plain' };

/** Decodes keys and values by the schema that they name. What cannot be decoded comes with the reason. */
export class PayloadDecoder {
  readonly #cache: SchemaCache;
  readonly #clock: Clock;
  readonly #pool: SchemaPool | undefined;

  constructor({ cache, clock, pool }: PayloadDecoderOptions) {
    this.#cache = cache;
    this.#clock = clock;
    this.#pool = pool;
  }

  async decodeRecord(record: RecordPayloads, options: DecodeOptions = {}): Promise<DecodedRecord> {
    return {
      key: await this.decodePart('key', record, options),
      value: await this.decodePart('value', record, options),
    };
  }

  async decodePart(
    part: 'key' | 'value',
    record: RecordPayloads,
    options: DecodeOptions = {},
  ): Promise<DecodedPayload> {
    return await this.#decode(namedSchema(part, record), options);
  }

  async #decode(
    named: NamedSchema | undefined,
    { only, charsMax = registryLimits.decodedJsonCharsMax, mayRead }: DecodeOptions,
  ): Promise<DecodedPayload> {
    if (named === undefined) return plain;
    const { ref, payload } = named;
    const found = await this.#schemaOf(ref);
    if (typeof found === 'string')
      return { kind: 'failed', ref, type: undefined, subjects: [], reason: found };
    const subjects = readableSubjects(found.subjects, mayRead);
    if (mayRead !== undefined && subjects.length === 0) {
      const reason = 'no right to read a subject that has the schema';
      return { kind: 'failed', ref, type: undefined, subjects, reason };
    }
    const { type } = found;
    const failed = (reason: string): DecodedPayload => ({ kind: 'failed', ref, type, subjects, reason });
    if (only !== undefined && type !== only) return failed(`the schema is ${type}, not ${only}`);
    if (found.problem !== undefined) return failed(`the schema cannot be parsed: ${found.problem}`);
    try {
      const { json, recordName } = await this.#json(found, payload, charsMax);
      return { kind: 'decoded', ref, type, subjects, recordName, json };
    } catch (error) {
      if (!(error instanceof InvalidPayload)) throw error;
      return failed(error.message);
    }
  }

  /** The schema, or why there is none. */
  async #schemaOf(ref: SchemaRef): Promise<CachedSchema | string> {
    const known = this.#cache.state(ref, this.#clock.monotonicMs());
    const state = known.kind === 'unknown' ? (await this.#cache.load(ref)).state : known;
    switch (state.kind) {
      case 'found':
        return state.schema;
      case 'missing':
        return 'schema not found in the registry';
      case 'unknown':
        return 'the schema could not be fetched';
      case 'unavailable':
        return state.problem;
    }
  }

  /** Throws `InvalidPayload`. */
  async #json(
    { type, codec, source }: CachedSchema,
    payload: Uint8Array,
    charsMax: number,
  ): Promise<{ readonly json: string; readonly recordName: string | undefined }> {
    const isSmall = payload.length <= registryLimits.inlinePayloadBytesMax;
    if (codec !== undefined && (this.#pool === undefined || isSmall))
      return {
        json: jsonOfPayload(codec, type, payload, charsMax),
        recordName: codec.recordName(payload),
      };
    if (this.#pool === undefined) throw new InvalidPayload('the schema is too large');
    // A copy: the whole memory behind a part of it would pass between threads.
    const copy = new Uint8Array(payload);
    const result = await inThread(this.#pool, {
      kind: 'decode',
      type,
      source: source!,
      payload: copy,
      charsMax,
    });
    if (result.kind !== 'json') throw new Error(`a result of the kind ${result.kind} was not asked for`);
    return result;
  }
}

/** Subjects of one schema that are shown, and how many are looked at: some schemas have thousands. */
const shownSubjectsMax = 10;
const checkedSubjectsMax = 1_000;

function readableSubjects(subjects: ReadonlySet<string>, mayRead: DecodeOptions['mayRead']): string[] {
  const readable: string[] = [];
  let checked = 0;
  for (const subject of subjects) {
    if (mayRead?.(subject) ?? true) readable.push(subject);
    checked += 1;
    if (readable.length === shownSubjectsMax || checked === checkedSubjectsMax) break;
  }
  return readable;
}
