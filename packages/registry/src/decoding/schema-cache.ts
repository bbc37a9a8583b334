import { type Clock, Semaphore } from '@weir/core';
import { RegistryRefusal } from '../client/client-error.ts';
import type { RegistrySchema } from '../client/registry-schema.ts';
import { resolveReferences } from '../client/resolve-references.ts';
import { registryLimits } from '../limits.ts';
import { RegistryError } from '../registry-error.ts';
import {
  InvalidSchema,
  type PayloadCodec,
  type SchemaFormat,
  type SchemaSource,
  type SchemaType,
} from '../schema-format.ts';
import type { CheckedPayloads } from '../schema-work/payload-task.ts';
import type { SchemaPool } from '../schema-work/schema-pool.ts';
import type { RegistryReader } from './registry-reader.ts';
import type { SchemaRef } from './wire-format.ts';

/** A schema that was fetched. */
export interface CachedSchema {
  readonly type: SchemaType;
  /** Absent if the schema cannot be parsed, which `problem` then says, or is only known to threads. */
  readonly codec: PayloadCodec | undefined;
  readonly problem: string | undefined;
  /** The text with all that it refers to, for work in a thread. Absent if the schema cannot be parsed. */
  readonly source: SchemaSource | undefined;
  /** Subjects of the default context that have the schema, without deleted ones. */
  readonly subjects: ReadonlySet<string>;
}

/** The registry could not be asked. */
export interface Unavailable {
  readonly kind: 'unavailable';
  readonly problem: string;
}

/** What the cache knows. If nothing (`unknown`), `load` finds out. */
export type SchemaState =
  | { readonly kind: 'found'; readonly schema: CachedSchema }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' }
  | Unavailable;

/** The outcome of a fetch. */
export interface LoadedSchema {
  /** Never `unknown`. If the fetch failed, what an earlier one found. */
  readonly state: SchemaState;
  readonly failure: Unavailable | undefined;
}

interface SchemaCacheOptions {
  readonly reader: RegistryReader;
  /** Formats are loaded when they are first needed. */
  readonly formatOf: (type: SchemaType) => SchemaFormat | Promise<SchemaFormat>;
  readonly clock: Clock;
  /** Threads for large schemas and payloads. Without them, all is done here. */
  readonly pool?: SchemaPool | undefined;
  readonly bytesMax?: number;
}

interface Entry {
  state: SchemaState;
  /** The failure of the last fetch, also if an earlier one found the schema. */
  failure: Unavailable | undefined;
  /** When the last fetch ended. */
  checkedMs: number;
  bytes: number;
  /** Those of its text, parsed. */
  schemaBytes: number;
  /** Whether it was used since eviction last saw it. */
  isUsed: boolean;
}

/** How long a registry is not asked again about what it did not have, or after a failure. */
const askAgainMs = 1_000;
/** How old the subjects of a schema get before they are fetched again. */
const subjectsAgeMsMax = 60_000;
/** A parsed schema takes several times its text. */
const bytesPerTextByte = 8;
const entryBytes = 1_024;
/** A subject in a set, beside its characters. */
const subjectBytes = 64;
/** After a large schema was parsed, the serving thread is free for so many times as long before the next one. */
const pauseTimes = 10;

const missing: SchemaState = { kind: 'missing' };
const unknown: SchemaState = { kind: 'unknown' };

/**
 * Schemas by id or GUID. A schema never changes, so it is fetched once. Its subjects do: they are fetched again in the
 * background while old ones are used. While the registry is away, everything that is known stays in use.
 */
