import { registryLimits } from '../limits.ts';
import { RegistryError } from '../registry-error.ts';
import {
  type CompatibilityOptions,
  type Incompatibility,
  InvalidSchema,
  type ParsedSchema,
  type SchemaSource,
  type SchemaTags,
  type SchemaType,
  type TagChanges,
} from '../schema-format.ts';
import type { SchemaPool, WorkCaller } from './schema-pool.ts';
import {
  type DiffedSchema,
  runTask,
  type SchemaFormats,
  type SchemaResult,
  type SchemaTask,
} from './schema-task.ts';
import { SizedCache } from './sized-cache.ts';
import { digestOf } from './source-digest.ts';

interface SchemaWorkOptions {
  readonly formats: SchemaFormats;
  /** Threads for large schemas. Without them, the serving thread parses and compares all. */
  readonly pool?: SchemaPool | undefined;
  /** Up to how many characters the serving thread parses or compares itself. */
  readonly inlineCharsMax?: number | undefined;
}

/** Thrown where a result is not there yet: call again after the promise. */
export class WorkPending extends Error {
  override name = 'WorkPending';
  readonly done: Promise<void>;

  constructor(done: Promise<void>) {
    super('the result is not there yet');
    this.done = done;
  }
}

/** What a parsed schema takes in memory, as a multiple of its text. A guess on the safe side. */
const parsedSizePerChar = 16;
const resultSize = 256;

/**
 * Parses and compares schemas: small ones at once, large ones in threads. Results are cached, since every decision that
 * comes second is made again, and the same schemas are looked up again and again.
 */
export class SchemaWork {
  readonly #formats: SchemaFormats;
  readonly #pool: SchemaPool | undefined;
  readonly #inlineCharsMax: number;
  readonly #results = new SizedCache<SchemaResult>(registryLimits.schemaWorkCacheBytesMax / 2);
  readonly #parsed = new SizedCache<ParsedSchema>(registryLimits.schemaWorkCacheBytesMax / 2);

  constructor({ formats, pool, inlineCharsMax }: SchemaWorkOptions) {
    this.#formats = formats;
    this.#pool = pool;
    this.#inlineCharsMax = inlineCharsMax ?? registryLimits.inlineSchemaCharsMax;
  }

