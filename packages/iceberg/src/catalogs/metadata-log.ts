/** Which metadata files of earlier states a table remembers. */
import type { MetadataLogEntry, TableMetadata } from '../metadata/table-metadata.ts';

/** The updated metadata with the file of before in its log, and the files that it forgets. */
export function rememberPrevious(
  updated: TableMetadata,
  previous: MetadataLogEntry,
): { readonly metadata: TableMetadata; readonly forgotten: readonly MetadataLogEntry[] } {
  const log = [...updated.metadataLog, previous];
  const wanted = Number(updated.properties['write.metadata.previous-versions-max'] ?? 100);
  const max = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : 100;
  const from = Math.max(0, log.length - max);
  return { metadata: { ...updated, metadataLog: log.slice(from) }, forgotten: log.slice(0, from) };
}

/** Whether files that are forgotten are deleted. */
export function deletesForgotten({ properties }: TableMetadata): boolean {
  return properties['write.metadata.delete-after-commit.enabled'] === 'true';
}
