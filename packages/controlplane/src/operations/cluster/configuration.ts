import type { OutputOf } from '@weir/api';
import {
  type ConfigChange,
  checkConfigs,
  clusterConfigValue,
  configCatalogues,
  describeConfigs,
  isConfigName,
  type SeenAgent,
} from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { type BucketPlace, bucketPlace, placesOf } from '@weir/storage/bucket-place';
import type { VirtualClusterChange } from '../../accounts/workspaces/virtual-clusters.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { awaitedBucketStatus, bucketStatusOf } from './bucket-status.ts';
import { readClusterConfigs } from './cluster-reads.ts';
import { configAudit } from './config-audit.ts';
import { toDefinition } from './config-definitions.ts';
import { deletionEstimate } from './deletion-estimate.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { nanosecondsOfMs } from './wire-values.ts';

type Tier = OutputOf<'describe_virtual_cluster_configuration'>['virtual_cluster_configuration']['tier'];

/** Broker configs that are always in the response, with effective values. Others are included if they are set. */
const toConfigsResponse: readonly string[] = [
  'auto.create.topics.enable',
  'delete.topic.enable',
  'log.retention.ms',
  'message.max.bytes',
  'num.partitions',
  'offsets.retention.minutes',
  'service.default.topic.type',
  'service.soft.delete.topic.enable',
  'service.soft.delete.topic.ttl.ms',
];

/** Configs that have their own fields in the API, and what to use instead. */
const fieldOf: Readonly<Record<string, string>> = {
  'service.acls.enabled': 'are_acls_enabled',
  'service.acl.shadowing.enabled': 'acl_shadowing_enabled',
  'service.bucket.url': 'bucket_url',
};
const eventsPrefix = 'service.events.';

export function configurationOperations({ clusterPort, virtualClusters }: ClusterServices) {
  return {
    describe_virtual_cluster_configuration: async ({ virtual_cluster_id }, context) => {
      const clusterConfigs = await readClusterConfigs(clusterPort(virtual_cluster_id), context);
      const cluster = context.cluster!;
      const valueFor = <Name extends Parameters<typeof clusterConfigValue>[0]>(name: Name) =>
        clusterConfigValue(name, clusterConfigs);
      const bucketUrl = valueFor('service.bucket.url');
      const agents = bucketUrl === undefined ? [] : await clusterPort(virtual_cluster_id).listAgents();
      return {
        virtual_cluster_configuration: {
          are_acls_enabled: valueFor('service.acls.enabled'),
          acl_shadowing_enabled: valueFor('service.acl.shadowing.enabled'),
          is_auto_create_topic_enabled: valueFor('auto.create.topics.enable'),
          default_num_partitions: Math.min(valueFor('num.partitions'), coreLimits.partitionsPerTopicMax),
          default_retention_millis: valueFor('log.retention.ms'),
          default_topic_type: valueFor('service.default.topic.type'),
          enable_deletion_protection: cluster.isDeletionProtected,
          soft_delete_topics_enabled: valueFor('service.soft.delete.topic.enable'),
          inactive_topics_ttl: nanosecondsOfMs(valueFor('service.soft.delete.topic.ttl.ms')),
          tier: cluster.tier as Tier,
          broker_configs: toBrokerConfigsResponse(clusterConfigs),
          bucket_url: bucketUrl ?? null,
        },
        ...(bucketUrl === undefined ? {} : { bucket_status: bucketStatusOf(kafkaAgents(agents), bucketUrl) }),
      };
    },

    list_cluster_config_definitions: async ({ virtual_cluster_id }, context) => {
      const texts = await readClusterConfigs(clusterPort(virtual_cluster_id), context);
      const { rows } = configCatalogues.cluster;
      const names = Object.keys(rows).filter((name) => !hasOwnField(name) && rows[name]!.readOnly !== true);
      const valuesFor = (clusterTexts: typeof texts) =>
        describeConfigs('cluster', { texts: clusterTexts, clusterTexts, agentTexts: {}, names });
      const now = valuesFor(texts);
      return {
        definitions: valuesFor({}).map(({ name, value }, index) => ({
          ...toDefinition(name, rows[name]!),
          default: value,
          value: now[index]!.value,
          is_set: Object.hasOwn(texts, name),
        })),
      };
    },

    update_virtual_cluster_configuration: async (input, context) => {
      const { virtual_cluster_id: clusterId, virtual_cluster_configuration: wanted } = input;
      const { validate_only: validateOnly } = input;
      const { are_acls_enabled, acl_shadowing_enabled, bucket_url, broker_configs } = wanted;
      const changes = [
        ...flagChange('service.acls.enabled', are_acls_enabled),
        ...flagChange('service.acl.shadowing.enabled', acl_shadowing_enabled),
        ...bucketChange(bucket_url),
        ...brokerChanges(broker_configs),
        ...brokerResets(wanted.reset_broker_configs ?? [], broker_configs),
      ];
      // The cluster first, because it may refuse.
      const texts = changes.length > 0 ? await readClusterConfigs(clusterPort(clusterId), context) : {};
      let textsAfter = texts;
      if (changes.length > 0) {
        const resource = { kind: 'cluster', name: '', replacesAll: false, changes } as const;
        const [result] = await clusterPort(clusterId).alterOwnerConfigs([resource], { validateOnly });
        refuse(result!, { INVALID_CONFIG: 'invalid_cluster_config', INVALID_REQUEST: 'invalid_request' });
        textsAfter = result!.configs ?? texts;
      }
      if (validateOnly) {
        const change = { topicId: null, before: texts, after: textsAfter, nowMs: context.clock.nowMs() };
        return { deletion_estimate: await deletionEstimate(clusterPort(clusterId), change) };
      }
      context.changed(configAudit('cluster', changes, texts));
      const change: VirtualClusterChange = {
        ...(wanted.tier === undefined ? {} : { tier: wanted.tier }),
        ...(wanted.enable_deletion_protection === undefined
          ? {}
          : { isDeletionProtected: wanted.enable_deletion_protection }),
      };
      if (Object.keys(change).length > 0) await virtualClusters.change(context.accountId, clusterId, change);
      if (bucket_url === undefined) return {};
      const port = clusterPort(clusterId);
      const listAgents = async () => kafkaAgents(await port.listAgents());
      return { bucket_status: await awaitedBucketStatus({ listAgents }, bucket_url, context) };
    },
  } satisfies SomeHandlers;
}

