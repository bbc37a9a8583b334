import { resolve } from 'node:path';
import { clusterTypeNames, clusterTypes, namePrefixes, pipelineTypes, prefixed } from '@weir/api';
import { clusterResourceName } from '@weir/core';
import { problemOfNewAcl } from '@weir/metadata';
import type {
  Acl,
  DesiredAgentKey,
  DesiredCluster,
  DesiredConfiguration,
  DesiredCredential,
  DesiredPipeline,
  DesiredTopic,
} from '../desired.ts';
import { type ConfigTexts, checkTexts } from './configs.ts';
import type { DocumentProblem } from './problem.ts';
import type { WrittenCluster } from './schema.ts';
import { withSubject } from './schema-problems.ts';
import type { ValuePath, YamlDocument } from './yaml-documents.ts';

/** Where a cluster is written, and whom to tell what is wrong with it. */
export interface WritingContext {
  readonly document: YamlDocument;
  /** The way from the top of the document to the cluster. */
  readonly path: ValuePath;
  /** What names of files are relative to. */
  readonly folder: string;
  readonly report: (problem: DocumentProblem) => void;
}

/** The config that deletion protection of a topic is. */
export const protectionConfig = 'service.deletion.protection.enabled';

/** What is written about a cluster, checked beyond what a schema can see. */
export function desiredCluster(written: WrittenCluster, context: WritingContext): DesiredCluster {
  const { document, path } = context;
  const { namePrefix } = clusterTypes[written.type];
  checkType(written, context);
  return {
    place: document.placeOf(path),
    name: withoutPrefix(namePrefix, written.name),
    fullName: prefixed(namePrefix, written.name),
    type: written.type,
    workspaceId: written.workspace_id,
    tier: written.tier,
    cloud: written.cloud,
    tags: written.tags,
    configuration: configurationOf(written, context),
    topics: written.topics?.map((_, index) => topicOf(written, index, context)),
    credentials: written.credentials?.map((_, index) => credentialOf(written, index, context)),
    agentKeys: written.agent_keys?.map((_, index) => agentKeyOf(written, index, context)),
    acls: written.acls?.map((_, index) => aclOf(written, index, context)),
    events: written.events,
    pipelines: written.pipelines?.map((_, index) => pipelineOf(written, index, context)),
  };
}

const kafkaOnly = ['topics', 'credentials', 'acls', 'events'] as const;

function checkType(written: WrittenCluster, context: WritingContext): void {
  // The wider prefix comes last, so that the first that fits is the type.
  const named = clusterTypeNames.find((type) => written.name.startsWith(clusterTypes[type].namePrefix));
  if (named !== undefined && named !== written.type) {
    report(context, ['name'], `begins as the name of a ${named} does, and the type is ${written.type}`);
  }
  if (written.type === 'byoc') return;
  for (const field of kafkaOnly) {
    if (written[field] !== undefined) report(context, [field], `a ${written.type} cluster has none`);
  }
}

/** Fields of the configuration that are configs of brokers by another name. */
const configOfField = {
  auto_create_topic: 'auto.create.topics.enable',
  default_num_partitions: 'num.partitions',
  default_retention_millis: 'log.retention.ms',
  default_topic_type: 'service.default.topic.type',
  enable_soft_topic_deletion: 'service.soft.delete.topic.enable',
  soft_topic_deletion_ttl_millis: 'service.soft.delete.topic.ttl.ms',
} as const;

function configurationOf(written: WrittenCluster, context: WritingContext): DesiredConfiguration | undefined {
  const { configuration, broker_configuration } = written;
  if (configuration === undefined && broker_configuration === undefined) return undefined;
  const brokerConfigs: Record<string, string> = {
    ...checked('cluster', broker_configuration ?? {}, ['broker_configuration'], context),
  };
  for (const [field, name] of Object.entries(configOfField)) {
    const value = configuration?.[field as keyof typeof configOfField];
    if (value === undefined) continue;
    if (Object.hasOwn(brokerConfigs, name))
      report(
        context,
        ['configuration', field],
        `is ${name}, which broker_configuration says too; say it once`,
      );
    brokerConfigs[name] = String(value);
  }
  return {
    place: placeOf(context, [configuration === undefined ? 'broker_configuration' : 'configuration']),
    enable_acls: configuration?.enable_acls,
    enable_acl_shadowing: configuration?.enable_acl_shadowing,
    enable_deletion_protection: configuration?.enable_deletion_protection,
    brokerConfigs,
  };
}

