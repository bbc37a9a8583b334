import {
  catalogue,
  cloudProviders,
  clusterTypeNames,
  pipelineStates,
  pipelineTypeNames,
  topicTypes,
} from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { coreLimits, eventTypeNames } from '@weir/core';
import * as z from 'zod';
import { cliLimits } from '../../limits.ts';

/**
 * The schema of a document. Fields that the API has too are taken from there, with their limits; the names are those of
 * the API and of the provisioning tools. No other field is allowed at any level, so that a misspelt one is reported.
 * Rules over several fields are in desired-cluster.ts, because a schema skips them once a field is invalid.
 */

const cluster = catalogue.create_virtual_cluster.input.shape;
const topic = catalogue.create_topic.input.shape;
const rule = catalogue['virtual_clusters/acls/create'].input.shape.acl.shape;
const credential = catalogue.create_virtual_cluster_credentials.input.shape;
const apiKey = catalogue.create_api_key.input.shape;
const pipeline = catalogue.create_pipeline.input.shape;
const registration = catalogue.register_schema.input.shape;
const registryConfig = catalogue.update_registry_config.input.shape;
const { tier } = catalogue.update_virtual_cluster_tier.input.shape;

/** Config values are strings; users also write plain numbers and booleans. */
const configText = z.preprocess(
  (value) => (['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : value),
  z.string({ error: 'is not a text, a number, true or false' }).max(coreLimits.configTextCharsMax),
);

const configs = z
  .record(z.string(), configText)
  .refine((found) => Object.keys(found).length <= apiLimits.configsPerRequestMax, {
    error: `has more than ${apiLimits.configsPerRequestMax} entries`,
  });

const millis = (min: number) => z.int().min(min);

const nanos = z
  .union([z.int(), z.bigint()], { error: 'is not a whole number of nanoseconds' })
  .refine((value) => value >= 1 && value < 2n ** 63n, { error: 'must be 1 to 9223372036854775807' });

const path = z.string().min(1).max(4096);
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, {
  error: 'is not the name of an environment variable',
});

const topicSchema = z.strictObject({
  name: topic.topic_name,
  partition_count: topic.partition_count,
  config: configs.optional(),
  enable_deletion_protection: z.boolean().optional(),
});

const credentialSchema = z.strictObject({
  name: credential.credentials_name,
  cluster_superuser: z.boolean().default(false),
  password_env: variableName.optional(),
  password_file: path.optional(),
});

const agentKeySchema = z.strictObject({
  name: apiKey.name,
  read_only: z.boolean().default(false),
  key_file: path.optional(),
});

const aclSchema = z.strictObject({
  resource_type: rule.resource_type,
  resource_name: rule.resource_name.optional(),
  pattern_type: rule.pattern_type.default('LITERAL'),
  principal: rule.principal,
  host: rule.host.default('*'),
  operation: rule.operation,
  permission_type: rule.permission_type.default('ALLOW'),
});

const pipelineSchema = z.strictObject({
  name: pipeline.pipeline_name,
  type: z.enum(pipelineTypeNames).default('bento'),
  state: z.enum(pipelineStates).optional(),
  configuration_yaml: catalogue.create_pipeline_configuration.input.shape.configuration_yaml,
  configuration_inputs: catalogue.create_pipeline_configuration.input.shape.configuration_inputs,
});

/** A value that a scope takes from the scope around it. */
const inherited = 'INHERITED';

const registrySettings = {
  compatibility_level: z
    .enum([...registryConfig.compatibility_level.unwrap().unwrap().options, inherited])
    .optional(),
  mode: z.enum([...registryConfig.mode.unwrap().unwrap().options, inherited]).optional(),
  normalize: z.boolean().optional(),
};

const subjectSchema = z.strictObject({
  name: registration.subject,
  ...registrySettings,
  schemas: z
    .array(
      z.strictObject({
        file: path.optional(),
        text: registration.schema.optional(),
        type: registration.schema_type.unwrap().optional(),
        references: registration.references.unwrap().optional(),
        metadata: registration.metadata,
      }),
    )
    .max(cliLimits.applySchemasPerSubjectMax)
    .optional(),
});

const contextSchema = z.strictObject({
  name: z.string().regex(/^\.?\w[\w.-]{0,200}$/, { error: 'is not the name of a context' }),
  ...registrySettings,
});

const schemaRegistrySchema = z.strictObject({
  ...registrySettings,
  contexts: z.array(contextSchema).max(cliLimits.applySubjectsMax).optional(),
  subjects: z.array(subjectSchema).max(cliLimits.applySubjectsMax).optional(),
});

const eventTypeSchema = z
  .strictObject({ enabled: z.boolean().optional(), retention_period_nanos: nanos.optional() })
  .optional();

const eventsSchema = z.strictObject({
  enabled: z.boolean().optional(),
  event_types: z
    .strictObject(
      Object.fromEntries(eventTypeNames.map((type) => [type, eventTypeSchema])) as Record<
        (typeof eventTypeNames)[number],
        typeof eventTypeSchema
      >,
    )
    .optional(),
});

const configurationSchema = z.strictObject({
  auto_create_topic: z.boolean().optional(),
  default_num_partitions: z.int().min(1).max(coreLimits.partitionsPerTopicMax).optional(),
  default_retention_millis: millis(-1).optional(),
  default_topic_type: z.enum(topicTypes).optional(),
  enable_acls: z.boolean().optional(),
  enable_acl_shadowing: z.boolean().optional(),
  enable_deletion_protection: z.boolean().optional(),
  enable_soft_topic_deletion: z.boolean().optional(),
  soft_topic_deletion_ttl_millis: millis(0).optional(),
});

const cloudSchema = z.strictObject({
  provider: z.enum(cloudProviders).optional(),
  region: z.string().min(1).max(64).optional(),
  region_group: z.string().min(1).max(64).optional(),
});

export const virtualClusterSchema = z.strictObject({
  name: cluster.virtual_cluster_name,
  type: z.enum(clusterTypeNames).default('byoc'),
  workspace_id: catalogue.delete_workspace.input.shape.workspace_id.optional(),
  tier: tier.optional(),
  cloud: cloudSchema.optional(),
  tags: catalogue.describe_virtual_cluster_tags.output.shape.tags.optional(),
  configuration: configurationSchema.optional(),
  broker_configuration: configs.optional(),
  topics: z.array(topicSchema).max(coreLimits.partitionsPerClusterMax).optional(),
  credentials: z.array(credentialSchema).max(coreLimits.credentialsMax).optional(),
  agent_keys: z.array(agentKeySchema).max(apiLimits.apiKeysMax).optional(),
  acls: z.array(aclSchema).max(coreLimits.aclsMax).optional(),
  events: eventsSchema.optional(),
  pipelines: z.array(pipelineSchema).max(apiLimits.pipelinesPerClusterMax).optional(),
  schema_registry: schemaRegistrySchema.optional(),
});

export const documentSchema = z.strictObject({
  version: z.literal(1, { error: 'must be 1' }),
  virtual_clusters: z.array(virtualClusterSchema).max(apiLimits.virtualClustersMax),
});

type WrittenCluster = z.output<typeof virtualClusterSchema>;

/** A cluster of which the schema may have rejected parts: fields are missing, and lists have holes. */
export type WrittenParts = { readonly [Field in keyof WrittenCluster]?: PartsOf<WrittenCluster[Field]> };

type PartsOf<Value> = Value extends readonly (infer Item)[]
  ? readonly Partial<Item>[]
  : Value extends object
    ? Partial<Value>
    : Value;
