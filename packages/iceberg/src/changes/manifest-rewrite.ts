import type { LiveEntry, ManifestEntry } from '../manifests/data-file.ts';
import type { ManifestFile } from '../manifests/manifest-list.ts';
import { snapshotOfRef, type TableMetadata } from '../metadata/table-metadata.ts';
import type { TableCommit } from '../metadata/updates.ts';
import type { PartitionColumn } from '../partitions/partition-spec.ts';
import { hasLiveFiles, partitionsBySpec } from '../scan/plan-files.ts';
import { entriesOf, manifestsOf } from '../scan/snapshot-manifests.ts';
import { compareValues, type Value } from '../values/value.ts';
import { type NewManifest, SnapshotWriter } from './snapshot-writer.ts';
import { summaryOfChange } from './summary.ts';
import type { ChangeDeps, TableChange } from './table-change.ts';

/**
 * Writes the manifests of all data files anew, sorted by partition, so that a filter reads few of them. Files and rows
 * stay as they are. `manifestsMax` is how many may be left as they are: with fewer there is nothing to do.
 */
export class ManifestRewrite implements TableChange {
  readonly #deps: ChangeDeps;
  readonly #writer: SnapshotWriter;
  readonly #manifestsMax: number;
  readonly #summary: (metadata: TableMetadata) => Readonly<Record<string, string>>;

  constructor(
    parts: {
      readonly manifestsMax?: number;
      /** Properties for the summary, from the state that the change is made on. */
      readonly summary?: (metadata: TableMetadata) => Readonly<Record<string, string>>;
    },
    deps: ChangeDeps,
  ) {
    this.#deps = deps;
    this.#writer = new SnapshotWriter(deps);
    this.#manifestsMax = parts.manifestsMax ?? 1;
    this.#summary = parts.summary ?? (() => ({}));
  }

  isIn(metadata: TableMetadata): boolean {
    return this.#writer.isIn(metadata);
  }

  unusedFiles(committed: TableMetadata | undefined): readonly string[] {
    return this.#writer.unusedFiles(committed);
  }

  async on(metadata: TableMetadata): Promise<TableCommit | undefined> {
    const parent = snapshotOfRef(metadata);
    const manifests = (await manifestsOf(this.#deps.files, parent)).filter(hasLiveFiles);
    const replaced = manifests.filter(({ content }) => content === 'data');
    if (replaced.length <= this.#manifestsMax) return undefined;
    const columnsOf = partitionsBySpec(metadata);
    const created: NewManifest[] = [];
    let entryCount = 0;
    for (const [specId, group] of Map.groupBy(replaced, (manifest: ManifestFile) => manifest.specId)) {
      const entries: LiveEntry[] = [];
      for (const manifest of group)
        entries.push(
          ...(await entriesOf(this.#deps.files, metadata, manifest)).filter(
            ({ status }) => status !== 'deleted',
          ),
        );
      const columns = columnsOf(specId);
      entries.sort((one, other) => comparePartitions(columns, one.file.partition, other.file.partition));
      entryCount += entries.length;
      const existing = entries.map((entry): ManifestEntry => ({ ...entry, status: 'existing' }));
      created.push(...(await this.#writer.manifests(metadata, specId, 'data', existing)));
    }
    const counts = {
      'manifests-created': String(created.length),
      'manifests-kept': String(manifests.length - replaced.length),
      'manifests-replaced': String(replaced.length),
      'entries-processed': String(entryCount),
    };
    return this.#writer.commit(metadata, {
      operation: 'replace',
      manifests: [...created, ...manifests.filter(({ content }) => content === 'deletes')],
      summary: summaryOfChange({
        added: [],
        removed: [],
        parent,
        columnsOf,
        properties: { ...this.#summary(metadata), ...counts },
      }),
    });
  }
}

/** Nulls first. */
function comparePartitions(
  columns: readonly PartitionColumn[],
  one: readonly (Value | null)[],
  other: readonly (Value | null)[],
): number {
  for (const [at, { type }] of columns.entries()) {
    const [a, b] = [one[at] ?? null, other[at] ?? null];
    if (a === null || b === null) {
      if (a !== b) return a === null ? -1 : 1;
      continue;
    }
    const order = compareValues(type, a, b);
    if (order !== 0) return order;
  }
  return 0;
}