function topicOf(written: WrittenCluster, index: number, context: WritingContext): DesiredTopic {
  const path = ['topics', index];
  const { name, partition_count, config = {}, enable_deletion_protection } = written.topics![index]!;
  const configs = checked('topic', config, [...path, 'config'], context);
  if (enable_deletion_protection !== undefined && Object.hasOwn(configs, protectionConfig))
    report(
      context,
      [...path, 'enable_deletion_protection'],
      `is ${protectionConfig}, which config says too; say it once`,
    );
  const protection =
    enable_deletion_protection === undefined
      ? {}
      : { [protectionConfig]: String(enable_deletion_protection) };
  return {
    place: placeOf(context, path),
    name,
    partitionCount: partition_count,
    configs: { ...configs, ...protection },
  };
}

function credentialOf(written: WrittenCluster, index: number, context: WritingContext): DesiredCredential {
  const { name, cluster_superuser, password_env, password_file } = written.credentials![index]!;
  return {
    place: placeOf(context, ['credentials', index]),
    name: withoutPrefix(namePrefixes.credential, name),
    fullName: prefixed(namePrefixes.credential, name),
    isSuperuser: cluster_superuser,
    password:
      password_env === undefined
        ? filePlace(password_file, context)
        : { kind: 'variable', name: password_env },
  };
}

function agentKeyOf(written: WrittenCluster, index: number, context: WritingContext): DesiredAgentKey {
  const { name, read_only, key_file } = written.agent_keys![index]!;
  return {
    place: placeOf(context, ['agent_keys', index]),
    name: withoutPrefix(namePrefixes.apiKey, name),
    fullName: prefixed(namePrefixes.apiKey, name),
    isReadOnly: read_only,
    key: filePlace(key_file, context),
  };
}

function filePlace(path: string | undefined, { folder }: WritingContext) {
  return path === undefined
    ? ({ kind: 'told' } as const)
    : ({ kind: 'file', path: resolve(folder, path) } as const);
}

function aclOf(written: WrittenCluster, index: number, context: WritingContext): Acl {
  const path = ['acls', index];
  const given = written.acls![index]!;
  const isCluster = given.resource_type === 'CLUSTER';
  if (given.resource_name === undefined && !isCluster)
    report(context, [...path, 'resource_name'], 'is missing');
  // In one order, because two rules are the same when their texts are.
  const acl: Acl = {
    resource_type: given.resource_type,
    resource_name: given.resource_name ?? clusterResourceName,
    pattern_type: given.pattern_type,
    principal: given.principal,
    host: given.host,
    operation: given.operation,
    permission_type: given.permission_type,
  };
  const problem = problemOfNewAcl({
    resourceType: acl.resource_type,
    resourceName: acl.resource_name,
    patternType: acl.pattern_type,
    principal: acl.principal,
    host: acl.host,
    operation: acl.operation,
    permission: acl.permission_type,
  });
  if (problem !== undefined) report(context, path, problem);
  return acl;
}

function pipelineOf(written: WrittenCluster, index: number, context: WritingContext): DesiredPipeline {
  const { name, type, state, configuration_yaml } = written.pipelines![index]!;
  const path = ['pipelines', index];
  if (pipelineTypes[type].clusterType !== written.type)
    report(context, [...path, 'type'], `a ${written.type} cluster has no pipelines of the type ${type}`);
  return { place: placeOf(context, path), name, type, state, configurationYaml: configuration_yaml };
}

function checked(
  kind: 'topic' | 'cluster',
  given: ConfigTexts,
  path: ValuePath,
  context: WritingContext,
): ConfigTexts {
  const { texts, problems } = checkTexts(kind, given, [...context.path, ...path]);
  for (const problem of problems)
    context.report({ place: context.document.placeOfKey(problem.path), message: problem.message });
  return texts;
}

function placeOf({ document, path }: WritingContext, rest: ValuePath) {
  return document.placeOf([...path, ...rest]);
}

function report({ document, path, report: tell }: WritingContext, rest: ValuePath, rule: string): void {
  const whole = [...path, ...rest];
  tell({ place: document.placeOf(whole), message: withSubject(whole, rule) });
}

function withoutPrefix(prefix: string, name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
