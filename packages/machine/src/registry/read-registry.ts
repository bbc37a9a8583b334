import type { RegistryEntry, RegistryPage, RegistryReadRequest } from '@weir/cluster';
import type { MachineLimits } from '../machine-limits.ts';
import type { Registry } from './registry.ts';

/** Returns entries that changed after a revision, without a look at the others. */
export function readRegistry(
  registry: Registry,
  limits: MachineLimits,
  { afterRevision, startRevision, bytesMax }: RegistryReadRequest,
): RegistryPage {
  const { revision, forgottenRevision } = registry;
  // A reader that is ahead has read another history: the cluster was restored to an earlier point.
  const restarts =
    afterRevision > revision ||
    (afterRevision > 0 && Math.max(afterRevision, startRevision) < forgottenRevision);
  const fromRevision = restarts ? 0 : Math.max(0, afterRevision);
  const concernedRevision = fromRevision === 0 ? revision : startRevision;
  const pageBytesMax = Math.min(bytesMax, limits.registryPageBytesMax);
  const entries: RegistryEntry[] = [];
  let pageBytes = 0;
  for (const entry of registry.changedAfter(fromRevision)) {
    const { key, value, revision: changedAt } = entry;
    if (value === null && changedAt <= concernedRevision) continue;
    if (entries.length >= limits.registryPageEntriesMax || (entries.length > 0 && pageBytes >= pageBytesMax))
      return { revision, entries, isComplete: false, restarts };
    entries.push({ key, value, revision: changedAt });
    pageBytes += Buffer.byteLength(key) + (value?.length ?? 0);
  }
  return { revision, entries, isComplete: true, restarts };
}
