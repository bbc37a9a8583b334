import {
  type CachedSchema,
  idPrefixBytes,
  type LoadedSchema,
  type PayloadWork,
  payloadAfter,
  registryLimits,
  type SchemaCache,
  type SchemaRef,
  type SchemaState,
  schemaIdHeaders,
  schemaIdOf,
  schemaPrefixOf,
  type Unavailable,
} from '@weir/registry/decoding';
import { HeaderCursor, type RecordCursor } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import type { SchemaRules, SubjectNameStrategy } from './schema-rules.ts';
import { type InvalidReason, invalidReasons } from './validation-metrics.ts';

/** Thrown by `visit` when schemas must be fetched before the check can continue. */
export class SchemasNeeded extends Error {
  override readonly name = 'SchemasNeeded';
}

/** Thrown by `visit` when the check takes more work than is allowed at once. */
export class WorkExceeded extends Error {
  override readonly name = 'WorkExceeded';
}

/** What a record costs beside its payloads, in the unit of `PayloadWork`, and what looking up its schema costs. */
export const recordWork = 64;
const lookupWork = 256;
/** Without the cost of a stack: this is no failure. */
const workExceeded = new WorkExceeded();

interface BatchSchemaCheckOptions {
  readonly topic: string;
  readonly rules: SchemaRules;
  readonly cache: SchemaCache;
  /** Of the whole request. */
  readonly work: PayloadWork;
  readonly nowMs: number;
  /** Receives the invalid records of a batch when its check is done. */
  readonly onInvalid: (reason: InvalidReason, count: number) => void;
}

const headerKeys = { key: Buffer.from(schemaIdHeaders.key), value: Buffer.from(schemaIdHeaders.value) };

/**
 * Checks the records of one batch against their schemas. `visit` is called for each record in order. If it throws
 * `SchemasNeeded`, call `load` and begin again with the first record; schemas that were fetched stay with the batch, so
 * each is fetched once, whatever the cache evicts.
 */
export class BatchSchemaCheck {
  readonly #options: BatchSchemaCheckOptions;
  readonly #key: PartCheck | undefined;
  readonly #value: PartCheck | undefined;
  /** Payloads that wait for a thread, and what threads found, by record and part. */
  #sent: SentPayload[] = [];
  #sentBytes = 0;
  #verdicts: Map<string, Verdict> | undefined;
  // Absent for nearly every batch: its schemas are known and its records are valid.
  #fetched: Map<SchemaRef, LoadedSchema> | undefined;
  #wanted: Set<SchemaRef> | undefined;
  #counts: Map<InvalidReason, number> | undefined;
  #unavailable: string | undefined;
  /** Records before it were checked and are valid. They are not checked again. */
  #validUntil = 0;
  /** Work for records beside their payloads, and that of the request before the walk. */
  #recordsWork = 0;
  #workBefore = 0;
  #turnWork = 0;
  #workMax = Number.POSITIVE_INFINITY;

  constructor(options: BatchSchemaCheckOptions) {
    this.#options = options;
    const { topic, rules } = options;
    this.#key = rules.key && new PartCheck('key', topic, rules.key, this);
    this.#value = rules.value && new PartCheck('value', topic, rules.value, this);
  }

