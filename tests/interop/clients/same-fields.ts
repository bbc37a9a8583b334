import { isDeepStrictEqual } from 'node:util';
import { type Layout, type LayoutField, type LayoutType, zeroUuid } from '@weir/wire';
import { type RecordSummary, summarizeOurs } from './fetched-records.ts';
import { carriedFields, type Struct } from './struct.ts';

/**
 * Compares a message that Weir encoded with the object that a client decoded, field by field and by name.
 *
 * By name, because a comparison in wire order would not find two swapped neighbours of the same type. Every field of
 * the version must be in the client's object under its protocol name, and the object must contain nothing else.
 * Differences of a client are listed in a table with the reason.
 */
export interface Differences {
  /** The client's name for a field, by path: `topics[].name`. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Fields that the client decodes and discards, with the reason. */
  readonly dropped?: Readonly<Record<string, string>>;
  /** Properties that the client adds, with the reason. */
  readonly added?: Readonly<Record<string, string>>;
}

/** Summarizes the client's representation of a records field. */
export type SummarizeTheirs = (records: unknown) => readonly RecordSummary[];

export class FieldComparison {
  private readonly differences: Differences;
  private readonly summarizeTheirs: SummarizeTheirs;
  private readonly needed = new Set<string>();

  constructor(differences: Differences, summarizeTheirs: SummarizeTheirs) {
    this.differences = differences;
    this.summarizeTheirs = summarizeTheirs;
  }

  /** Returns one sentence per field that the client did not decode as written. */
  mismatches(layout: Layout, ours: Struct, theirs: unknown): readonly string[] {
    const found: string[] = [];
    this.compareStructs(layout, ours, theirs, '', found);
    return found;
  }

  /** Returns paths in the table that no comparison needed; such rows could hide future bugs. */
  unneeded(): readonly string[] {
    const { renamed = {}, dropped = {}, added = {} } = this.differences;
    return [...Object.keys(renamed), ...Object.keys(dropped), ...Object.keys(added)].filter(
      (path) => !this.needed.has(path),
    );
  }

  private compareStructs(
    layout: Layout,
    ours: Struct,
    theirs: unknown,
    pathPrefix: string,
    found: string[],
  ): void {
    if (theirs === null || typeof theirs !== 'object') {
      found.push(`${pathPrefix || 'message'}: we wrote a structure, the client read ${show(theirs)}`);
      return;
    }
    const unseen = new Map(Object.entries(theirs));
    for (const field of carriedFields(layout)) {
      const name = this.theirName(field, unseen);
      if (name === undefined) {
        if (this.isListed('dropped', field.path)) continue;
        found.push(`${field.path}: the client shows no such field`);
        continue;
      }
      this.compareValues(field.type, ours[field.name], unseen.get(name), field.path, found);
      unseen.delete(name);
    }
    const absent = new Map(layout.absent.map((field) => [field.name, field]));
    for (const [name, value] of unseen) {
      const path = pathPrefix + name;
      const field = absent.get(name);
      if (field !== undefined && isNothing(field, value)) continue;
      if (!this.isListed('added', path))
        found.push(`${path}: we wrote no such field, the client read ${show(value)}`);
    }
  }

  private theirName(field: LayoutField, theirs: ReadonlyMap<string, unknown>): string | undefined {
    const renamed = this.differences.renamed?.[field.path];
    if (renamed !== undefined && theirs.has(renamed)) {
      this.needed.add(field.path);
      return renamed;
    }
    return theirs.has(field.name) ? field.name : undefined;
  }

  private isListed(list: 'dropped' | 'added', path: string): boolean {
    if (this.differences[list]?.[path] === undefined) return false;
    this.needed.add(path);
    return true;
  }

  private compareValues(
    type: LayoutType,
    ours: unknown,
    theirs: unknown,
    path: string,
    found: string[],
  ): void {
    if (type.kind === 'struct' && ours !== null) {
      this.compareStructs(type.layout, ours as Struct, theirs, `${path}.`, found);
    } else if (type.kind === 'array' && ours !== null && Array.isArray(theirs)) {
      this.compareArrays(type.element, ours as readonly unknown[], theirs, `${path}[]`, found);
    } else if (!this.isSame(type, ours, theirs)) {
      found.push(`${path}: we wrote ${show(ours)}, the client read ${show(theirs)}`);
    }
  }

  private compareArrays(
    element: LayoutType,
    ours: readonly unknown[],
    theirs: readonly unknown[],
    path: string,
    found: string[],
  ): void {
    if (ours.length !== theirs.length) {
      found.push(`${path}: we wrote ${ours.length} elements, the client read ${theirs.length}`);
      return;
    }
    for (const [index, one] of ours.entries()) this.compareValues(element, one, theirs[index], path, found);
  }

  private isSame(type: LayoutType, ours: unknown, theirs: unknown): boolean {
    if (type.kind === 'records') {
      return isDeepStrictEqual(
        ours === null ? [] : summarizeOurs(ours as Buffer),
        this.summarizeTheirs(theirs),
      );
    }
    // Both clients decode null as an empty value in many places. The reverse would be a bug.
    if (ours === null) return theirs === null || isEmpty(theirs);
    switch (type.kind) {
      case 'int64':
        return (typeof theirs === 'bigint' || typeof theirs === 'string') && BigInt(theirs) === ours;
      case 'uuid':
        return theirs === hyphenated(ours as string);
      case 'bytes':
        return Buffer.isBuffer(theirs) && theirs.equals(ours as Buffer);
      default:
        return Object.is(ours, theirs);
    }
  }
}

/** Returns a UUID in the form of clients: 32 hexadecimal digits in five groups. */
export function hyphenated(uuid: string): string {
  const hex = Buffer.from(uuid, 'base64url').toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Whether a client may show this value for a field that the version does not carry. */
function isNothing({ default: value }: LayoutField, theirs: unknown): boolean {
  if (theirs === null || isEmpty(theirs)) return true;
  return value === zeroUuid ? theirs === hyphenated(zeroUuid) : theirs === value;
}

function isEmpty(value: unknown): boolean {
  return value === '' || ((Array.isArray(value) || Buffer.isBuffer(value)) && value.length === 0);
}

function show(value: unknown): string {
  return typeof value === 'bigint'
    ? `${value}n`
    : String(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner)));
}
