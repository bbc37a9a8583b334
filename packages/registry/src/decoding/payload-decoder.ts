import type { Clock } from '@weir/core';
import { InvalidPayload, type SchemaType } from '../schema-format.ts';
import type { SchemaCache } from './schema-cache.ts';
import { payloadAfter, type SchemaRef, schemaPrefixOf } from './wire-format.ts';

/** A key or value for people. */
export type DecodedPayload =
  | {
      readonly kind: 'decoded';
      readonly ref: SchemaRef;
      readonly type: SchemaType;
      /** A JSON value. */
      readonly value: unknown;
    }
  /** The payload names no schema. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'failed'; readonly ref: SchemaRef; readonly reason: string };

const plain: DecodedPayload = { kind: 'plain' };

/** Decodes keys and values by the schema that they name. Never throws. */
export class PayloadDecoder {
  readonly #cache: SchemaCache;
  readonly #clock: Clock;

  constructor(cache: SchemaCache, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** `header` is the value of the header that names the schema, if the record has it. `only` selects one type. */
  async decode(
    payload: Uint8Array | null,
    {
      header,
      only,
    }: { readonly header?: Uint8Array | null | undefined; readonly only?: SchemaType | undefined } = {},
  ): Promise<DecodedPayload> {
    if (payload === null) return plain;
    const inHeader = header === null || header === undefined ? undefined : schemaPrefixOf(header);
    const prefix = inHeader ?? schemaPrefixOf(payload);
    if (prefix === undefined) return plain;
    const { ref } = prefix;
    const known = this.#cache.state(ref, this.#clock.monotonicMs());
    const state = known.kind === 'unknown' ? (await this.#cache.load(ref)).state : known;
    switch (state.kind) {
      case 'missing':
        return { kind: 'failed', ref, reason: 'the registry has no such schema' };
      case 'unknown':
        return { kind: 'failed', ref, reason: 'the schema could not be fetched' };
      case 'unavailable':
        return { kind: 'failed', ref, reason: state.problem };
    }
    const { type, codec, problem } = state.schema;
    if (only !== undefined && type !== only) {
      return { kind: 'failed', ref, reason: `the schema is ${type}, not ${only}` };
    }
    if (codec === undefined) {
      return { kind: 'failed', ref, reason: `the schema cannot be parsed: ${problem}` };
    }
    try {
      const value = codec.decode(payloadAfter(prefix, payload, inHeader && header ? header : undefined));
      return { kind: 'decoded', ref, type, value };
    } catch (error) {
      if (!(error instanceof InvalidPayload)) throw error;
      return { kind: 'failed', ref, reason: error.message };
    }
  }
}
