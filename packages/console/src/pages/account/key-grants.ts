import type { CallOf, OutputOf } from '@weir/api/client';

type Key = OutputOf<'list_api_keys'>['api_keys'][number];
type Grant = Key['access_grants'][number];

/** The kinds of key that a person chooses from, with what each is for. */
export const keyKinds = [
  ['app', 'Application', 'Full access to one workspace.'],
  ['app_r', 'Application, read only', 'Read access to one workspace, without records of topics.'],
  ['app_records', 'Application, reads records', 'Read access to one workspace, with records of topics.'],
  ['app_audit', 'Application, reads the audit log', 'Read access to one workspace, with its audit log.'],
  ['agent', 'Agents of a cluster', 'Agents of the cluster connect with it.'],
  ['agent_r', 'Cluster, read only', 'Read access to one cluster; agents cannot connect with it.'],
  ['*', 'Whole account', 'Full access, including workspaces, roles, users and other keys.'],
] as const;

export type KeyKind = (typeof keyKinds)[number][0];

export const isOfCluster = (kind: KeyKind): boolean => kind === 'agent' || kind === 'agent_r';

interface Names {
  readonly workspaces: ReadonlyMap<string, string>;
  readonly clusters: ReadonlyMap<string, string>;
}

/** `Application, read only · Default`. */
export function scopeOf({ access_grants }: Pick<Key, 'access_grants'>, names: Names): string {
  const kinds = new Set(access_grants.map(kindOf));
  const places = new Set(access_grants.map((grant) => placeOf(grant, names)));
  const words = [...kinds].map((kind) => keyKinds.find(([known]) => known === kind)?.[1] ?? kind);
  return `${words.join(', ')} · ${[...places].join(', ')}`;
}

/** Kinds that read more than metadata, with the grant of each. */
const grantNames = { app_records: 'read_records', app_audit: 'read_audit_log' } as const;

function kindOf({ principal_kind, managed_grant_name }: Grant): KeyKind | '' {
  if (principal_kind !== 'app_r') return principal_kind;
  if (managed_grant_name === 'read_records') return 'app_records';
  return managed_grant_name === 'read_audit_log' ? 'app_audit' : principal_kind;
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
  if (kind === 'agent' || kind === 'agent_r')
    return { principal_kind: kind, resource_kind: 'virtual_cluster', resource_id: clusterId };
  return {
    ...(kind === 'app_records' || kind === 'app_audit'
      ? { principal_kind: 'app_r', managed_grant_name: grantNames[kind] }
      : { principal_kind: kind }),
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
      ? 'Never used.'
      : `Last used ${ago(last_used_at)}. Programs that use it are refused within seconds.`,
    ...(isOfAgents
      ? ['Agents started with it lose their connection to the control plane and stop serving clients.']
      : []),
    'This cannot be undone.',
  ];
}
