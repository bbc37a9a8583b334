import { resolve } from 'node:path';
import {
  type ClusterType,
  clusterTypeNames,
  clusterTypes,
  namePrefixes,
  type PipelineType,
  pipelineTypes,
  prefixed,
  type ValuePath,
  withSubject,
} from '@weir/api';
import { problemOfNewAcl, problemOfOperation } from '@weir/cluster';
import { checkedConfiguration, configurationProblems } from '@weir/controlplane/pipeline-configuration';
import { clusterResourceName } from '@weir/core';
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
import { registryOf } from './desired-registry.ts';
import type { DocumentProblem } from './problem.ts';
import type { WrittenParts } from './schema.ts';
import type { YamlDocument } from './yaml-documents.ts';

/** Where the cluster is in the document, and where to report problems. */
interface WritingContext {
  readonly document: YamlDocument;
  /** The path from the top of the document to the cluster. */
  readonly path: ValuePath;
  /** File names are relative to this folder. */
  readonly folder: string;
  readonly report: (problem: DocumentProblem) => void;
}

/** The topic config for deletion protection. */
export const protectionConfig = 'service.deletion.protection.enabled';

/**
 * Converts one cluster of a document, with the checks that a schema cannot do. If the schema rejected parts, the others
 * are checked all the same; the result then serves only to find more problems.
 */
export function desiredCluster(written: WrittenParts, context: WritingContext): DesiredCluster {
  const { document, path } = context;
  const place = document.placeOf(path);
  const { name = place, type } = written;
  const { namePrefix } = clusterTypes[type ?? 'byoc'];
  if (type !== undefined) checkType({ ...written, type }, context);
  checkExclusions(written, context);
  return {
    place,
    name: withoutPrefix(namePrefix, name),
    fullName: prefixed(namePrefix, name),
    type: type ?? 'byoc',
    workspaceId: written.workspace_id,
    tier: written.tier,
    cloud: written.cloud,
    tags: written.tags as DesiredCluster['tags'],
    configuration: configurationOf(written, context),
    topics: each(written.topics, (topic, index) => topicOf(topic, index, context)),
    credentials: each(written.credentials, (credential, index) => credentialOf(credential, index, context)),
    agentKeys: each(written.agent_keys, (agentKey, index) => agentKeyOf(agentKey, index, context)),
    acls: each(written.acls, (acl, index) => aclOf(acl, index, context)),
    events: written.events,
    pipelines: each(written.pipelines, (pipeline, index) =>
      pipelineOf(pipeline, index, written.type, context),
    ),
    schemaRegistry:
      written.schema_registry &&
      registryOf(written.schema_registry, {
        folder: context.folder,
        placeOf: (rest) => placeOf(context, ['schema_registry', ...rest]),
        report: (rest, rule) => report(context, ['schema_registry', ...rest], rule),
      }),
  };
}

/** Maps a list that may have holes, which `map` skips without changing the index of the others. */
function each<Item, Desired>(
  items: readonly Item[] | undefined,
  desiredOf: (item: Item, index: number) => Desired | undefined,
): Desired[] | undefined {
  return items?.map(desiredOf).filter((desired) => desired !== undefined);
}

type ItemOf<Field extends keyof WrittenParts> =
  NonNullable<WrittenParts[Field]> extends readonly (infer Item)[] ? Item : never;

/** What clusters of a type have none of. */
const fieldsWithout = {
  byoc: [],
  byoc_schema_registry: ['topics', 'events'],
  byoc_data_lake: ['topics', 'credentials', 'acls', 'schema_registry'],
} as const satisfies Record<ClusterType, readonly (keyof WrittenParts)[]>;

function checkType(written: WrittenParts & { readonly type: ClusterType }, context: WritingContext): void {
  const { name, type } = written;
  // The broader prefix comes last, so that the first match is the type.
  const named = clusterTypeNames.find((one) => name?.startsWith(clusterTypes[one].namePrefix));
  if (named !== undefined && named !== type) {
    report(context, ['name'], `has the prefix of a ${named}, but the type is ${type}`);
  }
  for (const field of fieldsWithout[type]) {
    if (written[field] !== undefined) report(context, [field], `not allowed in a ${type} cluster`);
  }
}

function checkExclusions(
  { configuration, cloud, credentials = [] }: WrittenParts,
  context: WritingContext,
): void {
  if (configuration?.enable_acls === true && configuration.enable_acl_shadowing === true)
    report(context, ['configuration'], 'enable_acls and enable_acl_shadowing cannot both be true');
  if (cloud?.region !== undefined && cloud.region_group !== undefined)
    report(context, ['cloud'], 'region and region_group cannot both be set');
  credentials.forEach(({ password_env, password_file }, index) => {
    if (password_env !== undefined && password_file !== undefined)
      report(context, ['credentials', index], 'password_env and password_file cannot both be set');
  });
}

/** Fields of the configuration that are broker configs by another name. */
const configOfField = {
  auto_create_topic: 'auto.create.topics.enable',
  default_num_partitions: 'num.partitions',
  default_retention_millis: 'log.retention.ms',
  default_topic_type: 'service.default.topic.type',
  enable_soft_topic_deletion: 'service.soft.delete.topic.enable',
  soft_topic_deletion_ttl_millis: 'service.soft.delete.topic.ttl.ms',
} as const;