export class SchemaCache {
  readonly #options: SchemaCacheOptions;
  readonly #bytesMax: number;
  readonly #entries = new Map<SchemaRef, Entry>();
  readonly #loads = new Map<SchemaRef, Promise<LoadedSchema>>();
  readonly #fetches = new Semaphore({
    permits: registryLimits.schemaFetchesMax,
    waitingMax: registryLimits.schemaFetchesWaitingMax,
  });
  readonly #stop = new AbortController();
  /** When the next large schema may be parsed. */
  #parsesNext: Promise<void> = Promise.resolve();
  #bytes = 0;

  constructor(options: SchemaCacheOptions) {
    this.#options = options;
    this.#bytesMax = options.bytesMax ?? registryLimits.cachedSchemasBytesMax;
  }

  /** Ends fetches. */
  close(): void {
    this.#stop.abort(new Error('the process stops'));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Cheap, for every record. `nowMs` is monotonic. */
  state(ref: SchemaRef, nowMs: number): SchemaState {
    const entry = this.#entries.get(ref);
    if (entry === undefined) return unknown;
    entry.isUsed = true;
    if (entry.state.kind === 'found') {
      if (nowMs - entry.checkedMs > subjectsAgeMsMax) void this.load(ref);
      return entry.state;
    }
    return nowMs - entry.checkedMs > askAgainMs ? unknown : entry.state;
  }

  /** Whether a schema that was found is registered under a subject. If `unknown`, `load` finds out. */
  isRegistered(ref: SchemaRef, subject: string, nowMs: number): boolean | 'unknown' | Unavailable {
    const entry = this.#entries.get(ref);
    if (entry?.state.kind !== 'found') return 'unknown';
    if (entry.state.schema.subjects.has(subject)) return true;
    if (nowMs - entry.checkedMs > askAgainMs) return 'unknown';
    return entry.failure ?? false;
  }

  /** Fetches a schema and its subjects. Never throws. Concurrent calls share one fetch. */
  load(ref: SchemaRef): Promise<LoadedSchema> {
    const running = this.#loads.get(ref);
    if (running !== undefined) return running;
    const load = this.#load(ref).finally(() => this.#loads.delete(ref));
    this.#loads.set(ref, load);
    return load;
  }

  async #load(ref: SchemaRef): Promise<LoadedSchema> {
    const before = this.#entries.get(ref);
    const known = before?.state.kind === 'found' ? before.state.schema : undefined;
    let state: SchemaState;
    let failure: Unavailable | undefined;
    let textBytes = 0;
    try {
      const fetched = await this.#fetches.run(() => this.#fetch(ref, known));
      // Every subject may be deleted, and the schema of an id stays.
      state = fetched === undefined ? missing : { kind: 'found', schema: fetched.schema };
      textBytes = fetched?.textBytes ?? 0;
    } catch (error) {
      failure = { kind: 'unavailable', problem: (error as Error).message };
      state = known === undefined ? failure : before!.state;
    }
    const schemaBytes = known === undefined ? bytesPerTextByte * textBytes : before!.schemaBytes;
    const bytes = entryBytes + schemaBytes + (state.kind === 'found' ? bytesOf(state.schema.subjects) : 0);
    const checkedMs = this.#options.clock.monotonicMs();
    this.#put(ref, { state, failure, checkedMs, bytes, schemaBytes, isUsed: false });
    return { state, failure };
  }

  async #fetch(
    ref: SchemaRef,
    known: CachedSchema | undefined,
  ): Promise<{ readonly schema: CachedSchema; readonly textBytes: number } | undefined> {
    const { reader } = this.#options;
    const stop = this.#stop.signal;
    stop.throwIfAborted();
    const [found, subjects] = await Promise.all([
      known === undefined ? this.#schemaOf(ref) : undefined,
      this.#subjectsOf(ref),
    ]);
    if (known !== undefined) return { schema: { ...known, subjects }, textBytes: 0 };
    if (found === undefined) return undefined;
    try {
      const source = await resolveReferences(reader, found, { stop });
      const textBytes = textBytesOf(source);
      const codec = await this.#codecOf(found.schemaType, source, textBytes);
      const schema = { type: found.schemaType, codec, problem: undefined, source, subjects };
      return { schema, textBytes };
    } catch (error) {
      // A schema that this release cannot parse, or that refers to what does not exist, stays so.
      const isLasting =
        error instanceof InvalidSchema || (error instanceof RegistryRefusal && !error.isTemporary);
      if (!isLasting) throw error;
      const { schemaType: type } = found;
      const schema = { type, codec: undefined, problem: error.message, source: undefined, subjects };
      return { schema, textBytes: 0 };
    }
  }

  /** Whether payloads can be checked in a thread. */
  get hasThreads(): boolean {
    return this.#options.pool !== undefined;
  }

  /** Checks payloads in a thread, up to so much work: what they took, or why there is no result. */
  async checkInThread(
    { type, source }: CachedSchema,
    payloads: readonly Uint8Array[],
    workMax: number,
  ): Promise<CheckedPayloads | 'busy' | 'tooCostly'> {
    const ends = new Uint32Array(payloads.length);
    let bytes = 0;
    for (const [index, payload] of payloads.entries()) {
      bytes += payload.length;
      ends[index] = bytes;
    }
    const joined = new Uint8Array(bytes);
    for (const [index, payload] of payloads.entries()) joined.set(payload, ends[index]! - payload.length);
    const task = { kind: 'check', type, source: source!, payloads: joined, ends, workMax } as const;
    try {
      const result = await this.#options.pool!.run(task);
      // The schema was parsed before, and now takes too much time or memory.
      return result.kind === 'checked' ? result : 'tooCostly';
    } catch (error) {
      if (error instanceof RegistryError) return 'busy';
      throw error;
    }
  }

  /** The codec of a schema. Those of large ones stay in threads, because parsing them would take too long here. */
  async #codecOf(
    type: SchemaType,
    source: SchemaSource,
    textBytes: number,
  ): Promise<PayloadCodec | undefined> {
    const { pool, formatOf } = this.#options;
    if (pool !== undefined && textBytes > registryLimits.inlineCodecBytesMax) {
      const result = await pool.run({ kind: 'open', type, source });
      if (result.kind === 'invalid' || result.kind === 'tooLarge') throw new InvalidSchema(result.problem);
      return undefined;
    }
    const format = await formatOf(type);
    const parse = () => format.codec(format.parse(source, { isStored: true }));
    return textBytes > registryLimits.inlineSchemaCharsMax ? await this.#parseInTurn(parse) : parse();
  }

  /**
   * Parses larger schemas one at a time and with pauses: a caller that names many of them must not keep the serving
   * thread busy.
   */
  async #parseInTurn<Parsed>(parse: () => Parsed): Promise<Parsed> {
    const { clock } = this.#options;
    const before = this.#parsesNext;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#parsesNext = promise;
    await before;
    const startMs = clock.monotonicMs();
    try {
      this.#stop.signal.throwIfAborted();
      return parse();
    } finally {
      const tookMs = clock.monotonicMs() - startMs;
      if (tookMs > 0) clock.after(pauseTimes * tookMs, resolve);
      else resolve();
    }
  }

  async #schemaOf(ref: SchemaRef): Promise<RegistrySchema | undefined> {
    const { reader } = this.#options;
    const stop = this.#stop.signal;
    return typeof ref === 'number' ? reader.schemaById(ref, { stop }) : reader.schemaByGuid(ref, { stop });
  }

  async #subjectsOf(ref: SchemaRef): Promise<ReadonlySet<string>> {
    const { reader } = this.#options;
    const stop = this.#stop.signal;
    const ids = typeof ref === 'number' ? [{ context: '.', id: ref }] : await reader.idsOfGuid(ref, { stop });
    const id = ids?.find(({ context }) => context === '.')?.id;
    const versions = id === undefined ? [] : await reader.versionsOfId(id, { stop });
    return new Set(versions?.map(({ subject }) => subject));
  }

  #put(ref: SchemaRef, entry: Entry): void {
    this.#bytes += entry.bytes - (this.#entries.get(ref)?.bytes ?? 0);
    this.#entries.delete(ref);
    this.#entries.set(ref, entry);
    // Oldest first. What was used since the last time goes to the end instead.
    for (const [oldest, { isUsed, bytes }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax || oldest === ref) return;
      const seen = this.#entries.get(oldest)!;
      this.#entries.delete(oldest);
      if (isUsed) {
        seen.isUsed = false;
        this.#entries.set(oldest, seen);
      } else this.#bytes -= bytes;
    }
  }
}

function bytesOf(subjects: ReadonlySet<string>): number {
  let bytes = 0;
  for (const subject of subjects) bytes += subjectBytes + 2 * subject.length;
  return bytes;
}

/** The text with all that it refers to, which a parsed schema contains. Each text counts once. */
function textBytesOf(source: SchemaSource): number {
  const found = new Set<SchemaSource>([source]);
  let bytes = 0;
  for (const { text, references } of found) {
    bytes += Buffer.byteLength(text);
    for (const { source: referenced } of references) found.add(referenced);
  }
  return bytes;
}
