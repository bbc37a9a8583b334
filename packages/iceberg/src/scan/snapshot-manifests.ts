import { readNeeded, type TableFiles } from '../files/table-files.ts';
import { icebergLimits } from '../limits.ts';
import type { LiveEntry } from '../manifests/data-file.ts';
import { readManifest } from '../manifests/manifest.ts';
import { type ManifestFile, readManifestList } from '../manifests/manifest-list.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import { schemasNewestFirst, specOfId, type TableMetadata } from '../metadata/table-metadata.ts';
import { partitionColumns } from '../partitions/partition-spec.ts';
import { InvalidTable } from '../table-errors.ts';

/** The manifests of a snapshot; none before the first one. */
export async function manifestsOf(
  files: TableFiles,
  snapshot: Snapshot | undefined,
): Promise<ManifestFile[]> {
  if (snapshot === undefined) return [];
  const { manifestList } = snapshot;
  if (manifestList === undefined)
    throw new InvalidTable(
      `the snapshot ${snapshot.id} has no manifest list; rewrite the table with a newer writer`,
    );
  const content = await readNeeded(files, manifestList, icebergLimits.manifestFileBytesMax);
  return readManifestList(content, manifestList);
}

/** The entries of a manifest, those of deleted files included. */
export async function entriesOf(
  files: TableFiles,
  metadata: TableMetadata,
  manifest: ManifestFile,
): Promise<LiveEntry[]> {
  const columns = partitionColumns(specOfId(metadata, manifest.specId), schemasNewestFirst(metadata));
  const content = await readNeeded(files, manifest.path, icebergLimits.manifestFileBytesMax);
  return readManifest(content, manifest, columns);
}
