import * as z from 'zod';
import { cloudProviders, clusterTiers } from '../cluster-rules.ts';
import {
  clusterId,
  clusterName,
  dictionary,
  emptyForNone,
  examples,
  flag,
  list,
  text,
  time,
  workspaceFilter,
} from '../fields.ts';
import { clusterTypeNames, id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation, defineOperation } from '../operation.ts';
import { apiKey, exampleNewKey, newApiKey } from './api-keys.ts';

const regionName = () => text(64);
const region = z
  .object({
    name: regionName().describe('Its name, such as `us-east-1`.'),
    cloud_provider: z.enum(cloudProviders).describe('The cloud provider.'),
  })
  .meta({ id: 'Region', description: 'A region of a cloud.' });

export const tier = () => z.enum(clusterTiers);

const clusterFields = {
  id: id('cluster').describe('The cluster.'),
  name: text(135).describe('Its name, with the prefix `vcn_` and that of its type.'),
  type: z.enum(clusterTypeNames).describe('Whether it is a Kafka cluster, a schema registry or a data lake.'),
  workspace_id: id('workspace').describe('The workspace that it belongs to.'),
  tier: tier().describe('Its tier, which decides its limits.'),
  created_at: time().describe('When it was created.'),
};

const virtualCluster = z
  .object({
    ...clusterFields,
    agent_keys: list(apiKey, apiLimits.apiKeysMax)
      .nullable()
      .optional()
      .describe('Its agent keys without their secrets, if the caller may administer it.'),
    agent_pool_id: id('agentPool').describe('The agent group; a cluster has one.'),
    agent_pool_name: text(132).describe('The name of the agent group, with `apn_`.'),
    cloud_provider: z.enum(cloudProviders).describe('The region where its agents should run.'),
    cluster_region: z
      .object({
        is_multi_region: z
          .boolean()
          .describe(
            'Whether another region goes on if one fails: it has a region group, and two of its regions have a control plane now.',
          ),
        region: region.nullable().optional().describe('Its only region.'),
        region_group: z
          .object({
            name: regionName().describe('The name of the region group.'),
            regions: list(region, 16).describe(
              'The regions, the one first in which the cluster is led; none if the group does not exist any more.',
            ),
          })
          .nullable()
          .optional()
          .describe('Its regions, if it has several.'),
      })
      .describe('Where the control plane leads it.'),
    bootstrap_url: text(apiLimits.apiUrlCharsMax)
      .nullable()
      .optional()
      .describe('The bootstrap server for Kafka clients, if configured.'),
  })
  .meta({ id: 'VirtualCluster', description: 'A virtual cluster.' });

const deletedCluster = z
  .object({
    ...clusterFields,
    deleted_at: time().describe('When it was deleted.'),
    restorable_until: time().describe('Until when it can be restored.'),
  })
  .meta({ id: 'DeletedVirtualCluster', description: 'A virtual cluster that can be restored.' });

/** Some clients send `null` for no tags. */
const tagText = () => text(apiLimits.clusterTagCharsMax);
const tags = () => dictionary(text(apiLimits.clusterTagCharsMax, 1), tagText(), apiLimits.clusterTagsMax);
const tagsGiven = () =>
  tags()
    .nullish()
    .transform((found) => found ?? {});

const createInput = () =>
  z
    .strictObject({
      virtual_cluster_name: clusterName().describe(
        'The name, unique in the workspace. The prefix is added if it is missing.',
      ),
      virtual_cluster_type: emptyForNone(z.enum(clusterTypeNames)).describe(
        'Its type; by default, a Kafka cluster.',
      ),
      virtual_cluster_tier: emptyForNone(tier()).describe('Its tier; `pro` by default.'),
      virtual_cluster_region: emptyForNone(text(64, 1)).describe(
        'Its region; by default the only region group, the region of the control plane, or `us-east-1`.',
      ),
      virtual_cluster_region_group: emptyForNone(text(64, 1)).describe(
        'A region group instead of a region: one of `-regionGroups` of the control plane.',
      ),
      virtual_cluster_cloud_provider: emptyForNone(z.enum(cloudProviders)).describe(
        'The cloud; `aws` by default.',
      ),
      virtual_cluster_tags: tagsGiven().describe('Tags by name.'),
      skip_agent_key_creation: flag('Whether to create no agent key.'),
      workspace_id: emptyForNone(id('workspace')).describe(
        'The workspace; by default, the oldest one that the caller can access.',
      ),
    })
    .refine(
      ({ virtual_cluster_region: one, virtual_cluster_region_group: group }) =>
        one === undefined || group === undefined,
      { error: 'virtual_cluster_region and virtual_cluster_region_group cannot both be given' },
    );