  readonly visit = (record: RecordCursor): string | undefined => {
    // The batch is walked from its first record again after schemas were fetched.
    const { index } = record;
    if (index === 0) this.#begin();
    this.#recordsWork += recordWork;
    if (index < this.#validUntil) return undefined;
    const problem = this.#key?.problemOf(record) ?? this.#value?.problemOf(record);
    if (index === this.#validUntil && !this.isPending && this.#counts === undefined) this.#validUntil++;
    if (this.work > this.#workMax) throw workExceeded;
    // Of several refs, some are fetched together.
    if (this.#wanted !== undefined && this.#wanted.size >= brokerLimits.schemasFetchedAtOnceMax)
      throw new SchemasNeeded();
    const { threadPayloadsMax, threadPayloadsBytesMax } = registryLimits;
    if (this.#sent.length >= threadPayloadsMax || this.#sentBytes >= threadPayloadsBytesMax)
      throw new SchemasNeeded();
    return problem;
  };

  /** Limits the work of the next walk, in bytes that take as long to inflate. */
  limitWork(workMax: number): void {
    this.#workMax = workMax;
  }

  /** Whether others get their turn before the next record. */
  readonly endsTurn = (): boolean => {
    if (this.work - this.#turnWork < brokerLimits.validatedPerTurnWorkMax) return false;
    this.#turnWork = this.work;
    return true;
  };

  /** Work since the first record. */
  get work(): number {
    return this.#recordsWork + this.#options.work.used - this.#workBefore;
  }

  /** Whether the batch is walked again, when schemas were fetched. Until then, payloads are not checked. */
  get isPending(): boolean {
    return this.#wanted !== undefined || this.#sent.length > 0 || this.#unavailable !== undefined;
  }

  /** Counts looking up a schema. */
  lookedUp(): void {
    this.#recordsWork += lookupWork;
  }

  /** What is wrong with a payload, if there is anything. */
  problemOf(
    at: PayloadPlace,
    schema: CachedSchema,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): string | undefined {
    if (this.#needsThread(schema, end - start)) {
      const verdict = this.verdictOf(at, schema, bytes.subarray(start, end));
      return verdict && this.#problemIn(at, verdict);
    }
    if (this.isPending) return undefined;
    const { work } = this.#options;
    work.allow(end - start);
    const problem = work.isExceeded ? undefined : schema.codec!.problemOf(bytes, start, end, work);
    return this.#problemIn(at, work.isExceeded ? 'tooCostly' : { problem, recordName: undefined });
  }

  /** What a thread found; absent if the payload has to be sent to one first. */
  verdictOf(at: PayloadPlace, schema: CachedSchema, payload: Uint8Array): Verdict | undefined {
    const key = keyOf(at);
    const verdict = this.#verdicts?.get(key);
    if (verdict !== undefined) return verdict;
    const isDecided = this.#counts !== undefined && !this.#options.rules.warnsOnly;
    if (isDecided || this.#unavailable !== undefined) return undefined;
    // A copy: the batch stays in its frame.
    this.#sent.push({ key, schema, payload: new Uint8Array(payload) });
    this.#sentBytes += payload.length;
    return undefined;
  }

  /** Parsing JSON takes long, whatever its schema. */
  #needsThread({ codec, type }: CachedSchema, payloadBytes: number): boolean {
    if (codec === undefined) return true;
    const isLarge = type === 'JSON' && payloadBytes > registryLimits.inlineValidatedBytesMax;
    return isLarge && this.#options.cache.hasThreads;
  }

  #problemIn({ part, ref }: PayloadPlace, verdict: Verdict): string | undefined {
    if (verdict === 'tooCostly')
      return this.invalid(
        invalidReasons.tooCostly,
        `${part} cannot be validated: schema ${ref} is too expensive for the records of the request`,
      );
    if (verdict === 'busy')
      return this.cannotKnow(`${part} cannot be validated now: too many large payloads are queued`);
    if (verdict.problem === undefined) return undefined;
    return this.invalid(invalidReasons.payload, `${part} does not match schema ${ref}: ${verdict.problem}`);
  }

  /** Has payloads checked in a thread, those of one schema together. */
  async #checkInThread(): Promise<void> {
    const sent = this.#sent;
    this.#sent = [];
    this.#sentBytes = 0;
    this.#verdicts ??= new Map();
    for (const [schema, ofSchema] of Map.groupBy(sent, (one) => one.schema)) {
      const { cache, work } = this.#options;
      const payloads = ofSchema.map(({ payload }) => payload);
      for (const { length } of payloads) work.allow(length);
      const checked = await cache.checkInThread(schema, payloads, work.left);
      if (typeof checked === 'object') work.spend(checked.work);
      for (const [index, { key }] of ofSchema.entries()) this.#verdicts.set(key, verdictAt(index, checked));
    }
  }

  /** Call after the last record. */
  end(): void {
    if (this.#wanted !== undefined || this.#sent.length > 0) throw new SchemasNeeded();
  }

  /** Why the batch cannot be decided now. */
  get unavailable(): string | undefined {
    return this.#unavailable;
  }

  async load(): Promise<void> {
    const wanted = [...(this.#wanted ?? [])];
    this.#wanted = undefined;
    this.#fetched ??= new Map();
    const fetched = this.#fetched;
    await Promise.all(wanted.map(async (ref) => fetched.set(ref, await this.#options.cache.load(ref))));
    if (this.#sent.length > 0) await this.#checkInThread();
  }

  /** Counts the invalid records. Call once, when the batch is decided. */
  count(): void {
    for (const [reason, count] of this.#counts ?? []) this.#options.onInvalid(reason, count);
  }

  #begin(): void {
    this.#recordsWork = 0;
    this.#workBefore = this.#options.work.used;
    this.#turnWork = 0;
    this.#counts = undefined;
    this.#unavailable = undefined;
  }

  /** Records an invalid record. Returns the problem if it refuses the batch. */
  invalid(reason: InvalidReason, problem: string): string | undefined {
    this.#counts ??= new Map();
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    return this.#options.rules.warnsOnly ? undefined : problem;
  }

  stateOf(ref: SchemaRef): SchemaState {
    return this.#fetched?.get(ref)?.state ?? this.#options.cache.state(ref, this.#options.nowMs);
  }

  isRegistered(
    ref: SchemaRef,
    { subjects }: CachedSchema,
    subject: string,
  ): boolean | 'unknown' | Unavailable {
    if (subjects.has(subject)) return true;
    const fetched = this.#fetched?.get(ref);
    if (fetched !== undefined) return fetched.failure ?? false;
    return this.#options.cache.isRegistered(ref, subject, this.#options.nowMs);
  }

  /** Has a schema fetched before the batch is decided, unless that would be for nothing. */
  want(ref: SchemaRef): undefined {
    const isDecided = this.#options.rules.warnsOnly
      ? this.#fetched !== undefined && this.#fetched.size >= brokerLimits.schemasFetchedPerWarningMax
      : this.#counts !== undefined;
    if (isDecided) return undefined;
    this.#wanted ??= new Set();
    this.#wanted.add(ref);
    return undefined;
  }

  cannotKnow(problem: string): string | undefined {
    if (this.#options.rules.warnsOnly) return this.invalid(invalidReasons.unchecked, problem);
    this.#unavailable ??= problem;
    return undefined;
  }
}

/** A key or value, and the schema that it names. */
interface PayloadPlace {
  readonly part: 'key' | 'value';
  readonly index: number;
  readonly ref: SchemaRef;
}

interface SentPayload {
  readonly key: string;
  readonly schema: CachedSchema;
  readonly payload: Uint8Array;
}

/** What a thread found, or why it found nothing. */
type Verdict =
  | { readonly problem: string | undefined; readonly recordName: string | undefined }
  | 'busy'
  | 'tooCostly';

function verdictAt(index: number, checked: Awaited<ReturnType<SchemaCache['checkInThread']>>): Verdict {
  if (typeof checked === 'string') return checked;
  const { problems, recordNames } = checked;
  if (index >= recordNames.length) return 'tooCostly';
  return { problem: problems.get(index), recordName: recordNames[index] };
}

function keyOf({ part, index }: PayloadPlace): string {
  return `${part} ${index}`;
}

/** Checks the keys or the values of one batch. */
class PartCheck {
  readonly #part: 'key' | 'value';
  readonly #topic: string;
  readonly #strategy: SubjectNameStrategy;
  readonly #batch: BatchSchemaCheck;
  /** The last schema whose subject is right: nearly all records of a batch have the same. */
  #lastId = -1;
  #lastSchema: CachedSchema | undefined;

  constructor(part: 'key' | 'value', topic: string, strategy: SubjectNameStrategy, batch: BatchSchemaCheck) {
    this.#part = part;
    this.#topic = topic;
    this.#strategy = strategy;
    this.#batch = batch;
  }

  problemOf(record: RecordCursor): string | undefined {
    const isKey = this.#part === 'key';
    // A tombstone, or a record without a key.
    if (!(isKey ? record.hasKey : record.hasValue)) return undefined;
    const header = record.headerCount === 0 ? undefined : this.#headerOf(record);
    const bytes = record.decompressed;
    const start = isKey ? record.keyStart : record.valueStart;
    const end = isKey ? record.keyEnd : record.valueEnd;
    const schema = this.#lastSchema;
    const { index } = record;
    if (header === undefined && schema !== undefined && schemaIdOf(bytes, start, end) === this.#lastId) {
      const at = { part: this.#part, index, ref: this.#lastId };
      return this.#batch.problemOf(at, schema, bytes, start + idPrefixBytes, end);
    }
    return this.#check(index, bytes.subarray(start, end), header);
  }

  #check(index: number, payload: Buffer, header: Buffer | undefined): string | undefined {
    this.#batch.lookedUp();
    const prefix = schemaPrefixOf(header ?? payload);
    if (prefix === undefined) {
      const problem = 'does not start with a magic byte and a schema id';
      return this.#batch.invalid(invalidReasons.wireFormat, `${this.#part} ${problem}`);
    }
    const { ref } = prefix;
    const state = this.#batch.stateOf(ref);
    switch (state.kind) {
      case 'unknown':
        return this.#batch.want(ref);
      case 'unavailable':
        return this.#batch.cannotKnow(
          `${this.#part} has schema ${ref}, which cannot be fetched: ${state.problem}`,
        );
      case 'missing': {
        const problem = `${this.#part} has schema ${ref}, which does not exist`;
        return this.#batch.invalid(invalidReasons.unknownSchema, problem);
      }
    }
    const { schema } = state;
    if (schema.problem !== undefined) {
      const problem = `${this.#part} has schema ${ref}, which cannot be parsed: ${schema.problem}`;
      return this.#batch.invalid(invalidReasons.unreadableSchema, problem);
    }
    const rest = payloadAfter(prefix, payload, header);
    const at = { part: this.#part, index, ref };
    let recordName: string | undefined;
    if (this.#strategy !== 'TopicNameStrategy') {
      const verdict = schema.codec === undefined ? this.#batch.verdictOf(at, schema, rest) : 'inline';
      if (verdict === undefined) return undefined;
      if (verdict === 'inline') recordName = schema.codec?.recordName(rest);
      else if (typeof verdict === 'object') recordName = verdict.recordName;
      else return this.#batch.problemOf(at, schema, rest, 0, rest.length);
    }
    const subject = this.#subjectOf(recordName);
    const isRegistered = subject === undefined ? false : this.#batch.isRegistered(ref, schema, subject);
    if (isRegistered === 'unknown') return this.#batch.want(ref);
    if (isRegistered === false) {
      const problem =
        subject === undefined
          ? `has no record name, which ${this.#strategy} requires`
          : `is not registered under subject ${subject}`;
      return this.#batch.invalid(invalidReasons.subject, `${this.#part} has schema ${ref}, which ${problem}`);
    }
    if (isRegistered !== true) {
      const problem = `whose subjects cannot be fetched: ${isRegistered.problem}`;
      return this.#batch.cannotKnow(`${this.#part} has schema ${ref}, ${problem}`);
    }
    if (typeof ref === 'number' && this.#strategy === 'TopicNameStrategy') {
      this.#lastId = ref;
      this.#lastSchema = schema;
    }
    return this.#batch.problemOf(at, schema, rest, 0, rest.length);
  }

  #subjectOf(name: string | undefined): string | undefined {
    if (this.#strategy === 'TopicNameStrategy') return `${this.#topic}-${this.#part}`;
    if (name === undefined || this.#strategy === 'RecordNameStrategy') return name;
    return `${this.#topic}-${name}`;
  }

  /** The last header of the name counts, as for deserializers. */
  #headerOf(record: RecordCursor): Buffer | undefined {
    let found: Buffer | null = null;
    for (const headers = new HeaderCursor(record); headers.next(); ) {
      if (headers.hasKey(headerKeys[this.#part])) found = headers.value;
    }
    return found ?? undefined;
  }
}
