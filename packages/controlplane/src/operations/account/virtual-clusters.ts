import {
  type ClusterType,
  cloudProviders,
  clusterTiers,
  clusterTypes,
  type InputOf,
  namePrefixes,
  type OutputOf,
  prefixed,
} from '@weir/api';
import { timeText } from '@weir/core';
import { isAllowed } from '../../accounts/access/permissions.ts';
import type { ApiKey } from '../../accounts/keys/keys.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import { restorableMs, type VirtualCluster } from '../../accounts/workspaces/virtual-clusters.ts';
import type { ClusterCloning } from '../../clones/cluster-cloning.ts';
import type { Regions } from '../../regions.ts';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { makeKeyFor } from './made-key.ts';
import { byName, toKeyResponse } from './responses.ts';
import { mayOnCluster, oldestWritable } from './visible-workspaces.ts';

const noCloning =
  'The control plane does not know the bucket of the cluster; start it with -bucketURL and enable metadata backups.';

const lakesStayOne =
  'Data lake clusters cannot be cloned: their pipelines and tables are not part of a clone. Create a data lake cluster and deploy the configurations of the pipelines there.';

type GivenCluster = InputOf<'create_virtual_cluster'>;
type ClusterResponse = OutputOf<'describe_virtual_cluster'>['virtual_cluster'];

/** Operations on the registry of virtual clusters. Other operations serve their contents. */
export function virtualClusterHandlers(
  accounts: AccountsDatabase,
  {
    cloning,
    regions,
  }: {
    readonly cloning: Pick<ClusterCloning, 'clone' | 'clonesOf'> | undefined;
    readonly regions: Regions;
  },
) {
  const { virtualClusters, keys } = accounts;

  /** Returns agent keys by cluster, for callers that may see them. */
  async function agentKeysFor(clusters: readonly VirtualCluster[], context: CallContext) {
    if (!clusters.some((cluster) => mayOnCluster(context, 'write', cluster)))
      return new Map<string, ApiKey[]>();
    const all = await keys.list(context.accountId);
    const ofAgents = all.filter(({ kind }) => kind === 'agent');
    return Map.groupBy(ofAgents, ({ grants }) => grants[0]!.resourceId);
  }

  async function toResponses(
    clusters: readonly VirtualCluster[],
    context: CallContext,
  ): Promise<ClusterResponse[]> {
    const agentKeys = await agentKeysFor(clusters, context);
    return clusters.map((cluster) => ({
      ...toClusterResponse(cluster, regions),
      ...(mayOnCluster(context, 'write', cluster)
        ? { agent_keys: byName(agentKeys.get(cluster.id) ?? []).map(toKeyResponse) }
        : {}),
    }));
  }

  async function create(input: GivenCluster, context: CallContext) {
    const { accountId } = context;
    const workspaceId = input.workspace_id ?? (await oldestWorkspace(context));
    context.happensIn(workspaceId);
    const cluster = await virtualClusters.create(accountId, workspaceId, newCluster(input, regions));
    return created(cluster, input, context);
  }

  /** The response for a new cluster, with a key for its agents if that is wanted. */
  async function created(
    cluster: VirtualCluster,
    input: { readonly skip_agent_key_creation: boolean },
    { accountId, actor }: CallContext,
  ) {
    const { workspaceId } = cluster;
    const response = {
      virtual_cluster_id: cluster.id,
      virtual_cluster_name: cluster.name,
      ...poolOf(cluster),
      bootstrap_url: null,
      workspace_id: workspaceId,
    };
    if (input.skip_agent_key_creation) return response;
    const grant = {
      principalKind: 'agent',
      resourceKind: 'virtual_cluster',
      resourceId: cluster.id,
      workspaceId,
    } as const;
    const named = { accountId, id: cluster.id, name: wordOf(cluster) };
    const key = await makeKeyFor(accounts, named, grant, actor).catch(async (error) => {
      await virtualClusters.delete(accountId, cluster.id);
      throw error;
    });
    return { ...response, agent_key: key };
  }

  async function liveClones(clusterId: string): Promise<string[]> {
    const clones = (await cloning?.clonesOf(clusterId)) ?? [];
    const found = await Promise.all(clones.map((cloneId) => virtualClusters.find(cloneId)));
    return found.flatMap((cluster) => cluster?.name ?? []).sort();
  }

  function oldestWorkspace(context: CallContext): Promise<string> {
    const { actor, accountId } = context;
    return oldestWritable(accounts, context, (workspaceId) =>
      isAllowed(actor, { scope: 'workspace', access: 'write', accountId, workspaceId }),
    );
  }

  return {
    async list_virtual_clusters({ workspace_id }, context) {
      const all = await virtualClusters.list(context.accountId, workspace_id);
      const seen = all.filter((cluster) => mayOnCluster(context, 'read', cluster));
      return { virtual_clusters: await toResponses(byName(seen), context) };
    },

    async describe_virtual_cluster(_input, context) {
      const [response] = await toResponses([clusterOf(context)], context);
      return { virtual_cluster: response! };
    },

    create_virtual_cluster: create,
    create_virtual_cluster_v2: create,

    async clone_virtual_cluster(input, context) {
      const { accountId, actor } = context;
      const source = clusterOf(context);
      const { workspaceId } = source;
      if (!isAllowed(actor, { scope: 'workspace', access: 'write', accountId, workspaceId }))
        throw new OperationFailed('forbidden');
      if (source.type === 'byoc_data_lake')
        throw new OperationFailed('unsupported_cluster_type', lakesStayOne);
      if (cloning === undefined) throw new OperationFailed('conflict', noCloning);
      const { type, tier, cloudProvider, place, tags } = source;
      const name = input.new_virtual_cluster_name;
      let clone: VirtualCluster | undefined;
      await cloning.clone(source, {
        register: async (id) => {
          const cluster = { id, name, type, tier, cloudProvider, place, tags };
          clone = await virtualClusters.create(accountId, workspaceId, cluster);
        },
        unregister: (id) => virtualClusters.abandon(accountId, id),
      });
      return created(clone!, input, context);
    },

    async rename_virtual_cluster(input, { accountId }) {
      const { virtual_cluster_id, new_virtual_cluster_name: name } = input;
      await virtualClusters.change(accountId, virtual_cluster_id, { name });
      return {};
    },

    async update_virtual_cluster_tier({ virtual_cluster_id, tier }, { accountId }) {
      await virtualClusters.change(accountId, virtual_cluster_id, { tier });
      return {};
    },

    async describe_virtual_cluster_tags(_input, context) {
      return { tags: { ...clusterOf(context).tags } };
    },

    async update_virtual_cluster_tags({ virtual_cluster_id, tags }, { accountId }) {
      await virtualClusters.change(accountId, virtual_cluster_id, { tags });
      return {};
    },

    async delete_virtual_cluster(input, context) {
      const { id, name, type } = clusterOf(context);
      if (prefixed(clusterTypes[type].namePrefix, input.virtual_cluster_name) !== name)
        throw new OperationFailed('name_mismatch');
      const clones = await liveClones(id);
      if (clones.length > 0)
        throw new OperationFailed(
          'conflict',
          `${name} cannot be deleted: its clones ${clones.join(', ')} share its files; delete them first.`,
        );
      await virtualClusters.delete(context.accountId, id);
      return {};
    },

    async list_recently_deleted_virtual_clusters({ workspace_id }, context) {
      const deleted = await virtualClusters.listDeleted(context.accountId, workspace_id);
      const seen = deleted.filter((cluster) => mayOnCluster(context, 'read', cluster));
      return {
        virtual_clusters: seen.map((cluster) => ({
          ...fieldsOf(cluster),
          deleted_at: timeText(cluster.deletedMs!),
          restorable_until: timeText(cluster.deletedMs! + restorableMs),
        })),
      };
    },

    async restore_virtual_cluster(input, context) {
      const { id, deletedMs } = clusterOf(context);
      if (deletedMs === undefined) throw new OperationFailed('not_restorable', 'The cluster is not deleted.');
      await virtualClusters.restore(context.accountId, id, input.new_virtual_cluster_name);
      return {};
    },
  } satisfies SomeHandlers;
}

