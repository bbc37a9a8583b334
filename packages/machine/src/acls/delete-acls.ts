import { type AclFilter, aclKey, type DeletedAcls, matchesAcl, onlyAclOf, readAclKey } from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { ClusterState } from '../cluster-state.ts';
import type { EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';

/** Decides which rules each filter deletes, without applying it. */
export function decideDeleteAcls(
  { kv }: ClusterState,
  limits: MachineLimits,
  filters: readonly AclFilter[],
): { changed: readonly EntryChange[]; results: DeletedAcls[] } {
  const known = kv.of('acl');
  const gone = new Set<string>();
  let scans = 0;
  let all: [key: string, acl: Acl][] | undefined;
  /** Parsed once for all filters that need a scan. */
  const allAcls = () => {
    all ??= Array.from(known.keys(), (key) => [key, readAclKey(key)] as const).filter(
      (pair): pair is [string, Acl] => pair[1] !== undefined,
    );
    return all;
  };

  const results = filters.map((filter): DeletedAcls => {
    const only = onlyAclOf(filter);
    if (only === undefined && ++scans > limits.aclScansPerCallMax) {
      return refused(`At most ${limits.aclScansPerCallMax} filters of a request may leave a field open.`);
    }
    const found =
      only === undefined
        ? allAcls().filter(([, acl]) => matchesAcl(filter, acl))
        : [[aclKey(only), only] as const].filter(([key]) => known.has(key));
    const fresh = found.filter(([key]) => !gone.has(key)).length;
    if (gone.size + fresh > limits.aclsDeletedPerCallMax) {
      const { aclsDeletedPerCallMax } = limits;
      return refused(
        `The filter finds ${found.length} ACLs; ${aclsDeletedPerCallMax} can be deleted at a time.`,
      );
    }
    for (const [key] of found) gone.add(key);
    return { error: 'NONE', message: null, deleted: found.map(([, acl]) => acl) };
  });
  return { changed: Array.from(gone, (key) => ({ namespace: 'acl', key, value: null })), results };
}

function refused(message: string): DeletedAcls {
  return { error: 'INVALID_REQUEST', message, deleted: [] };
}
