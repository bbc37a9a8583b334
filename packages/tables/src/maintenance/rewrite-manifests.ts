/** Manifests that are many and small, or that mix partitions, are written anew. */
import { ManifestRewrite, manifestLayout, snapshotOfRef } from '@weir/iceberg';
import { carriedSummary } from '../append/summary-keys.ts';
import { tableLimits } from '../limits.ts';
import { commit, type Maintenance } from './maintenance.ts';

/** What `ManifestRewrite` puts into one. */
const filesPerManifest = 10_000;
/** A filter on a partition would read so many manifests more than needed. */
const overlapMax = 8;

/** Returns how many manifests were replaced. */
export async function rewriteManifests(maintenance: Maintenance): Promise<number> {
  const { catalog, table, files } = maintenance;
  const { metadata } = await catalog.load(table);
  const snapshot = snapshotOfRef(metadata);
  const { manifests, filesOfSpecs, overlap } = await manifestLayout(files, metadata, snapshot);
  const needed = filesOfSpecs.values().reduce((sum, count) => sum + Math.ceil(count / filesPerManifest), 0);
  const isScattered = overlap > overlapMax && manifests > 2 * needed;
  if (manifests <= 2 * needed + tableLimits.tableManifestsSpare && !isScattered) return 0;
  const change = new ManifestRewrite({ manifestsMax: needed, summary: carriedSummary }, maintenance);
  await commit(maintenance, change);
  return manifests;
}
