import { randomUuid } from '../files/random-uuid.ts';
import type { ManifestEntry } from '../manifests/data-file.ts';
import { writeManifest } from '../manifests/manifest.ts';
import { type ManifestFile, writeManifestList } from '../manifests/manifest-list.ts';
import { mainBranch, type Operation, type Snapshot } from '../metadata/snapshot.ts';
import {
  schemasNewestFirst,
  snapshotOf,
  snapshotOfRef,
  specOfId,
  type TableMetadata,
} from '../metadata/table-metadata.ts';
import type { TableCommit } from '../metadata/updates.ts';
import { InvalidTable } from '../table-errors.ts';
import type { ChangeDeps } from './table-change.ts';

/** A manifest that was written, and whose sequence number is that of the commit. */
export type NewManifest = Omit<ManifestFile, 'sequenceNumber' | 'minSequenceNumber' | 'addedSnapshotId'> & {
  readonly isNew: true;
  readonly leastSequenceNumber: bigint | undefined;
};

/** Entries of one manifest; more would make one file slow to read. */
const entriesPerManifest = 10_000;

/**
 * Writes the manifests and manifest lists of a change, and knows which attempt used which. Data files and manifests are
 * written once; a list is written for each attempt, because it has the sequence number.
 */
export class SnapshotWriter {
  /** The same for all attempts. */
  readonly snapshotId: bigint;
  readonly #deps: ChangeDeps;
  readonly #commitId: string;
  readonly #written = new Set<string>();
  /** Paths that the snapshot of an attempt refers to, by its manifest list. */
  readonly #usedBy = new Map<string, ReadonlySet<string>>();
  #manifests = 0;

  constructor(deps: ChangeDeps) {
    this.#deps = deps;
    this.#commitId = randomUuid(deps.random);
    // Positive and below 2^63.
    this.snapshotId = (BigInt(deps.random.below(2 ** 31)) << 32n) | BigInt(deps.random.below(2 ** 32)) || 1n;
  }

  isIn(metadata: TableMetadata): boolean {
    return snapshotOf(metadata, this.snapshotId) !== undefined;
  }

  unusedFiles(committed: TableMetadata | undefined): string[] {
    const list = committed === undefined ? undefined : snapshotOf(committed, this.snapshotId)?.manifestList;
    const used = list === undefined ? undefined : this.#usedBy.get(list);
    return [...this.#written].filter((path) => used?.has(path) !== true);
  }

  /** Writes entries as one or more manifests. */
  async manifests(
    metadata: TableMetadata,
    specId: number,
    content: 'data' | 'deletes',
    entries: readonly ManifestEntry[],
  ): Promise<NewManifest[]> {
    const written: NewManifest[] = [];
    for (let at = 0; at < entries.length; at += entriesPerManifest) {
      const manifest = writeManifest(entries.slice(at, at + entriesPerManifest), {
        content,
        spec: specOfId(metadata, specId),
        schemas: schemasNewestFirst(metadata),
        random: this.#deps.random,
      });
      const path = `${metadata.location}/metadata/${this.#commitId}-m${this.#manifests++}.avro`;
      this.#written.add(path);
      await this.#deps.files.write(path, manifest.content);
      written.push({ ...manifest.counts, path, bytes: BigInt(manifest.content.length), isNew: true });
    }
    return written;
  }

  /** Writes the manifest list, and returns the commit of the snapshot. */
  async commit(
    metadata: TableMetadata,
    parts: {
      readonly ref?: string | undefined;
      readonly operation: Operation;
      readonly manifests: readonly (ManifestFile | NewManifest)[];
      readonly summary: Readonly<Record<string, string>>;
    },
  ): Promise<TableCommit> {
    const { ref = mainBranch, operation, manifests, summary } = parts;
    const { snapshotId } = this;
    checkWritable(metadata);
    const parent = snapshotOfRef(metadata, ref);
    const sequenceNumber = metadata.lastSequenceNumber + 1n;
    const rows = manifests.map((one) => ('isNew' in one ? listedRow(one, sequenceNumber, snapshotId) : one));
    const list = `${metadata.location}/metadata/snap-${snapshotId}-${this.#usedBy.size + 1}-${this.#commitId}.avro`;
    this.#written.add(list);
    this.#usedBy.set(list, new Set([list, ...rows.map(({ path }) => path)]));
    const { random, files, clock } = this.#deps;
    await files.write(
      list,
      writeManifestList(rows, { snapshotId, parentSnapshotId: parent?.id, sequenceNumber, random }),
    );
    const snapshot: Snapshot = {
      id: snapshotId,
      parentId: parent?.id,
      sequenceNumber,
      timestampMs: Math.max(clock.nowMs(), metadata.lastUpdatedMs),
      manifestList: list,
      operation,
      summary,
      schemaId: metadata.currentSchemaId,
    };
    const current = Object.hasOwn(metadata.refs, ref) ? metadata.refs[ref] : undefined;
    if (current?.type === 'tag') throw new InvalidTable(`${ref} is a tag; snapshots are added to branches`);
    return {
      requirements: [
        { type: 'assert-table-uuid', uuid: metadata.uuid },
        { type: 'assert-ref-snapshot-id', ref, snapshotId: parent?.id },
      ],
      updates: [
        { action: 'add-snapshot', snapshot },
        { action: 'set-snapshot-ref', name: ref, ref: { ...(current ?? { type: 'branch' }), snapshotId } },
      ],
    };
  }
}

export function checkWritable(metadata: TableMetadata): void {
  if (metadata.formatVersion < 2)
    throw new InvalidTable(
      'the table has format version 1, which Weir only reads; upgrade it to version 2 first',
    );
}

function listedRow(manifest: NewManifest, sequenceNumber: bigint, snapshotId: bigint): ManifestFile {
  const { isNew: _isNew, leastSequenceNumber, ...rest } = manifest;
  return {
    ...rest,
    sequenceNumber,
    // Entries without a number get that of the commit, which is greater than all others.
    minSequenceNumber: leastSequenceNumber ?? sequenceNumber,
    addedSnapshotId: snapshotId,
  };
}