/** Agents of a schema registry have no bucket. */
function kafkaAgents(agents: SeenAgent[]): SeenAgent[] {
  return agents.filter(({ kafkaPort, registryPort }) => kafkaPort !== registryPort);
}

function toBrokerConfigsResponse(clusterTexts: Readonly<Record<string, string>>): Record<string, string> {
  const set = Object.keys(clusterTexts).filter((name) => !hasOwnField(name));
  const names = [...new Set([...toConfigsResponse, ...set])].sort();
  const described = describeConfigs('cluster', { texts: clusterTexts, clusterTexts, agentTexts: {}, names });
  return Object.fromEntries(described.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));
}

function hasOwnField(name: string): boolean {
  return Object.hasOwn(fieldOf, name) || name.startsWith(eventsPrefix);
}

function flagChange(name: string, value: boolean | undefined): ConfigChange[] {
  return value === undefined ? [] : [{ name, operation: 'set', value: String(value) }];
}

const bucketConfig = 'service.bucket.url';

/** `null` removes it. */
function bucketChange(value: string | null | undefined): ConfigChange[] {
  if (value === undefined) return [];
  if (value !== null) {
    refuseInvalid(bucketConfig, value, 'bucket_url');
    refuseUnusable(value);
  }
  return [{ name: bucketConfig, operation: value === null ? 'delete' : 'set', value }];
}

/** Validated with the parser that opens it: agents could only keep the bucket before. */
function refuseUnusable(bucketUrl: string): void {
  let places: readonly BucketPlace[];
  try {
    places = placesOf(bucketPlace(bucketUrl.trim()));
  } catch (error) {
    throw invalidBucket((error as Error).message);
  }
  if (places.some(({ scheme }) => scheme === 'mem'))
    throw invalidBucket('a bucket in memory is lost with its process');
}

function invalidBucket(rule: string): OperationFailed {
  return new OperationFailed('invalid_cluster_config', `invalid cluster config "bucket_url": ${rule}`);
}

/** `null` leaves a config unchanged. */
function brokerChanges(configs: Readonly<Record<string, string | null>>): ConfigChange[] {
  return Object.entries(configs).flatMap(([name, value]): ConfigChange[] => {
    refuseUnsupported(name);
    if (value === null) return [];
    refuseInvalid(name, value, name);
    return [{ name, operation: 'set', value }];
  });
}

function brokerResets(
  names: readonly string[],
  set: Readonly<Record<string, string | null>>,
): readonly ConfigChange[] {
  return [...new Set(names)].map((name) => {
    refuseUnsupported(name);
    if (typeof set[name] === 'string')
      throw new OperationFailed(
        'invalid_request',
        `${name} is in both broker_configs and reset_broker_configs; use one of them`,
      );
    return { name, operation: 'delete', value: null };
  });
}

function refuseUnsupported(name: string): void {
  if (!isConfigName('cluster', name))
    throw new OperationFailed('unsupported_cluster_config', `unsupported cluster config "${name}"`);
  if (!hasOwnField(name)) return;
  const instead = fieldOf[name] ?? 'update_events_state';
  throw new OperationFailed(
    'unsupported_cluster_config',
    `unsupported cluster config "${name}" among broker_configs; use ${instead}`,
  );
}

function refuseInvalid(name: string, value: string, shownName: string): void {
  const [problem] = checkConfigs('cluster', { [name]: value }).problems;
  if (problem === undefined) return;
  throw new OperationFailed(
    'invalid_cluster_config',
    `invalid cluster config "${shownName}": ${problem.rule}`,
  );
}