function clusterOf({ cluster }: CallContext): VirtualCluster {
  if (cluster === undefined) throw new Error('an operation on a cluster was called without one');
  return cluster;
}

function newCluster(input: GivenCluster, regions: Regions) {
  const { virtual_cluster_region: region, virtual_cluster_region_group: regionGroup } = input;
  if (regionGroup !== undefined && regions.group(regionGroup) === undefined)
    throw new OperationFailed('not_found', noGroup(regionGroup, regions.groupNames));
  return {
    name: input.virtual_cluster_name,
    type: input.virtual_cluster_type ?? ('byoc' satisfies ClusterType),
    tier: input.virtual_cluster_tier ?? 'pro',
    cloudProvider: input.virtual_cluster_cloud_provider ?? 'aws',
    place:
      regionGroup !== undefined ? { regionGroup } : region !== undefined ? { region } : regions.usualPlace,
    tags: input.virtual_cluster_tags,
  };
}

function noGroup(name: string, known: readonly string[]): string {
  if (known.length === 0)
    return `The region group ${name} does not exist: this control plane was started without -regionGroups.`;
  return `The region group ${name} does not exist; there are ${known.join(', ')}.`;
}

function fieldsOf({ id, name, type, workspaceId, tier, createdMs }: VirtualCluster) {
  return {
    id,
    name,
    type,
    workspace_id: workspaceId,
    tier: oneOf(clusterTiers, tier),
    created_at: timeText(createdMs),
  };
}

function toClusterResponse(cluster: VirtualCluster, regions: Regions): ClusterResponse {
  const cloudProvider = oneOf(cloudProviders, cluster.cloudProvider);
  const { place } = cluster;
  const named = (name: string) => ({ name, cloud_provider: cloudProvider });
  return {
    ...fieldsOf(cluster),
    ...poolOf(cluster),
    cloud_provider: cloudProvider,
    cluster_region: {
      is_multi_region: regions.isMultiRegion(place),
      region: 'region' in place ? named(place.region) : null,
      region_group:
        'regionGroup' in place
          ? { name: place.regionGroup, regions: regions.preferredBy(place).map(named) }
          : null,
    },
    bootstrap_url: null,
  };
}

/** Agents of a cluster are one group, which is named after it. */
function poolOf(cluster: VirtualCluster) {
  return {
    agent_pool_id: `api_${cluster.id.slice('vci_'.length)}`,
    agent_pool_name: namePrefixes.agentPool + wordOf(cluster),
  };
}

function wordOf({ name, type }: Pick<VirtualCluster, 'name' | 'type'>): string {
  return name.slice(clusterTypes[type].namePrefix.length);
}

/** Narrows a database column to its known values. */
function oneOf<Word extends string>(words: readonly Word[], word: string): Word {
  const found = words.find((known) => known === word);
  if (found === undefined) throw new Error(`${word} is none of ${words.join(', ')}`);
  return found;
}