  /** The results of one request, which stay until it is answered. */
  session(caller: WorkCaller): WorkSession {
    return new WorkSession((task) => this.#result(task, caller));
  }

  async end(): Promise<void> {
    await this.#pool?.end();
  }

  #result(task: SchemaTask, caller: WorkCaller): SchemaResult | Promise<SchemaResult> {
    const { key, chars } = keyOf(task);
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const keep = (result: SchemaResult) => {
      this.#results.set(key, result, sizeOf(result));
      return result;
    };
    // Two lists of alternatives are compared in pairs: 16 KiB can take a second.
    // Texts that differ in many lines are searched for what they share, in time that grows with both numbers.
    const isQuadratic = task.kind === 'diff' || (task.kind === 'compare' && task.type === 'JSON');
    const inlineCharsMax = isQuadratic ? this.#inlineCharsMax / 8 : this.#inlineCharsMax;
    if (this.#pool !== undefined && chars > inlineCharsMax) return this.#pool.run(task, caller).then(keep);
    return keep(runTask(this.#formats, task, (type, source) => this.#parse(type, source)));
  }

  #parse(type: SchemaType, source: SchemaSource): ParsedSchema {
    const { digest, chars } = digestOf(source);
    const key = `${type}${digest}`;
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    const schema = this.#formats[type].parse(source, { isStored: true });
    this.#parsed.set(key, schema, chars * parsedSizePerChar + resultSize);
    return schema;
  }
}

type CanonicalTask = Extract<SchemaTask, { readonly kind: 'canonical' }>;

/** Results for one request. Each function throws `WorkPending` while its result is not there. */
export class WorkSession {
  readonly #ask: (task: SchemaTask) => SchemaResult | Promise<SchemaResult>;
  readonly #results = new Map<string, SchemaResult>();

  constructor(ask: (task: SchemaTask) => SchemaResult | Promise<SchemaResult>) {
    this.#ask = ask;
  }

  /** The text that the registry stores. Throws `InvalidSchema`. */
  canonicalText(
    type: SchemaType,
    source: SchemaSource,
    options: Pick<CanonicalTask, 'normalize' | 'isNew' | 'validatesFields'>,
  ): string {
    return textOf(this.#result({ kind: 'canonical', type, source, ...options }));
  }

  /** The text in another form. */
  formattedText(type: SchemaType, source: SchemaSource, format: string): string {
    return textOf(this.#result({ kind: 'format', type, source, format }));
  }

  /** The tags inside of a schema. */
  tags(type: SchemaType, source: SchemaSource): readonly SchemaTags[] {
    const result = this.#result({ kind: 'tags', type, source });
    return result.kind === 'tags' ? result.tags : refuse(result);
  }

  /** The text of a schema with other tags inside. */
  retaggedText(type: SchemaType, source: SchemaSource, changes: TagChanges): string {
    return textOf(this.#result({ kind: 'retag', type, source, changes }));
  }

  /** Those of some names that fields at the top of a schema have. */
  usedNames(type: SchemaType, source: SchemaSource, names: readonly string[]): readonly string[] {
    const result = this.#result({ kind: 'names', type, source, names });
    return result.kind === 'names' ? result.names : refuse(result);
  }

  incompatibilities(
    type: SchemaType,
    reader: SchemaSource,
    writer: SchemaSource,
    options: CompatibilityOptions,
  ): readonly Incompatibility[] {
    const result = this.#result({ kind: 'compare', type, reader, writer, options });
    if (result.kind !== 'incompatibilities') return refuse(result);
    return result.incompatibilities;
  }

  diff(before: DiffedSchema, after: DiffedSchema, linesMax: number): string {
    return textOf(this.#result({ kind: 'diff', before, after, linesMax }));
  }

  #result(task: SchemaTask): SchemaResult {
    const { key } = keyOf(task);
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const result = this.#ask(task);
    if (result instanceof Promise) {
      throw new WorkPending(
        result.then((found) => {
          this.#results.set(key, found);
        }),
      );
    }
    this.#results.set(key, result);
    return result;
  }
}

function keyOf(task: SchemaTask): { readonly key: string; readonly chars: number } {
  switch (task.kind) {
    case 'canonical': {
      const { digest, chars } = digestOf(task.source);
      const checks = `${task.isNew ? 'new' : ''}/${task.validatesFields ? 'fields' : ''}`;
      return { key: `${task.normalize ? 'normal' : 'canonical'}/${checks}/${task.type}/${digest}`, chars };
    }
    case 'format': {
      const { digest, chars } = digestOf(task.source);
      return { key: `format/${task.type}/${digest}/${task.format}`, chars };
    }
    case 'tags': {
      const { digest, chars } = digestOf(task.source);
      return { key: `tags/${task.type}/${digest}`, chars };
    }
    case 'retag': {
      const { digest, chars } = digestOf(task.source);
      return { key: `retag/${task.type}/${digest}/${JSON.stringify(task.changes)}`, chars };
    }
    case 'names': {
      const { digest, chars } = digestOf(task.source);
      return { key: `names/${task.type}/${digest}/${JSON.stringify(task.names)}`, chars };
    }
    case 'compare': {
      const reader = digestOf(task.reader);
      const writer = digestOf(task.writer);
      const { reader: side, policy } = task.options;
      return {
        key: `compare/${task.type}/${side}/${policy}/${reader.digest}${writer.digest}`,
        chars: reader.chars + writer.chars,
      };
    }
    case 'diff': {
      const { before, after, linesMax } = task;
      const old = digestOf(before.source);
      const changed = digestOf(after.source);
      const names = JSON.stringify([before.name, before.type, after.name, after.type, linesMax]);
      return { key: `diff/${old.digest}${changed.digest}${names}`, chars: old.chars + changed.chars };
    }
  }
}

function sizeOf(result: SchemaResult): number {
  switch (result.kind) {
    case 'text':
      return result.text.length + resultSize;
    case 'incompatibilities':
      return result.incompatibilities.reduce(
        (sum, { message }) => sum + message.length + resultSize,
        resultSize,
      );
    case 'tags':
      return JSON.stringify(result.tags).length + resultSize;
    case 'names':
      return result.names.reduce((sum, name) => sum + name.length, resultSize);
    case 'invalid':
    case 'tooLarge':
      return result.problem.length + resultSize;
  }
}

function textOf(result: SchemaResult): string {
  return result.kind === 'text' ? result.text : refuse(result);
}

function refuse(result: SchemaResult): never {
  if (result.kind === 'invalid') throw new InvalidSchema(result.problem);
  if (result.kind === 'tooLarge')
    throw new RegistryError('schemaTooLarge', `The schema is refused: ${result.problem}.`);
  throw new Error(`a result of the kind ${result.kind} was not asked for`);
}
