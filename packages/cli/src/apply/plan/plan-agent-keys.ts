import type { ActualAgentKey, ActualCluster } from '../actual.ts';
import type { DesiredAgentKey } from '../desired.ts';
import { creation, deletion, leftOut, nothing } from './changes.ts';
import type { PlanContext } from './plan-context.ts';
import type { Step } from './step.ts';

/** Plans agent keys. Their names belong to the account, so another cluster may already have the name. */
export function planAgentKeys(context: PlanContext): Step[] {
  const { desired, actual, refuse } = context;
  if (desired.agentKeys === undefined) return [];
  const there = new Map(actual?.agentKeys?.map((key) => [key.name, key]));
  const steps = desired.agentKeys.map((agentKey): Step => {
    const { name, fullName, isReadOnly, place } = agentKey;
    const found = there.get(fullName);
    if (found !== undefined) {
      const difference = differenceOf(agentKey, found, actual);
      if (difference !== undefined) refuse({ place, message: `agent key ${name} ${difference}` });
      return nothing(desired, 'agent_key', name);
    }
    return creation(desired, {
      kind: 'agent_key',
      name,
      phase: 'credentials',
      changes: isReadOnly ? [{ field: 'read_only', to: 'true' }] : [],
      task: { operation: 'create_api_key', agentKey },
    });
  });
  const wanted = desired.agentKeys.map(({ fullName }) => fullName);
  const own = actual?.agentKeys?.filter((key) => isOf(key, actual));
  return [
    ...steps,
    ...leftOut(context, own, wanted).map(({ id, name }) =>
      deletion(desired, {
        kind: 'agent_key',
        name,
        phase: 'credential deletions',
        task: { operation: 'delete_api_key', input: { api_key_id: id } },
      }),
    ),
  ];
}

function isOf({ access_grants }: ActualAgentKey, cluster: ActualCluster | undefined): boolean {
  return access_grants.length > 0 && access_grants.every(({ resource_id }) => resource_id === cluster?.id);
}

function differenceOf(
  { isReadOnly }: DesiredAgentKey,
  found: ActualAgentKey,
  cluster: ActualCluster | undefined,
): string | undefined {
  if (!isOf(found, cluster)) return 'is the name of another key; choose a different name';
  const isReadOnlyThere = found.access_grants.every(({ principal_kind }) => principal_kind === 'agent_r');
  if (isReadOnlyThere === isReadOnly) return undefined;
  return `has read_only ${isReadOnlyThere}, which cannot be changed; create one with another name`;
}
