import { commonUri } from '../files/common-uri.ts';
import type { TableFiles } from '../files/table-files.ts';
import type { ManifestFile } from '../manifests/manifest-list.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import { InvalidTable } from '../table-errors.ts';
import { entriesOf, manifestsOf } from './snapshot-manifests.ts';

interface ReachableFiles {
  /** Manifests of all snapshots, by path. */
  readonly manifests: ReadonlyMap<string, ManifestFile>;
  /**
   * Whether the table needs a file: manifest lists, manifests, live data and delete files, statistics. However its URI
   * is spelled: an answer that is wrong deletes data.
   */
  has(path: string): boolean;
  /** All of them, in one spelling. */
  readonly paths: ReadonlySet<string>;
}

/** What the snapshots of a table refer to. */
export async function reachableFiles(files: TableFiles, metadata: TableMetadata): Promise<ReachableFiles> {
  const manifests = new Map<string, ManifestFile>();
  const paths = new Set<string>();
  for (const snapshot of metadata.snapshots) {
    if (snapshot.manifestList === undefined)
      throw new InvalidTable(
        `the snapshot ${snapshot.id} has no manifest list, so that its files are not known`,
      );
    paths.add(commonUri(snapshot.manifestList));
    for (const manifest of await manifestsOf(files, snapshot)) manifests.set(manifest.path, manifest);
  }
  for (const manifest of manifests.values()) {
    paths.add(commonUri(manifest.path));
    for (const { status, file } of await entriesOf(files, metadata, manifest))
      if (status !== 'deleted') paths.add(commonUri(file.path));
  }
  for (const path of statisticsPaths(metadata)) paths.add(commonUri(path));
  return { manifests, paths, has: (path) => paths.has(commonUri(path)) };
}

export function statisticsPaths({ statistics, partitionStatistics }: TableMetadata): string[] {
  return [...statistics, ...partitionStatistics].map(({ json }) => String(json['statistics-path']));
}
