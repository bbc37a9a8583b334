/**
 * Table metadata: the root of a table, one immutable JSON file per commit. Read from format versions 1 and 2, written
 * as version 2, or as 1 for a table that has not been upgraded.
 */
import type { JsonObject } from '../json/exact-json.ts';
import type { PartitionSpec } from '../partitions/partition-spec.ts';
import type { SortOrder } from '../partitions/sort-order.ts';
import type { Schema } from '../schema/schema.ts';
import { InvalidTable } from '../table-errors.ts';
import { mainBranch, type Snapshot, type SnapshotRef } from './snapshot.ts';

export interface TableMetadata {
  readonly formatVersion: 1 | 2;
  readonly uuid: string;
  /** The URI below which new files are written. */
  readonly location: string;
  readonly lastSequenceNumber: bigint;
  readonly lastUpdatedMs: number;
  readonly lastColumnId: number;
  readonly schemas: readonly Schema[];
  readonly currentSchemaId: number;
  readonly specs: readonly PartitionSpec[];
  readonly defaultSpecId: number;
  readonly lastPartitionId: number;
  readonly sortOrders: readonly SortOrder[];
  readonly defaultSortOrderId: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly snapshots: readonly Snapshot[];
  /** Branches and tags; `main` is the state of the table. */
  readonly refs: Readonly<Record<string, SnapshotRef>>;
  /** Which snapshot was current since when, oldest first. */
  readonly snapshotLog: readonly SnapshotLogEntry[];
  /** Earlier metadata files, oldest first. */
  readonly metadataLog: readonly MetadataLogEntry[];
  /** As they are: they belong to query engines. */
  readonly statistics: readonly Statistics[];
  readonly partitionStatistics: readonly Statistics[];
}

export interface SnapshotLogEntry {
  readonly timestampMs: number;
  readonly snapshotId: bigint;
}

export interface MetadataLogEntry {
  readonly timestampMs: number;
  readonly path: string;
}

export interface Statistics {
  readonly snapshotId: bigint;
  readonly json: JsonObject;
}

export function currentSchema(metadata: TableMetadata): Schema {
  return schemaOfId(metadata, metadata.currentSchemaId);
}

export function schemaOfId(metadata: TableMetadata, id: number): Schema {
  return found(metadata.schemas, id, 'schema');
}

/** The current schema first, then others, the newest first: for columns of old partition specs. */
export function schemasNewestFirst(metadata: TableMetadata): [Schema, ...Schema[]] {
  const current = currentSchema(metadata);
  return [current, ...metadata.schemas.filter((schema) => schema !== current).toReversed()];
}

export function defaultSpec(metadata: TableMetadata): PartitionSpec {
  return specOfId(metadata, metadata.defaultSpecId);
}

export function specOfId(metadata: TableMetadata, id: number): PartitionSpec {
  return found(metadata.specs, id, 'partition spec');
}

export function defaultSortOrder(metadata: TableMetadata): SortOrder {
  return found(metadata.sortOrders, metadata.defaultSortOrderId, 'sort order');
}

function found<Item extends { readonly id: number }>(items: readonly Item[], id: number, what: string): Item {
  const item = items.find((one) => one.id === id);
  if (item === undefined) throw new InvalidTable(`the table has no ${what} with the id ${id}`);
  return item;
}

export function snapshotOf(metadata: TableMetadata, id: bigint): Snapshot | undefined {
  return metadata.snapshots.find((snapshot) => snapshot.id === id);
}

/** The snapshot of a branch or tag; `undefined` if there is none yet. */
export function snapshotOfRef(metadata: TableMetadata, ref: string = mainBranch): Snapshot | undefined {
  const named = Object.hasOwn(metadata.refs, ref) ? metadata.refs[ref] : undefined;
  return named === undefined ? undefined : snapshotOf(metadata, named.snapshotId);
}

/**
 * The newest value of a property that writers put into summaries, such as the offsets that are in the table, with the
 * snapshot that has it. Snapshots of other writers do not have it.
 */
export function newestSummary(
  metadata: TableMetadata,
  property: string,
  ref: string = mainBranch,
): { readonly value: string; readonly snapshot: Snapshot } | undefined {
  for (const snapshot of ancestors(metadata, snapshotOfRef(metadata, ref))) {
    if (Object.hasOwn(snapshot.summary, property)) return { value: snapshot.summary[property]!, snapshot };
  }
  return undefined;
}

/** A snapshot and those before it, the newest first, as far as they have not expired. */
export function* ancestors(metadata: TableMetadata, from: Snapshot | undefined): Generator<Snapshot> {
  const byId = new Map(metadata.snapshots.map((snapshot) => [snapshot.id, snapshot]));
  for (let one = from; one !== undefined; ) {
    yield one;
    // A circle of parents ends here.
    byId.delete(one.id);
    one = one.parentId === undefined ? undefined : byId.get(one.parentId);
  }
}
