import { commonUri } from '../files/common-uri.ts';
import type { TableFiles } from '../files/table-files.ts';
import { icebergLimits } from '../limits.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import { reachableFiles } from '../scan/reachable-files.ts';
import { InvalidTable } from '../table-errors.ts';

interface OrphanRules {
  readonly nowMs: number;
  /**
   * Younger files are left alone: those of a commit that is being made are not in the table yet. At least an hour, and
   * longer than a writer may hold a file before it commits it.
   */
  readonly minAgeMs: number;
  /** Gets the files below the location that snapshots refer to and that were not seen, in one spelling. */
  readonly onListed?: ((unseen: readonly string[]) => void) | undefined;
}

/**
 * Files below the location of a table that no snapshot refers to: of writers that crashed, and of commits that failed
 * for an unknown reason. Metadata files and the version hint belong to the catalog and are never among them.
 */
export async function* orphanFiles(
  files: TableFiles,
  metadata: TableMetadata,
  { nowMs, minAgeMs, onListed }: OrphanRules,
): AsyncGenerator<readonly string[]> {
  if (minAgeMs < icebergLimits.tableOrphanAgeMsMin)
    throw new InvalidTable(
      `files younger than ${icebergLimits.tableOrphanAgeMsMin} ms may belong to a commit that is being made`,
    );
  // Files of such a table belong to other tables too.
  if (metadata.properties['gc.enabled'] === 'false') return;
  const reachable = await reachableFiles(files, metadata);
  const folder = `${metadata.location}/`;
  const unseen = new Set([...reachable.paths].filter((path) => path.startsWith(commonUri(folder))));
  for await (const page of files.list(folder)) {
    for (const { path } of page) unseen.delete(commonUri(path));
    const orphans = page.filter(
      ({ path, modifiedMs }) =>
        modifiedMs < nowMs - minAgeMs &&
        !reachable.has(path) &&
        !path.endsWith('.metadata.json') &&
        !path.endsWith('/version-hint.text'),
    );
    if (orphans.length > 0) yield orphans.map(({ path }) => path);
  }
  onListed?.([...unseen]);
}

/** Those of the given files that the table still refers to and that do not exist, as `unseen` of `orphanFiles`. */
export async function missingFiles(
  files: TableFiles,
  metadata: TableMetadata,
  unseen: readonly string[],
): Promise<string[]> {
  const reachable = await reachableFiles(files, metadata);
  const missing: string[] = [];
  for (const path of unseen) {
    if (missing.length >= icebergLimits.missingFilesMax) break;
    if (!reachable.has(path)) continue;
    let exists = false;
    for await (const page of files.list(path)) exists ||= page.some((one) => commonUri(one.path) === path);
    if (!exists) missing.push(path);
  }
  return missing;
}