const createOutput = z.object({
  virtual_cluster_id: id('cluster').describe('The cluster.'),
  virtual_cluster_name: text(135).describe('Its name with the prefix.'),
  agent_pool_id: id('agentPool').describe('The agent group.'),
  agent_pool_name: text(132).describe('The name of the agent group.'),
  bootstrap_url: text(apiLimits.apiUrlCharsMax)
    .nullable()
    .describe('The bootstrap server for Kafka clients, if known.'),
  agent_key: newApiKey.optional().describe('A key for its agents, unless `skip_agent_key_creation` is set.'),
  workspace_id: id('workspace').describe('Its workspace.'),
});

function creation<const Name extends string>(name: Name, title: string, description: string) {
  return defineOperation({
    name,
    title,
    summary: 'Create a virtual cluster and an agent key.',
    description,
    scope: 'workspace',
    input: createInput(),
    output: createOutput,
    errors: ['not_found', 'duplicate_name', 'limit_exceeded'],
    example: {
      input: {
        virtual_cluster_name: 'orders',
        virtual_cluster_tier: 'pro',
        virtual_cluster_tags: { team: 'shop' },
      },
      output: {
        virtual_cluster_id: examples.cluster,
        virtual_cluster_name: 'vcn_orders',
        agent_pool_id: examples.pool,
        agent_pool_name: 'apn_orders',
        bootstrap_url: null,
        agent_key: exampleNewKey,
        workspace_id: examples.workspace,
      },
    },
  });
}

const exampleFields = {
  id: examples.cluster,
  name: 'vcn_orders',
  type: 'byoc',
  workspace_id: examples.workspace,
  tier: 'pro',
  created_at: examples.time,
} as const;

const exampleCluster = {
  ...exampleFields,
  agent_pool_id: examples.pool,
  agent_pool_name: 'apn_orders',
  cloud_provider: 'aws' as const,
  cluster_region: {
    is_multi_region: false,
    region: { name: 'us-east-1', cloud_provider: 'aws' as const },
    region_group: null,
  },
  bootstrap_url: null,
};

