import type { Clock } from '@weir/core';
import { RegistryClient, type RegistryClientOptions } from '@weir/registry';
import {
  type AvroSchema,
  avroOfPlain,
  type CachedSchema,
  InvalidPayload,
  loadFormat,
  type PayloadCodec,
  type ProtobufSchema,
  plainOfAvro,
  SchemaCache,
} from '@weir/registry/decoding';
import type { ComponentContext } from '../component/component-context.ts';
import { tlsOptionsOf } from '../component/tls-fields.ts';
import { signerOf } from '../http-requests/index.ts';
import type { RegistryValues } from './registry-fields.ts';

/** How messages of one schema are decoded and encoded, without the prefix that names the schema. */
interface MessageCodec {
  /** JSON as a value, or as the bytes that it was. */
  decode(payload: Buffer): { readonly value: unknown } | { readonly content: Buffer };
  encode(value: unknown, content: Buffer): Uint8Array;
}

/** Schemas of a registry, fetched once each. */
export class RegistryCodecs {
  readonly #client: RegistryClient;
  readonly #cache: SchemaCache;
  readonly #clock: Clock;
  readonly #isPlain: boolean;
  /** What was made of a schema, as long as the cache has it. */
  readonly #codecs = new WeakMap<CachedSchema, Promise<MessageCodec>>();

  private constructor(options: RegistryClientOptions, clock: Clock, isPlain: boolean) {
    this.#client = new RegistryClient(options);
    this.#cache = new SchemaCache({ reader: this.#client, formatOf: loadFormat, clock });
    this.#clock = clock;
    this.#isPlain = isPlain;
  }

  static async open(values: RegistryValues, context: ComponentContext): Promise<RegistryCodecs> {
    const { clock, random, outbound } = context;
    const { ca, cert, key, rejectUnauthorized } = (await tlsOptionsOf(values.tls)) ?? {};
    const credentials = await credentialsOf(values, context);
    return new RegistryCodecs(
      {
        urls: values.url,
        clock,
        random,
        allowedHosts: outbound,
        ...(credentials && { credentials }),
        tls: {
          ...(ca !== undefined && { ca: String(ca) }),
          ...(Array.isArray(cert) && { clientCertificate: String(cert[0]) }),
          ...(Array.isArray(key) && { clientKey: String((key[0] as { readonly pem: string }).pem) }),
          isInsecure: rejectUnauthorized === false,
        },
      },
      clock,
      values.avro_raw_json,
    );
  }

  async byId(id: number): Promise<MessageCodec> {
    const known = this.#cache.state(id, this.#clock.monotonicMs());
    const state = known.kind === 'unknown' ? (await this.#cache.load(id)).state : known;
    if (state.kind === 'unavailable') throw new Error(`failed to read schema ${id}: ${state.problem}`);
    if (state.kind !== 'found') throw new Error(`the registry has no schema ${id}`);
    const { schema } = state;
    if (schema.problem !== undefined) throw new Error(`schema ${id} cannot be used: ${schema.problem}`);
    let codec = this.#codecs.get(schema);
    if (codec === undefined) {
      codec = codecOf(schema, this.#isPlain);
      this.#codecs.set(schema, codec);
    }
    return codec;
  }

  /** The id of the last version of a subject. */
  async latestId(subject: string, stop: AbortSignal): Promise<number> {
    const latest = await this.#client.schemaOfVersion(subject, 'latest', { stop });
    if (latest?.id === undefined) throw new Error(`the registry has no subject ${subject}`);
    return latest.id;
  }

  close(): void {
    this.#cache.close();
    this.#client.close();
  }
}

async function credentialsOf(
  values: RegistryValues,
  context: ComponentContext,
): Promise<RegistryClientOptions['credentials']> {
  const { basic_auth, jwt, url } = values;
  if (basic_auth.enabled) return { kind: 'basic', ...basic_auth };
  if (!jwt.enabled) return undefined;
  const signer = await signerOf(values, context);
  return { kind: 'bearer', token: async () => signer('GET', new URL(url))!.replace(/^Bearer /, '') };
}

async function codecOf({ type, source }: CachedSchema, isPlain: boolean): Promise<MessageCodec> {
  const format = await loadFormat(type);
  const schema = format.parse(source!, { isStored: true });
  const codec = format.codec(schema);
  switch (type) {
    case 'AVRO': {
      const { root } = schema as AvroSchema;
      return {
        decode: (payload) => ({ value: plainOfAvro(root, codec.decode(payload), { isPlain }) }),
        encode: (value) => codec.encode(avroOfPlain(root, value, { isPlain })),
      };
    }
    case 'PROTOBUF':
      return {
        decode: (payload) => ({ value: codec.decode(payload) }),
        encode: protobufEncoder(
          codec,
          (schema as ProtobufSchema).loaded.file.messages.map(({ fullName }) => fullName),
        ),
      };
    case 'JSON': {
      const checked = (content: Buffer) => {
        const problem = codec.problemOf(content);
        if (problem !== undefined) throw new InvalidPayload(problem);
        return content;
      };
      return {
        decode: (payload) => ({ content: checked(payload) }),
        encode: (_value, content) => checked(content),
      };
    }
  }
}

/** A schema may have several messages: the first one that a value fits is used, beginning with the last that did. */
function protobufEncoder(codec: PayloadCodec, names: readonly string[]): MessageCodec['encode'] {
  let lastName: string | undefined;
  return (value) => {
    const failures: string[] = [];
    for (const name of new Set(lastName === undefined ? names : [lastName, ...names])) {
      try {
        const payload = codec.encode(value, name);
        lastName = name;
        return payload;
      } catch (error) {
        if (!(error instanceof InvalidPayload)) throw error;
        failures.push(names.length === 1 ? error.message : `${name}: ${error.message}`);
      }
    }
    throw new InvalidPayload(failures.join('; ') || 'the schema has no message');
  };
}
