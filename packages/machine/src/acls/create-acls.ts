import { type AclResult, aclKey, aclValue, problemOfNewAcl } from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { ClusterState } from '../cluster-state.ts';
import { recordBytes } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';

/** Decides which rules are created, each independently, without applying it. */
export function decideCreateAcls(
  state: ClusterState,
  limits: MachineLimits,
  acls: readonly Acl[],
): { changed: readonly EntryChange[]; results: AclResult[] } {
  const known = state.kv.of('acl');
  const added = new Map<string, EntryChange>();
  let bytes = state.kv.bytesOf('acl');
  const results = acls.map((acl): AclResult => {
    const problem = problemOfNewAcl(acl);
    if (problem !== undefined) return { error: 'INVALID_REQUEST', message: problem };
    const key = aclKey(acl);
    if (known.has(key) || added.has(key)) return done;
    const count = known.size + added.size;
    if (count >= limits.aclsMax) return refused(`The cluster has ${count} ACLs, which is the limit.`);
    const more = recordBytes(key, aclValue);
    if (bytes + more > limits.aclBytesMax) {
      return refused(`The ACLs of the cluster take ${bytes} bytes; at most ${limits.aclBytesMax}.`);
    }
    bytes += more;
    added.set(key, { namespace: 'acl', key, value: aclValue });
    return done;
  });
  const { changed, problem } = decidePutEntries(state, limits, [...added.values()]);
  if (problem === undefined) return { changed, results };
  return { changed, results: results.map((result) => (result.error === 'NONE' ? refused(problem) : result)) };
}

const done: AclResult = { error: 'NONE', message: null };

function refused(message: string): AclResult {
  return { error: 'POLICY_VIOLATION', message };
}