function configurationOf(written: WrittenParts, context: WritingContext): DesiredConfiguration | undefined {
  const { configuration, broker_configuration } = written;
  if (configuration === undefined && broker_configuration === undefined) return undefined;
  const brokerConfigs: Record<string, string> = {
    ...checked('cluster', (broker_configuration ?? {}) as ConfigTexts, ['broker_configuration'], context),
  };
  for (const [field, name] of Object.entries(configOfField)) {
    const value = configuration?.[field as keyof typeof configOfField];
    if (value === undefined) continue;
    if (Object.hasOwn(brokerConfigs, name))
      report(
        context,
        ['configuration', field],
        `is ${name}, which broker_configuration also sets; set it once`,
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

function topicOf(topic: ItemOf<'topics'>, index: number, context: WritingContext): DesiredTopic | undefined {
  const path = ['topics', index];
  const { name, partition_count = 0, config = {}, enable_deletion_protection } = topic;
  const configs = checked('topic', config, [...path, 'config'], context);
  if (enable_deletion_protection !== undefined && Object.hasOwn(configs, protectionConfig))
    report(
      context,
      [...path, 'enable_deletion_protection'],
      `is ${protectionConfig}, which config also sets; set it once`,
    );
  const protection =
    enable_deletion_protection === undefined
      ? {}
      : { [protectionConfig]: String(enable_deletion_protection) };
  if (name === undefined) return undefined;
  return {
    place: placeOf(context, path),
    name,
    partitionCount: partition_count,
    configs: { ...configs, ...protection },
  };
}

function credentialOf(
  { name, cluster_superuser = false, password_env, password_file }: ItemOf<'credentials'>,
  index: number,
  context: WritingContext,
): DesiredCredential | undefined {
  if (name === undefined) return undefined;
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

function agentKeyOf(
  { name, read_only = false, key_file }: ItemOf<'agent_keys'>,
  index: number,
  context: WritingContext,
): DesiredAgentKey | undefined {
  if (name === undefined) return undefined;
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
    ? ({ kind: 'printed' } as const)
    : ({ kind: 'file', path: resolve(folder, path) } as const);
}

function aclOf(given: ItemOf<'acls'>, index: number, context: WritingContext): Acl | undefined {
  const path = ['acls', index];
  const { resource_type, resource_name, pattern_type, principal, host, operation, permission_type } = given;
  const isGiven = context.document.valueAt([...context.path, ...path, 'resource_name']) !== undefined;
  if (resource_type !== undefined && resource_type !== 'CLUSTER' && !isGiven)
    report(context, [...path, 'resource_name'], 'is missing');
  // An incomplete rule cannot be checked as a whole.
  if (resource_type === undefined || pattern_type === undefined || principal === undefined) return undefined;
  if (host === undefined || operation === undefined || permission_type === undefined) return undefined;
  // Fields in a fixed order, because two rules are the same when their texts are.
  const acl: Acl = {
    resource_type,
    resource_name: resource_name ?? clusterResourceName,
    pattern_type,
    principal,
    host,
    operation,
    permission_type,
  };
  const wanted = {
    resourceType: acl.resource_type,
    resourceName: acl.resource_name,
    patternType: acl.pattern_type,
    principal: acl.principal,
    host: acl.host,
    operation: acl.operation,
    permission: acl.permission_type,
  };
  const problem = problemOfNewAcl(wanted) ?? problemOfOperation(wanted);
  if (problem !== undefined) report(context, path, problem);
  return acl;
}

function pipelineOf(
  { name, type, state, configuration_yaml: yaml, configuration_inputs: parts }: ItemOf<'pipelines'>,
  index: number,
  clusterType: ClusterType | undefined,
  context: WritingContext,
): DesiredPipeline | undefined {
  const path = ['pipelines', index];
  if (type === undefined) return undefined;
  if (clusterType !== undefined && pipelineTypes[type].clusterType !== clusterType)
    report(context, [...path, 'type'], `a ${clusterType} cluster has no ${type} pipelines`);
  for (const { place, message } of yaml === undefined ? [] : configurationProblems(type, yaml))
    reportInText(context, [...path, 'configuration_yaml'], place, message);
  if (parts !== undefined) {
    if (yaml !== undefined)
      report(context, path, 'configuration_yaml and configuration_inputs cannot both be set');
    const problem = problemOfParts(type, parts);
    if (problem !== undefined) report(context, [...path, 'configuration_inputs'], problem);
  }
  if (name === undefined) return undefined;
  const configuration = yaml === undefined ? parts && { parts } : { yaml };
  return { place: placeOf(context, path), name, type, state, configuration };
}

/** The first problem of a configuration in parts; its message names the part and the line. */
function problemOfParts(
  type: PipelineType,
  parts: readonly { readonly name: string; readonly yaml: string }[],
): string | undefined {
  try {
    checkedConfiguration(type, { parts });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
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

function report(
  { document, path, report: reportProblem }: WritingContext,
  rest: ValuePath,
  rule: string,
): void {
  const whole = [...path, ...rest];
  reportProblem({ place: document.placeOf(whole), message: withSubject(whole, rule) });
}

/**
 * Reports a problem at a position inside a text value. Where the text is written line by line, its lines are lines of
 * the file.
 */
function reportInText(
  { document, path, report: reportProblem }: WritingContext,
  rest: ValuePath,
  at: { readonly line: number; readonly column: number },
  rule: string,
): void {
  const whole = [...path, ...rest];
  const place = document.placeInText(whole, at);
  const where = place === undefined ? `line ${at.line}, column ${at.column}: ` : '';
  reportProblem({ place: place ?? document.placeOf(whole), message: withSubject(whole, where + rule) });
}

function withoutPrefix(prefix: string, name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
