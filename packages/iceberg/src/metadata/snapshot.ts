/** Snapshots, and the branches and tags that name them. */
import type { Json, JsonObject } from '../json/exact-json.ts';
import { ObjectReader, readText } from '../json/json-reader.ts';
import { InvalidTable } from '../table-errors.ts';

const operations = ['append', 'replace', 'overwrite', 'delete'] as const;

/**
 * What a snapshot did: `append` only added files, `replace` changed files and no rows (compaction), `overwrite` added
 * and removed rows, `delete` only removed some.
 */
export type Operation = (typeof operations)[number];

/** The state of a table at a time. */
export interface Snapshot {
  readonly id: bigint;
  readonly parentId?: bigint | undefined;
  readonly sequenceNumber: bigint;
  readonly timestampMs: number;
  /** The path of the manifest list. Snapshots of format version 1 may have manifests instead. */
  readonly manifestList?: string | undefined;
  readonly manifests?: readonly string[] | undefined;
  readonly operation?: Operation | undefined;
  /** Counts and properties of the writer, without `operation`. */
  readonly summary: Readonly<Record<string, string>>;
  readonly schemaId?: number | undefined;
}

export interface SnapshotRef {
  readonly type: 'branch' | 'tag';
  readonly snapshotId: bigint;
  /** Of a branch: how many snapshots, and how old ones, expiry keeps. */
  readonly minSnapshotsToKeep?: number | undefined;
  readonly maxSnapshotAgeMs?: number | undefined;
  /** When expiry removes the ref itself. Not for `main`. */
  readonly maxRefAgeMs?: number | undefined;
}

export const mainBranch = 'main';

export function readSnapshot(json: Json | undefined, place: string): Snapshot {
  const reader = new ObjectReader(json, place);
  const { operation, ...summary } = reader.texts('summary');
  return {
    id: reader.long('snapshot-id'),
    parentId: reader.longIfAny('parent-snapshot-id'),
    sequenceNumber: reader.longIfAny('sequence-number') ?? 0n,
    timestampMs: reader.integer('timestamp-ms'),
    manifestList: reader.textIfAny('manifest-list'),
    manifests: reader.listIfAny('manifests', readText),
    operation: operations.find((one) => one === operation),
    summary,
    schemaId: reader.integerIfAny('schema-id'),
  };
}

export function snapshotJson(snapshot: Snapshot): JsonObject {
  return {
    'snapshot-id': snapshot.id,
    'parent-snapshot-id': snapshot.parentId,
    'sequence-number': snapshot.sequenceNumber,
    'timestamp-ms': snapshot.timestampMs,
    summary: { operation: snapshot.operation, ...snapshot.summary },
    'manifest-list': snapshot.manifestList,
    manifests: snapshot.manifests,
    'schema-id': snapshot.schemaId,
  };
}

/** Properties of a ref within another object too: updates of the REST protocol have them beside the name. */
export function readRef(reader: ObjectReader): SnapshotRef {
  const type = reader.text('type');
  if (type !== 'branch' && type !== 'tag')
    throw new InvalidTable(`${reader.place}.type: must be branch or tag`);
  return {
    type,
    snapshotId: reader.long('snapshot-id'),
    minSnapshotsToKeep: reader.integerIfAny('min-snapshots-to-keep'),
    maxSnapshotAgeMs: reader.integerIfAny('max-snapshot-age-ms'),
    maxRefAgeMs: reader.integerIfAny('max-ref-age-ms'),
  };
}

export function refJson(ref: SnapshotRef): JsonObject {
  return {
    'snapshot-id': ref.snapshotId,
    type: ref.type,
    'min-snapshots-to-keep': ref.minSnapshotsToKeep,
    'max-snapshot-age-ms': ref.maxSnapshotAgeMs,
    'max-ref-age-ms': ref.maxRefAgeMs,
  };
}
