import { isDeepStrictEqual } from 'node:util';
import { type Layout, type LayoutField, type LayoutType, zeroUuid } from '@weir/wire';
import { type RecordSummary, summarizeOurs } from './fetched-records.ts';
import { carriedFields, type Struct } from './struct.ts';

/**
 * Compares a message that we wrote with the object that a client made of it, field by field and by name.
 *
 * By name, because a comparison of values in wire order would take two neighbours of the same type for right when one side
 * has them swapped. So every field that the version carries must be in the client's object under its name in the protocol,
 * and the object must hold nothing else. Where a client differs, a row in a table says so and why.
 */
export interface Differences {
  /** What the client calls a field, by the path of the field: `topics[].name`. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Fields that the client reads and throws away, with the reason. */
  readonly dropped?: Readonly<Record<string, string>>;
  /** Properties that the client makes up, with the reason. */
  readonly added?: Readonly<Record<string, string>>;
}

/** What the client made of a records field. */
export type SummarizeTheirs = (records: unknown) => readonly RecordSummary[];

export class FieldComparison {
  private readonly differences: Differences;
  private readonly summarizeTheirs: SummarizeTheirs;
  private readonly needed = new Set<string>();

  constructor(differences: Differences, summarizeTheirs: SummarizeTheirs) {
    this.differences = differences;
    this.summarizeTheirs = summarizeTheirs;
  }

  /** One sentence per field that the client did not read as we wrote it. */
  mismatches(layout: Layout, ours: Struct, theirs: unknown): readonly string[] {
    const found: string[] = [];
    this.compareStructs(layout, ours, theirs, '', found);
    return found;
  }

  /** Paths in the table that no comparison has needed; such rows hide mistakes to come. */
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
    // Both clients read null as an empty value in many places. The reverse would be a mistake.
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

/** A uuid as clients write it: 32 hexadecimal digits in five groups. */
export function hyphenated(uuid: string): string {
  const hex = Buffer.from(uuid, 'base64url').toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Whether a value is one that a client may show for a field that this version does not carry. */
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
