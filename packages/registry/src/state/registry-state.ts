import { lowerBound } from '@weir/core';
import { registryLimits } from '../limits.ts';
import type {
  AssociationAnswer,
  ConfigAnswer,
  ExporterAnswer,
  KekAnswer,
  RegistryMode,
} from '../registry-answers.ts';
import type { SchemaType } from '../schema-format.ts';
import { DekIndex } from './dek-index.ts';
import { fingerprint, guidText } from './guid.ts';
import { confluentVersion } from './metadata.ts';
import { defaultContext, formatSubject, parseSubject, referencedSubject } from './qualified-subject.ts';
import {
  parseEntry,
  parseKey,
  parseNumbered,
  type RegistryEntries,
  type StoredContext,
  type StoredExporterStatus,
  type StoredSchema,
} from './registry-entries.ts';
import { RowsByPrint } from './rows-by-print.ts';

/** A version of a subject. */
export interface SubjectVersion {
  readonly subject: string;
  readonly version: number;
  readonly id: number;
  readonly isDeleted: boolean;
  readonly timestampMs: number;
}

/** A schema of a context. Its text is parsed when it is asked for. */
export interface SchemaRow {
  readonly context: string;
  readonly id: number;
  /** Every version that uses it, in no order. */
  readonly uses: readonly SubjectVersion[];
  /** Whether it has neither references nor a version in its metadata, so that only an exact match finds it. */
  readonly isPlain: boolean;
  /** The 16 bytes of the fingerprint, as a string of 16 characters. */
  readonly print: string;
  readonly type: SchemaType;
}

interface Row extends SchemaRow {
  uses: SubjectVersion[];
  isPlain: boolean;
  /** Undefined while only a version is known: entries arrive in any order. */
  memory: ArrayBufferLike | undefined;
  /** Where its bytes are in the memory. A view for each schema would take a tenth of what schemas take. */
  start: number;
  length: number;
  print: string;
  type: SchemaType;
}

type NamedKind = 'config' | 'mode' | 'exporter' | 'exporter-status' | 'kek' | 'association';

/** Never changed. */
const noUses: SubjectVersion[] = [];

interface Context {
  stored: StoredContext | undefined;
  readonly rows: Map<number, Row>;
}

/**
 * The state of a registry: schemas by context and id, versions by subject, configs and modes. It is built from entries
 * that the cluster's machine stores, and answers every read of the API.
 *
 * A registry of 100,000 schemas has to be small: the bytes of a schema stay as they came, may be shared with the
 * machine in the same process, and are parsed anew unless they were used a moment ago.
 */
export class RegistryState {
  /** The revision of the last change that was applied. */
  revision = 0;

