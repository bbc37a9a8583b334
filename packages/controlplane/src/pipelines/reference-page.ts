import {
  clusterTypes,
  type PipelineType,
  pipelineEngineNote,
  pipelineTypeNames,
  pipelineTypes,
  unwrapped,
} from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { coreLimits } from '@weir/core';
import { streamFields } from '@weir/pipelines/config';
import * as z from 'zod';
import { schemas } from './types/schemas.ts';

/** The reference page of pipelines, as Markdown. */
export function pipelinesPage(): string {
  return `${[introduction, configurations, ...pipelineTypeNames.map(sectionOf)].join('\n\n')}\n`;
}

const introduction = `# Pipelines

<!-- Written by scripts/docs.ts from packages/controlplane/src/pipelines. Change the types there, not this page. -->

A pipeline belongs to a virtual cluster and has a type, a state (\`running\` or \`paused\`) and configurations. It is made paused and without a
configuration. [The API](api.md#pipelines) has the operations, \`weir apply\` has [pipelines in its files](apply.md), and [assistants](mcp.md) have
\`list_pipelines\` and \`describe_pipeline\`.

${[pipelineEngineNote, pipelineEngineNote && 'Starting one that cannot run fails with `no_pipeline_engine`, and nothing is changed. Configurations are checked, kept and deployed all the same.'].filter(Boolean).join(' ')}`.trimEnd();

const configurations = `## Configurations

- A configuration is YAML 1.2. It is checked when it is made, and one that is refused changes nothing; errors name line and column.
- One that is kept never changes. Versions are counted from 1. A pipeline keeps its last ${apiLimits.pipelineConfigurationsMax} and the one that is deployed.
- To go back, deploy an older one.
- A configuration may name variables of the environment of the agents that begin with \`WEIR_PIPELINE_\`, and those in \`-allowedPipelineVariables\`. That
  holds for fields that end with \`_env\`, for \`\${NAME}\` in any text, and for \`env("NAME")\` in mappings. Agents give no other variable to a pipeline. Fields
  of \`source_cluster_credentials\` of an \`orbit\` pipeline are another matter: agents read \`ORBIT_\` and the name that is written, and nothing else.
- A configuration may name hosts in \`-allowedTargetHosts\`: those of the public internet, unless the operator lists others. Addresses are checked when a
  configuration is made, and names when an agent connects: it connects only to the addresses that it has checked, and follows no redirect. Errors that a
  pipeline shows repeat nothing that the other side has sent.
- \`destination_bucket_url\` is \`s3://\`, \`gs://\` or \`azblob://\`, at a server that is such a host, and names no role.
- Secrets belong into [named secrets](api.md#secrets) of the cluster, to which any text refers as \`\${secret:NAME}\`, at most ${coreLimits.secretReferencesMax} times in a configuration.
  The name of a field, a host or a variable cannot. Agents get the value with the job that needs it, it is never read back, and a job starts again with another
  value within seconds after a rotation (\`weir secret rotate\`). An unknown name is refused. Or they belong into such variables, and only their names here.
- Configurations are sealed in the database, by the keys that \`-sealingKeysFile\` names or
  those beside a SQLite database; PostgreSQL without keys keeps no configuration that has a secret. What looks like a secret is read back as \`***\`: values
  of keys such as \`password\` or \`api_key\`, passwords in addresses, tokens. That is care and no guarantee. One that is sent back as it was read stays what
  it is in the newest configuration; if an address changes, or another setting of the same item of a list, secrets have to be written again. \`weir apply\`
  does not notice that only a secret differs.
- A configuration has at most ${apiLimits.pipelineConfigurationBytesMax / 1024} KiB, ${apiLimits.pipelineYamlTokensMax} words and signs, ${apiLimits.pipelineYamlDepthMax} levels, ${apiLimits.pipelineYamlAliasesMax} aliases, and with what these stand for
  ${apiLimits.pipelineYamlValuesMax} values. There are no merge keys (\`<<\`). A cluster has at most ${apiLimits.pipelinesPerClusterMax} pipelines.`;

const about: Readonly<Record<PipelineType, string>> = {
  bento:
    'Reads, changes and writes records: a configuration of Bento. Components, their fields and mappings are checked.',
  orbit:
    'Copies another Kafka cluster with its offsets. The first mapping that matches the whole name of a topic decides about it. [Moving from another Kafka cluster](../guides/migration.md) says what the fields mean.',
  schema_linking: 'Keeps a schema registry as another one is.',
  data_lake:
    'Makes tables of topics. The configuration may come in parts, `configuration_inputs`: lists of the same field become one in the order of the parts, and anything else stands in one part. Names of source clusters are unique, every table names one of them, and a topic has one table. [Tables](../guides/tables.md) says what the fields mean.',
};

function sectionOf(type: PipelineType): string {
  const { clusterType, isSingle } = pipelineTypes[type];
  const where = `Of clusters of the type \`${clusterType}\` (\`${clusterTypes[clusterType].idPrefix}…\`)${isSingle ? '; a cluster has one at most' : ''}.`;
  const fields = type === 'bento' ? streamRows() : rowsOf(schemas[type], '');
  const rows = fields.map(([field, what]) => `| \`${field}\` | ${what} |`);
  return [`## ${type}`, `${about[type]} ${where}`, ['| field | is |', '|---|---|', ...rows].join('\n')].join(
    '\n\n',
  );
}

function streamRows(): [field: string, what: string][] {
  return Object.entries(streamFields).map(([name, { about, absence, traits }]) => {
    const why = traits.withoutEffect;
    const effect = why === undefined ? '' : ` It has no effect: ${why}.`;
    return [name, `${about}${absence.kind === 'required' ? ' Required.' : ''}${effect}`];
  });
}

function rowsOf(schema: z.ZodObject, path: string): [field: string, what: string][] {
  return Object.entries(schema.shape).flatMap(([name, field]): [string, string][] => {
    const place = path + name;
    const isRequired = !(field instanceof z.ZodOptional);
    const value = unwrapped(field)!;
    return [[place, `${wordsFor(value)}${isRequired ? ', required' : ''}`], ...innerRows(value, place)];
  });
}

function innerRows(schema: z.core.$ZodType, place: string): [field: string, what: string][] {
  if (schema instanceof z.ZodObject) return rowsOf(schema, `${place}.`);
  return schema instanceof z.ZodArray ? innerRows(schema.element, `${place}[]`) : [];
}

function wordsFor(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodEnum) return schema.options.map((word) => `\`${word}\``).join(', ');
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodBoolean) return '`true` or `false`';
  if (schema instanceof z.ZodObject) return 'fields';
  if (schema instanceof z.ZodArray) return `a list${isFilled(schema) ? ' that is not empty' : ''}`;
  if (schema instanceof z.ZodNumber)
    return schema.maxValue === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${schema.minValue}`
      : `a whole number from ${schema.minValue} to ${schema.maxValue}`;
  throw new Error(`no words for ${schema._zod.def.type}`);
}

function isFilled(list: z.ZodArray): boolean {
  return !list.safeParse([]).success;
}