export const virtualClusterOperations = [
  defineOperation({
    name: 'list_virtual_clusters',
    title: 'List virtual clusters',
    summary: 'List the virtual clusters of the workspaces that the caller can access.',
    scope: 'workspace',
    input: z.strictObject({ workspace_id: workspaceFilter() }),
    output: z.object({
      virtual_clusters: list(virtualCluster, apiLimits.virtualClustersMax).describe('The clusters by name.'),
    }),
    errors: ['not_found'],
    example: { output: { virtual_clusters: [exampleCluster] } },
  }),
  defineClusterOperation({
    name: 'describe_virtual_cluster',
    title: 'Describe a virtual cluster',
    summary: 'Describe a virtual cluster.',
    output: z.object({ virtual_cluster: virtualCluster.describe('The cluster.') }),
    example: { output: { virtual_cluster: exampleCluster } },
  }),
  creation(
    'create_virtual_cluster',
    'Create a virtual cluster',
    'The name gets the prefix of its type, and so does the id.',
  ),
  creation(
    'create_virtual_cluster_v2',
    'Create a virtual cluster (second form)',
    'The same as `create_virtual_cluster`, under the name that newer clients use.',
  ),
  defineClusterOperation({
    name: 'clone_virtual_cluster',
    title: 'Clone a virtual cluster',
    summary:
      'Create a virtual cluster with the topics, offsets and rules of another one, without copying data.',
    description:
      'The clone starts as a copy of the cluster and is independent from then on: writes, retention and deletions in one ' +
      'do not affect the other. Both use the same bucket, in which the clone refers to files of the cluster until it ' +
      'has rewritten or dropped them. It gets topics, committed offsets, ACLs, quotas and configs, but no ' +
      'credentials and no agent keys. A cluster with clones cannot be deleted. Data lake clusters cannot be cloned.',
    input: clusterInput({
      virtual_cluster_id: clusterId().describe('The cluster to clone.'),
      new_virtual_cluster_name: clusterName().describe('The name of the clone, with or without its prefix.'),
      skip_agent_key_creation: flag('Whether to create no agent key.'),
    }),
    output: createOutput,
    errors: ['duplicate_name', 'limit_exceeded', 'conflict', 'unsupported_cluster_type'],
    example: {
      input: { new_virtual_cluster_name: 'orders_copy' },
      output: {
        virtual_cluster_id: 'vci_93f1c2d4_5e6f_4a7b_8c9d_0e1f2a3b4c5d',
        virtual_cluster_name: 'vcn_orders_copy',
        agent_pool_id: examples.pool,
        agent_pool_name: 'apn_orders_copy',
        bootstrap_url: null,
        agent_key: exampleNewKey,
        workspace_id: examples.workspace,
      },
    },
  }),
  defineClusterOperation({
    name: 'rename_virtual_cluster',
    title: 'Rename a virtual cluster',
    summary: 'Rename a virtual cluster.',
    input: clusterInput({
      new_virtual_cluster_name: clusterName().describe('The new name, with or without its prefix.'),
    }),
    errors: ['duplicate_name'],
    example: {
      input: { new_virtual_cluster_name: 'purchases' },
    },
  }),
  defineClusterOperation({
    name: 'update_virtual_cluster_tier',
    title: 'Change the tier',
    summary: 'Move a virtual cluster to another tier.',
    input: clusterInput({
      tier: tier().describe('The new tier.'),
    }),
    errors: ['limit_exceeded'],
    example: { input: { tier: 'enterprise' } },
  }),
  defineClusterOperation({
    name: 'describe_virtual_cluster_tags',
    title: 'Describe tags',
    summary: 'List the tags of a virtual cluster.',
    output: z.object({ tags: tags().describe('Values by name.') }),
    example: { output: { tags: { team: 'shop' } } },
  }),
  defineClusterOperation({
    name: 'update_virtual_cluster_tags',
    title: 'Replace tags',
    summary: 'Replace all tags of a virtual cluster.',
    input: clusterInput({
      tags: tagsGiven().describe('All tags. An empty object removes them.'),
    }),
    example: { input: { tags: { team: 'billing' } } },
  }),
  defineClusterOperation({
    name: 'delete_virtual_cluster',
    title: 'Delete a virtual cluster',
    summary: 'Delete a virtual cluster. It can be restored for some time.',
    description: `Agents of the cluster are refused at once. Its data stays for ${apiLimits.clusterRestorableDays} days, during which \`restore_virtual_cluster\` brings it back.`,
    input: clusterInput({
      virtual_cluster_name: clusterName().describe('Its name, to confirm.'),
    }),
    errors: ['name_mismatch', 'deletion_protected', 'conflict'],
    example: {
      input: { virtual_cluster_name: 'vcn_orders' },
    },
  }),
  defineOperation({
    name: 'list_recently_deleted_virtual_clusters',
    title: 'List deleted virtual clusters',
    summary: 'List the deleted virtual clusters that can be restored.',
    scope: 'workspace',
    input: z.strictObject({ workspace_id: workspaceFilter() }),
    output: z.object({
      virtual_clusters: list(deletedCluster, apiLimits.virtualClustersMax).describe(
        'The clusters, last deleted first.',
      ),
    }),
    errors: ['not_found'],
    example: {
      output: {
        virtual_clusters: [
          { ...exampleFields, deleted_at: examples.time, restorable_until: '2026-03-02T12:00:00Z' },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'restore_virtual_cluster',
    title: 'Restore a virtual cluster',
    summary: 'Restore a deleted virtual cluster with its topics, groups and data.',
    description: 'If another cluster has taken its name, choose a new one.',
    input: clusterInput({
      new_virtual_cluster_name: clusterName().optional().describe('A new name, if its own is taken.'),
    }),
    errors: ['not_restorable', 'duplicate_name', 'limit_exceeded'],
  }),
] as const;
