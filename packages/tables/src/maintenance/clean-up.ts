/** Files below the location of a table that nothing refers to any more: of writers that crashed, and old metadata. */
import { missingFiles, orphanFiles, PropertyChange, type TableMetadata } from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import { commit, type Maintenance } from './maintenance.ts';

interface CleanUpCounts {
  readonly orphanFiles: number;
  readonly oldMetadataFiles: number;
  readonly missingFiles: number;
}

/** When the table was cleaned up last, in milliseconds since 1970. */
const cleanedUpKey = 'service.cleaned-up-at-ms';
const deletesOldMetadataKey = 'write.metadata.delete-after-commit.enabled';
const versionName = /\/metadata\/v(\d{1,15})\.metadata\.json$/;
const versionsMaxByDefault = 100;

export function cleanedUpAtMs({ properties }: TableMetadata): number | undefined {
  const found = Number(properties[cleanedUpKey]);
  return Number.isSafeInteger(found) ? found : undefined;
}

/**
 * Deletes orphans and old metadata, looks whether all files are there that the table refers to, and notes in the table
 * that it was done.
 */
export async function cleanUp(maintenance: Maintenance): Promise<CleanUpCounts> {
  const { onVerified = () => {}, signal } = maintenance;
  try {
    const { missing, ...counts } = await cleaned(maintenance);
    if (missing !== undefined) onVerified(missing.length === 0 ? 'success' : 'missing', missing);
    return { ...counts, missingFiles: missing?.length ?? 0 };
  } catch (error) {
    if (!signal.aborted) onVerified('error', []);
    throw error;
  }
}

async function cleaned(maintenance: Maintenance) {
  const { catalog, table, files, clock, signal } = maintenance;
  const { metadata, metadataPath } = await catalog.load(table);
  const nowMs = clock.nowMs();
  let orphans = 0;
  let unseen: readonly string[] | undefined;
  const rules = {
    nowMs,
    minAgeMs: tableLimits.tableOrphanAgeMs,
    onListed: (paths: readonly string[]) => {
      unseen = paths;
    },
  };
  for await (const page of orphanFiles(files, metadata, rules)) {
    signal.throwIfAborted();
    await files.delete(page);
    orphans += page.length;
  }
  // Meanwhile the table may have let go of some.
  const missing = unseen?.length
    ? await missingFiles(files, (await catalog.load(table)).metadata, unseen)
    : unseen;
  const oldMetadata = await deleteOldMetadata(maintenance, metadata, metadataPath, nowMs);
  await commit(
    maintenance,
    new PropertyChange({
      set: {
        [cleanedUpKey]: String(nowMs),
        // From now on the catalog deletes old metadata itself.
        ...(metadata.properties[deletesOldMetadataKey] === undefined && { [deletesOldMetadataKey]: 'true' }),
      },
    }),
  );
  return { orphanFiles: orphans, oldMetadataFiles: oldMetadata, missing };
}

/**
 * Deletes versions of metadata that the log of the table has forgotten. The catalog deletes one with each commit; a
 * crash, or a table that was made without the property, leaves more. Versions of other catalogs are theirs.
 */
async function deleteOldMetadata(
  { files, signal }: Maintenance,
  { location, metadataLog, properties }: TableMetadata,
  metadataPath: string,
  nowMs: number,
): Promise<number> {
  const current = Number(versionName.exec(metadataPath)?.[1] ?? Number.NaN);
  const keeps = properties[deletesOldMetadataKey] === 'false' || properties['gc.enabled'] === 'false';
  if (keeps || Number.isNaN(current)) return 0;
  const wanted = Number(properties['write.metadata.previous-versions-max'] ?? versionsMaxByDefault);
  const versionsMax = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : versionsMaxByDefault;
  const logged = new Set(metadataLog.map(({ path }) => path));
  let deleted = 0;
  for await (const page of files.list(`${location}/metadata/v`)) {
    const old = page.filter(({ path, modifiedMs }) => {
      const version = Number(versionName.exec(path)?.[1] ?? Number.NaN);
      return (
        version < current - versionsMax &&
        !logged.has(path) &&
        modifiedMs < nowMs - tableLimits.tableOrphanAgeMs
      );
    });
    if (old.length === 0) continue;
    signal.throwIfAborted();
    await files.delete(old.map(({ path }) => path));
    deleted += old.length;
  }
  return deleted;
}
