/**
 * Expiry of snapshots. Kept are every snapshot that a branch or tag names, and for each branch the newest
 * `min-snapshots-to-keep` and those younger than `max-snapshot-age-ms`. Files are deleted only after the commit, and
 * only those that no remaining snapshot refers to.
 */
import type { TableFiles } from '../files/table-files.ts';
import type { ManifestFile } from '../manifests/manifest-list.ts';
import { mainBranch, type Snapshot, type SnapshotRef } from '../metadata/snapshot.ts';
import { ancestors, snapshotOf, type TableMetadata } from '../metadata/table-metadata.ts';
import type { TableCommit, TableUpdate } from '../metadata/updates.ts';
import { reachableFiles, statisticsPaths } from '../scan/reachable-files.ts';
import { entriesOf, manifestsOf } from '../scan/snapshot-manifests.ts';
import type { TableChange } from './table-change.ts';

interface ExpiryRules {
  /** When the expiry was asked for. */
  readonly nowMs: number;
  /** Instead of the properties `history.expire.max-snapshot-age-ms` and `history.expire.min-snapshots-to-keep`. */
  readonly maxSnapshotAgeMs?: number | undefined;
  readonly minSnapshotsToKeep?: number | undefined;
  /** How many snapshots of a branch their age keeps at most: each makes table metadata larger. */
  readonly snapshotsMax?: number | undefined;
  /** Snapshots of a state that are kept as well, such as those up to the last one that has source offsets. */
  readonly alsoKept?: ((metadata: TableMetadata) => Iterable<Snapshot>) | undefined;
}

const fiveDaysMs = 5 * 86_400_000;

/** The updates that remove what has expired; none if nothing has. */
function expiryUpdates(metadata: TableMetadata, rules: ExpiryRules): TableUpdate[] {
  const { nowMs, alsoKept, snapshotsMax = Number.POSITIVE_INFINITY } = rules;
  const property = (name: string, otherwise: number) => {
    const value = Number(metadata.properties[name] ?? otherwise);
    return Number.isFinite(value) && value >= 0 ? value : otherwise;
  };
  const maxAgeMs = rules.maxSnapshotAgeMs ?? property('history.expire.max-snapshot-age-ms', fiveDaysMs);
  const minToKeep = Math.max(
    1,
    rules.minSnapshotsToKeep ?? property('history.expire.min-snapshots-to-keep', 1),
  );
  const maxRefAgeMs = property('history.expire.max-ref-age-ms', Number.POSITIVE_INFINITY);

  const expiredRefs: string[] = [];
  const kept = new Set<bigint>([...(alsoKept?.(metadata) ?? [])].map(({ id }) => id));
  for (const [name, ref] of Object.entries(metadata.refs)) {
    const head = snapshotOf(metadata, ref.snapshotId)!;
    if (name !== mainBranch && nowMs - head.timestampMs > (ref.maxRefAgeMs ?? maxRefAgeMs))
      expiredRefs.push(name);
    else for (const snapshot of keptOf(ref, head)) kept.add(snapshot.id);
  }
  const named = new Set(
    Object.values(metadata.refs).flatMap((ref) =>
      [...ancestors(metadata, snapshotOf(metadata, ref.snapshotId))].map(({ id }) => id),
    ),
  );
  const expired = metadata.snapshots.filter((snapshot) => {
    if (kept.has(snapshot.id)) return false;
    // A snapshot of no branch may be one that is just being published.
    return named.has(snapshot.id) || nowMs - snapshot.timestampMs > maxAgeMs;
  });
  return [
    ...expiredRefs.map((name): TableUpdate => ({ action: 'remove-snapshot-ref', name })),
    ...(expired.length > 0
      ? [{ action: 'remove-snapshots' as const, snapshotIds: expired.map(({ id }) => id) }]
      : []),
  ];

  function keptOf(ref: SnapshotRef, head: Snapshot): Snapshot[] {
    if (ref.type === 'tag') return [head];
    const chain = [...ancestors(metadata, head)];
    return chain.filter(
      ({ timestampMs }, at) =>
        at < (ref.minSnapshotsToKeep ?? minToKeep) ||
        (at < snapshotsMax && nowMs - timestampMs <= (ref.maxSnapshotAgeMs ?? maxAgeMs)),
    );
  }
}

export class Expiry implements TableChange {
  readonly #rules: ExpiryRules;

  constructor(rules: ExpiryRules) {
    this.#rules = rules;
  }

  /** How many snapshots of a state have expired. */
  expiredCount(metadata: TableMetadata): number {
    return expiryUpdates(metadata, this.#rules).reduce(
      (sum, update) => sum + (update.action === 'remove-snapshots' ? update.snapshotIds.length : 0),
      0,
    );
  }

  isIn(metadata: TableMetadata): boolean {
    return expiryUpdates(metadata, this.#rules).length === 0;
  }

  async on(metadata: TableMetadata): Promise<TableCommit> {
    const refs = Object.entries(metadata.refs).map(([ref, { snapshotId }]) => ({
      type: 'assert-ref-snapshot-id' as const,
      ref,
      snapshotId,
    }));
    return {
      requirements: [{ type: 'assert-table-uuid', uuid: metadata.uuid }, ...refs],
      updates: expiryUpdates(metadata, this.#rules),
    };
  }

  unusedFiles(): readonly string[] {
    return [];
  }
}

/**
 * The files that only snapshots of `before` refer to: those that may be deleted after an expiry that led to `after`.
 * Data files are read from manifests that only expired snapshots have, and kept if any remaining manifest has them.
 */
export async function unreachableFiles(
  files: TableFiles,
  before: TableMetadata,
  after: TableMetadata,
): Promise<string[]> {
  const remaining = new Set(after.snapshots.map(({ id }) => id));
  const expired = before.snapshots.filter(
    ({ id, manifestList }) => !remaining.has(id) && manifestList !== undefined,
  );
  // Files of such a table belong to other tables too.
  if (expired.length === 0 || after.properties['gc.enabled'] === 'false') return [];
  const reachable = await reachableFiles(files, after);
  const candidates = new Set<string>(statisticsPaths(before));
  const expiredManifests = new Map<string, ManifestFile>();
  for (const snapshot of expired) {
    candidates.add(snapshot.manifestList!);
    for (const manifest of await manifestsOf(files, snapshot))
      if (!reachable.manifests.has(manifest.path)) expiredManifests.set(manifest.path, manifest);
  }
  for (const manifest of expiredManifests.values()) {
    candidates.add(manifest.path);
    for (const { file } of await entriesOf(files, before, manifest)) candidates.add(file.path);
  }
  return [...candidates].filter((path) => !reachable.has(path));
}
