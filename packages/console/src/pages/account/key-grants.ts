import type { CallOf, OutputOf } from '@weir/api/client';

type Key = OutputOf<'list_api_keys'>['api_keys'][number];
type Grant = Key['access_grants'][number];

/** The kinds of key that a person chooses from, with what each is for. */
export const keyKinds = [
  ['app', 'Application', 'Everything in one workspace.'],
  ['app_r', 'Application, read only', 'Reads everything in one workspace.'],
  ['agent', 'Agents of a cluster', 'Agents connect with it.'],
  ['agent_r', 'Reader of a cluster', 'Reads one cluster; agents cannot connect with it.'],
  ['*', 'Whole account', 'Everything, with workspaces, roles, users and other keys.'],
] as const;

export type KeyKind = (typeof keyKinds)[number][0];

export const isOfCluster = (kind: KeyKind): boolean => kind === 'agent' || kind === 'agent_r';

interface Names {
  readonly workspaces: ReadonlyMap<string, string>;
  readonly clusters: ReadonlyMap<string, string>;
}

/** `Application, read only · Default`. */
export function scopeOf({ access_grants }: Pick<Key, 'access_grants'>, names: Names): string {
  const kinds = new Set(access_grants.map(({ principal_kind }) => principal_kind));
  const words = [...kinds].map((kind) => keyKinds.find(([known]) => known === kind)?.[1] ?? kind);
  return `${words.join(', ')} · ${access_grants.map((grant) => placeOf(grant, names)).join(', ')}`;
}

function placeOf({ resource_id, workspace_id }: Grant, { workspaces, clusters }: Names): string {
  if (resource_id !== '*' && resource_id !== '') return clusters.get(resource_id) ?? resource_id;
  if (workspace_id === '*') return 'all workspaces';
  return workspaces.get(workspace_id) ?? workspace_id;
}

interface Wanted {
  readonly kind: KeyKind;
  readonly workspaceId: string;
  readonly clusterId: string;
}

/** The grant of a new key. */
export function grantOf({
  kind,
  workspaceId,
  clusterId,
}: Wanted): CallOf<'create_api_key'>['access_grants'][number] {
  if (isOfCluster(kind))
    return { principal_kind: kind, resource_kind: 'virtual_cluster', resource_id: clusterId };
  return {
    principal_kind: kind,
    resource_kind: '*',
    resource_id: '*',
    workspace_id: kind === '*' ? '*' : workspaceId,
  };
}

/** What a deletion of the key breaks, in sentences. */
export function lossOf({ access_grants, last_used_at }: Key, ago: (time: string) => string): string[] {
  const isOfAgents = access_grants.some(({ principal_kind }) => principal_kind === 'agent');
  return [
    last_used_at === null
      ? 'It was never used.'
      : `It was last used ${ago(last_used_at)}. Whatever uses it is refused within seconds.`,
    ...(isOfAgents
      ? ['Agents that were started with it lose the control plane, and their clients lose them.']
      : []),
    'This cannot be undone; a new key has another secret.',
  ];
}
