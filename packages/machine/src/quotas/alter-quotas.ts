import {
  type AlterClientQuotasResult,
  type ClientQuotasToAlter,
  entityProblem,
  type Quotas,
  quotaEntityKey,
  quotaProblem,
  readQuotas,
} from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { repeated } from '../topics/repeated.ts';

/** Decides the changes per entity, without applying them. An entity without quotas has no key-value entry. */
export function decideAlterClientQuotas(
  state: ClusterState,
  limits: MachineLimits,
  requests: readonly ClientQuotasToAlter[],
): { changed: readonly EntryChange[]; results: AlterClientQuotasResult[] } {
  const { kv } = state;
  const changes: EntryChange[] = [];
  const problems = requests.map(({ entity }) => entityProblem(entity));
  const wellFormed = requests.filter((_, index) => problems[index] === undefined);
  const namedTwice = repeated(wellFormed.map(({ entity }) => quotaEntityKey(entity)));
  let count = kv.of('clientQuota').size;
  const results = requests.map((request, index): AlterClientQuotasResult => {
    const key = quotaEntityKey(request.entity);
    const isRepeated = namedTwice.has(key) ? 'The request names the entity more than once.' : undefined;
    const problem = problems[index] ?? isRepeated ?? changesProblem(request);
    if (problem !== undefined) return { error: 'INVALID_REQUEST', message: problem };

    const before = kv.get('clientQuota', key);
    const after = altered(before === undefined ? {} : readQuotas(before), request);
    const hasQuotas = Object.keys(after).length > 0;
    const added = (hasQuotas ? 1 : 0) - (before === undefined ? 0 : 1);
    if (added > 0 && count >= limits.clientQuotasMax) {
      return {
        error: 'POLICY_VIOLATION',
        message: `The cluster has quotas for ${count} entities, which is the limit.`,
      };
    }
    count += added;
    const value = hasQuotas ? Buffer.from(JSON.stringify(after)) : null;
    changes.push({ namespace: 'clientQuota', key, value });
    return { error: 'NONE', message: null };
  });
  const { changed, problem } = decidePutEntries(state, limits, changes);
  if (problem === undefined) return { changed, results };
  const refused = { error: 'POLICY_VIOLATION', message: problem } as const;
  return { changed, results: results.map((result) => (result.error === 'NONE' ? refused : result)) };
}

/** A removal may name any quota; removing an unset one has no effect. */
function changesProblem({ entity, changes }: ClientQuotasToAlter): string | undefined {
  const [namedTwice] = repeated(changes.map(({ key }) => key));
  if (namedTwice !== undefined) return `The request changes ${namedTwice} more than once for this entity.`;
  for (const { key, value } of changes) {
    const problem = value === null ? undefined : quotaProblem(entity, key, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Sorted by name, so that equal quotas have equal bytes. */
function altered(before: Quotas, { changes }: ClientQuotasToAlter): Quotas {
  const after = new Map(Object.entries(before));
  for (const { key, value } of changes) {
    if (value === null) after.delete(key);
    else after.set(key, value);
  }
  return Object.fromEntries([...after].sort(([a], [b]) => (a < b ? -1 : 1)));
}
