import { type Client, clusterTypes, type OutputOf, prefixed } from '@weir/api';
import { cliLimits } from '../../limits.ts';
import type { ActualCluster, ActualPipeline, ActualRegistry, ActualTopic, Found } from '../actual.ts';
import { isInternalTopic } from '../actual.ts';
import type { DesiredCluster } from '../desired.ts';
import { mapBounded } from './bounded.ts';
import { checkNewRegistry, readRegistry } from './read-registry.ts';

type ListedCluster = OutputOf<'list_virtual_clusters'>['virtual_clusters'][number];

/** A cluster of the documents, and what there is of it. */
interface ReadCluster {
  readonly desired: DesiredCluster;
  readonly found: Found;
  readonly registry?: ActualRegistry | undefined;
}

export interface ReadOptions {
  /** Whether things that the documents leave out may be deleted; more has to be read then. */
  readonly isPruning: boolean;
}

/** Reads what the documents mention, and nothing else. It never writes. */
export async function readActual(
  client: Client,
  wanted: readonly DesiredCluster[],
  options: ReadOptions,
): Promise<ReadCluster[]> {
  const { virtual_clusters: listed } = await client.call('list_virtual_clusters', {});
  const keys = await agentKeys(client, wanted);
  const pairs: ReadCluster[] = [];
  for (const desired of wanted) {
    const named = listed.filter((cluster) => isNamed(cluster, desired));
    const [only, ...others] = named;
    const { schemaRegistry } = desired;
    if (only === undefined) {
      const registry = schemaRegistry && (await checkNewRegistry(schemaRegistry));
      pairs.push({ desired, found: undefined, registry });
    } else if (others.length > 0)
      pairs.push({ desired, found: { workspaceIds: named.map(({ workspace_id }) => workspace_id) } });
    else
      pairs.push({
        desired,
        found: { ...(await readCluster(client, desired, only, options)), agentKeys: keys },
        registry:
          schemaRegistry &&
          (await readRegistry(client, schemaRegistry, { virtual_cluster_id: only.id }, options)),
      });
  }
  return pairs;
}

function isNamed({ name, type, workspace_id }: ListedCluster, desired: DesiredCluster): boolean {
  if (desired.workspaceId !== undefined && workspace_id !== desired.workspaceId) return false;
  return type === desired.type && prefixed(clusterTypes[type].namePrefix, name) === desired.fullName;
}

/** Names of agent keys belong to the account, so one call reads them for all clusters. */
async function agentKeys(client: Client, wanted: readonly DesiredCluster[]) {
  if (wanted.every((cluster) => cluster.agentKeys === undefined)) return undefined;
  return (await client.call('list_api_keys', {})).api_keys;
}

async function readCluster(
  client: Client,
  desired: DesiredCluster,
  listed: ListedCluster,
  options: ReadOptions,
): Promise<ActualCluster> {
  const target = { virtual_cluster_id: listed.id };
  const { region, region_group } = listed.cluster_region;
  const [tags, configuration, topics, credentials, acls, events, pipelines] = await Promise.all([
    desired.tags && client.call('describe_virtual_cluster_tags', target),
    desired.configuration && client.call('describe_virtual_cluster_configuration', target),
    desired.topics && readTopics(client, desired, target, options),
    desired.credentials && client.call('list_virtual_cluster_credentials', target),
    desired.acls && client.call('virtual_clusters/acls/list', target),
    desired.events && client.call('get_events_state', target),
    desired.pipelines && readPipelines(client, desired, target),
  ]);
  return {
    id: listed.id,
    tier: listed.tier,
    cloudProvider: listed.cloud_provider,
    region: region?.name,
    regionGroup: region_group?.name,
    tags: tags?.tags,
    configuration: configuration?.virtual_cluster_configuration,
    topics,
    credentials: credentials?.credentials,
    acls: acls?.acls,
    events,
    pipelines,
  };
}

/** Configurations take one call per pipeline, so they are read only where the documents have one. */
async function readPipelines(
  client: Client,
  desired: DesiredCluster,
  target: { readonly virtual_cluster_id: string },
): Promise<ActualPipeline[]> {
  const { pipelines } = await client.call('list_pipelines', target);
  const configured = desired.pipelines?.filter(({ configuration }) => configuration !== undefined);
  const wanted = new Set(configured?.map(({ name }) => name));
  return await mapBounded(pipelines, cliLimits.applyCallsMax, async (listed): Promise<ActualPipeline> => {
    const { id, name, type, state, run } = listed;
    const { deployed_configuration_id: deployedId, deployed_configuration_version: version } = listed;
    const deployed = deployedId === null || version === null ? undefined : { id: deployedId, version };
    const failure = run?.status === 'error' ? failureOf(run) : undefined;
    const pipeline = { id, name, type, state, deployed, failure };
    if (!wanted.has(name)) return pipeline;
    const described = await client.call('describe_pipeline', { ...target, pipeline_id: id });
    const configurations = described.pipeline_configurations.map((one) => ({
      id: one.id,
      version: one.version,
      yaml: one.configuration_yaml,
      parts: one.configuration_inputs,
    }));
    return { ...pipeline, configurations };
  });
}

/** What agents refuse is not known before one has the pipeline: lists of hosts and variables are their own. */
function failureOf({
  agent_id,
  message,
}: {
  readonly agent_id?: string | undefined;
  readonly message: string;
}) {
  return agent_id === undefined ? message : `agent ${agent_id}: ${message}`;
}

/** Configs take one call per topic, so they are read only where they matter. */
async function readTopics(
  client: Client,
  desired: DesiredCluster,
  target: { readonly virtual_cluster_id: string },
  { isPruning }: ReadOptions,
): Promise<ActualTopic[]> {
  const { topics } = await client.call('list_topics', target);
  const withConfigs = new Set(
    desired.topics?.filter(({ configs }) => Object.keys(configs).length > 0).map(({ name }) => name),
  );
  const wanted = new Set(desired.topics?.map(({ name }) => name));
  return await mapBounded(topics, cliLimits.applyCallsMax, async ({ name, shard_count: partitionCount }) => {
    const mayGo = isPruning && !wanted.has(name) && !isInternalTopic(name);
    if (!withConfigs.has(name) && !mayGo) return { name, partitionCount };
    const { configs } = await client.call('describe_topic', { ...target, topic_name: name });
    return { name, partitionCount, configs };
  });
}