  readonly #contexts = new Map<string, Context>();
  /** Sorted by version. Subjects are qualified. */
  readonly #subjects = new Map<string, SubjectVersion[]>();
  #sortedSubjects: readonly string[] | undefined;
  readonly #byPrint = new RowsByPrint<Row>();
  /** Schemas that refer to a version, by `version/subject`. */
  readonly #referrers = new Map<string, Set<Row>>();
  /** Entries that are kept as they were put, by the names in their keys. */
  readonly #named: { readonly [Kind in NamedKind]: Map<string, RegistryEntries[Kind]> } = {
    config: new Map(),
    mode: new Map(),
    exporter: new Map(),
    'exporter-status': new Map(),
    kek: new Map(),
    association: new Map(),
  };
  /** Data-encryption keys. */
  readonly deks = new DekIndex();
  /** Recently parsed schemas, the least recently used one first. */
  readonly #parsed = new Map<Row, StoredSchema>();
  #parsedBytes = 0;
  #versionCount = 0;
  #firstId: number | undefined;

  /** Versions of all subjects, including those that are marked as deleted. */
  get versionCount(): number {
    return this.#versionCount;
  }

  /** Applies an entry that was put or, with `null`, removed. */
  apply(key: string, value: Uint8Array | null): void {
    const parsed = parseKey(key);
    if (parsed === undefined) return;
    const { kind, name } = parsed;
    switch (kind) {
      case 'schema':
        this.#applySchema(name, value);
        return;
      case 'version':
        this.#applyVersion(name, value);
        return;
      case 'context':
        this.#context(name).stored = value === null ? undefined : parseEntry(kind, value);
        return;
      case 'first-id':
        this.#firstId = value === null ? undefined : parseEntry(kind, value).firstId;
        return;
      case 'dek':
        this.deks.set(name, value === null ? undefined : parseEntry(kind, value));
        return;
      default:
        if (value === null) this.#named[kind].delete(name);
        else (this.#named[kind] as Map<string, object>).set(name, parseEntry(kind, value));
    }
  }

  /**
   * The value of an entry as it was applied, or an equal one; `null` if there is none. A store applies the changes of
   * several decisions to decide the next, and takes them back until they are durable: `apply(key, valueOf(key))` of an
   * earlier moment restores the state of that moment.
   */
  valueOf(key: string): Uint8Array | null {
    const parsed = parseKey(key);
    if (parsed === undefined) return null;
    const { kind, name } = parsed;
    if (kind === 'schema') {
      const { number: id, rest: context } = parseNumbered(name);
      const row = this.#contexts.get(context)?.rows.get(id);
      return (row && bytesOf(row)) ?? null;
    }
    const value = this.#valueOf(kind, name);
    return value === undefined ? null : Buffer.from(JSON.stringify(value));
  }

  /** Contexts in order, the default one first. */
  contexts(): string[] {
    const others = [...this.#contexts]
      .filter(([name, { stored }]) => name !== defaultContext && stored !== undefined && !stored.removed)
      .map(([name]) => name);
    return [defaultContext, ...others.sort()];
  }

  hasContext(context: string): boolean {
    const stored = this.#contexts.get(context)?.stored;
    return stored !== undefined && !stored.removed;
  }

  /** The id that the next new schema of a context gets. */
  nextId(context: string): number {
    return this.#contexts.get(context)?.stored?.nextId ?? this.#firstId ?? 1;
  }

  /** A schema by its id. One that no version uses any more does not exist. */
  row(context: string, id: number): SchemaRow | undefined {
    const row = this.#contexts.get(context)?.rows.get(id);
    return row?.memory !== undefined && row.uses.length > 0 ? row : undefined;
  }

  schema(row: SchemaRow): StoredSchema {
    const known = this.#parsed.get(row as Row);
    const bytes = known === undefined ? bytesOf(row as Row) : undefined;
    if (known === undefined && bytes === undefined)
      throw new Error(`the schema ${row.id} of the context ${row.context} is missing`);
    const schema = known ?? parseEntry('schema', bytes!);
    if (known === undefined) this.#parsedBytes += bytes!.length;
    else this.#parsed.delete(row as Row);
    this.#parsed.set(row as Row, schema);
    for (const oldest of this.#parsed.keys()) {
      if (this.#parsedBytes <= registryLimits.parsedEntriesBytesMax || this.#parsed.size === 1) break;
      this.#forgetParsed(oldest);
    }
    return schema;
  }

  guid(row: SchemaRow): string {
    return guidText(Buffer.from((row as Row).print, 'latin1'));
  }

  /** Schemas of all contexts with a fingerprint, in the order of contexts and ids. */
  rowsOf(print: Uint8Array): SchemaRow[] {
    return this.#byPrint.all(printText(print)).filter(({ uses }) => uses.length > 0);
  }

  /** Schemas of one context with a fingerprint, in the order of ids. */
  rowsIn(context: string, print: Uint8Array): SchemaRow[] {
    return this.#byPrint.inContext(printText(print), context).filter(({ uses }) => uses.length > 0);
  }

  /** Versions of a subject in order, including those that are marked as deleted. */
  versions(subject: string): readonly SubjectVersion[] {
    return this.#subjects.get(subject) ?? [];
  }

  version(subject: string, version: number): SubjectVersion | undefined {
    const versions = this.versions(subject);
    const index = indexOf(versions, version);
    return versions[index]?.version === version ? versions[index] : undefined;
  }

  latest(subject: string): SubjectVersion | undefined {
    return this.versions(subject).findLast(({ isDeleted }) => !isDeleted);
  }

  /** The schema of a version. */
  rowOfVersion({ subject, id }: SubjectVersion): SchemaRow {
    const row = this.row(parseSubject(subject).context, id);
    if (row === undefined) throw new Error(`the schema ${id} of the subject ${subject} is missing`);
    return row;
  }

  /** All subjects, qualified and in order. */
  subjects(): readonly string[] {
    this.#sortedSubjects ??= [...this.#subjects.keys()].sort();
    return this.#sortedSubjects;
  }

  /** Schemas that refer to a version. */
  referrers(subject: string, version: number): SchemaRow[] {
    return [...(this.#referrers.get(`${version}/${subject}`) ?? [])].filter(({ uses }) => uses.length > 0);
  }

  /** The own config of a scope: a subject, `:.ctx:`, or nothing for the default context. */
  config(scope: string): ConfigAnswer | undefined {
    return this.#named.config.get(scope);
  }

  configs(): ReadonlyMap<string, ConfigAnswer> {
    return this.#named.config;
  }

  mode(scope: string): RegistryMode | undefined {
    return this.#named.mode.get(scope)?.mode;
  }

  /** The scopes that have a mode of their own. */
  modeScopes(): Iterable<string> {
    return this.#named.mode.keys();
  }

  exporters(): ReadonlyMap<string, ExporterAnswer> {
    return this.#named.exporter;
  }

  exporterStatus(name: string): StoredExporterStatus | undefined {
    return this.#named['exporter-status'].get(name);
  }

  keks(): ReadonlyMap<string, KekAnswer> {
    return this.#named.kek;
  }

  /** By what follows `association/` in their keys. */
  associations(): ReadonlyMap<string, AssociationAnswer> {
    return this.#named.association;
  }

  #valueOf(kind: Exclude<keyof RegistryEntries, 'schema'>, name: string): object | undefined {
    switch (kind) {
      case 'version': {
        const { number, rest: subject } = parseNumbered(name);
        const found = this.version(subject, number);
        return (
          found && { id: found.id, ts: found.timestampMs, ...(found.isDeleted ? { deleted: true } : {}) }
        );
      }
      case 'context':
        return this.#contexts.get(name)?.stored;
      case 'first-id':
        return this.#firstId === undefined ? undefined : { firstId: this.#firstId };
      case 'dek':
        return this.deks.getByName(name);
      default:
        return this.#named[kind].get(name);
    }
  }

  #context(name: string): Context {
    let context = this.#contexts.get(name);
    if (context === undefined) {
      context = { stored: undefined, rows: new Map() };
      this.#contexts.set(name, context);
    }
    return context;
  }

  #row(context: string, id: number): Row {
    const { rows } = this.#context(context);
    let row = rows.get(id);
    if (row === undefined) {
      row = {
        context,
        id,
        uses: noUses,
        isPlain: true,
        memory: undefined,
        start: 0,
        length: 0,
        print: '',
        type: 'AVRO',
      };
      rows.set(id, row);
    }
    return row;
  }

  #dropIfEmpty(row: Row): void {
    if (row.memory === undefined && row.uses.length === 0)
      this.#contexts.get(row.context)?.rows.delete(row.id);
  }

  #applySchema(name: string, value: Uint8Array | null): void {
    const { number: id, rest: context } = parseNumbered(name);
    const row = this.#row(context, id);
    if (row.memory !== undefined) this.#removeSchema(row);
    if (value === null) {
      this.#dropIfEmpty(row);
      return;
    }
    const schema = parseEntry('schema', value);
    row.memory = value.buffer;
    row.start = value.byteOffset;
    row.length = value.length;
    row.print = printText(fingerprint(schema));
    row.isPlain = schema.references === undefined && confluentVersion(schema.metadata) === undefined;
    row.type = schema.type;
    this.#byPrint.add(row);
    for (const key of referenceKeys(context, schema)) {
      const referrers = this.#referrers.get(key);
      if (referrers === undefined) this.#referrers.set(key, new Set([row]));
      else referrers.add(row);
    }
  }

  #removeSchema(row: Row): void {
    for (const key of referenceKeys(row.context, parseEntry('schema', bytesOf(row)!))) {
      const referrers = this.#referrers.get(key);
      referrers?.delete(row);
      if (referrers?.size === 0) this.#referrers.delete(key);
    }
    this.#byPrint.remove(row);
    if (this.#parsed.has(row)) this.#forgetParsed(row);
    row.memory = undefined;
  }

  #forgetParsed(row: Row): void {
    this.#parsed.delete(row);
    this.#parsedBytes -= row.length;
  }

  #applyVersion(name: string, value: Uint8Array | null): void {
    const { number: version, rest: subject } = parseNumbered(name);
    const { context } = parseSubject(subject);
    let versions = this.#subjects.get(subject);
    if (versions === undefined) {
      if (value === null) return;
      versions = [];
      this.#subjects.set(subject, versions);
      this.#sortedSubjects = undefined;
    }
    const index = indexOf(versions, version);
    const old = versions[index]?.version === version ? versions[index] : undefined;
    if (old !== undefined) {
      const row = this.#row(context, old.id);
      row.uses = row.uses.filter((use) => use !== old);
      this.#dropIfEmpty(row);
      this.#versionCount -= 1;
    }
    if (value === null) {
      if (old !== undefined) versions.splice(index, 1);
      if (versions.length === 0) {
        this.#subjects.delete(subject);
        this.#sortedSubjects = undefined;
      }
      return;
    }
    const { id, ts, deleted } = parseEntry('version', value);
    // The name of the first version is shared by all others of the subject.
    const sharedSubject = versions[0]?.subject ?? formatSubject(parseSubject(subject));
    const use = { subject: sharedSubject, version, id, isDeleted: deleted === true, timestampMs: ts };
    versions.splice(index, old === undefined ? 0 : 1, use);
    const row = this.#row(context, id);
    // A list that grows has room for many more, and most schemas have one use.
    if (row.uses.length === 0) row.uses = [use];
    else row.uses.push(use);
    this.#versionCount += 1;
  }
}

function indexOf(versions: readonly SubjectVersion[], version: number): number {
  return lowerBound(versions, (other) => other.version < version);
}

function bytesOf({ memory, start, length }: Row): Buffer | undefined {
  return memory === undefined ? undefined : Buffer.from(memory, start, length);
}

/** The bytes of a fingerprint as characters, which a map compares. */
function printText(print: Uint8Array): string {
  return Buffer.from(print.buffer, print.byteOffset, print.byteLength).toString('latin1');
}

function referenceKeys(context: string, { references }: StoredSchema): string[] {
  return (references ?? []).map(
    ({ subject, version }) => `${version}/${referencedSubject(context, subject)}`,
  );
}
