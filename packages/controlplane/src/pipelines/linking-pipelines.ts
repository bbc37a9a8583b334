import { type LinkingTask, secretsDigest } from '@weir/cluster';
import { secretNamesIn } from '@weir/core';
import type { LinkingPipeline } from '@weir/metadata';
import { readYaml } from '@weir/pipelines/yaml';
import { checkedValue } from '@weir/pipelines/yaml-schema';
import type { Pipelines } from '../accounts/workspaces/pipelines.ts';
import { revisionOf, type Secrets, type SecretsPlace } from '../accounts/workspaces/secrets.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';

import { schemaLinking } from './types/schema-linking.ts';

const usualSyncSeconds = 300;

interface LinkingStores {
  readonly pipelines: Pick<Pipelines, 'list' | 'configurations'>;
  readonly secrets: Pick<Secrets, 'list' | 'open'>;
}

/** The pipelines of schema linking of a cluster that run, with their deployed configurations. */
export async function linkingPipelines(
  { pipelines, secrets }: LinkingStores,
  { accountId, id: clusterId }: Pick<VirtualCluster, 'accountId' | 'id'>,
): Promise<LinkingPipeline[]> {
  const all = await pipelines.list(accountId, clusterId);
  const found: LinkingPipeline[] = [];
  for (const { id: pipelineId, type, state, deployed } of all) {
    if (type !== 'schema_linking' || state !== 'running' || deployed === undefined) continue;
    const configurations = await pipelines.configurations({ accountId, clusterId, pipelineId });
    const yaml = configurations.find(({ id }) => id === deployed.id)?.yaml;
    if (yaml === undefined) continue;
    const pipeline = linkingPipeline(pipelineId, deployed.id, yaml);
    found.push(await withSecretsOf(pipeline, secrets, { accountId, clusterId }));
  }
  return found;
}

/** Secrets are opened when a job is planned; until then, their revisions are enough. */
async function withSecretsOf(
  { task, everyMs }: LinkingPipeline,
  secrets: LinkingStores['secrets'],
  place: SecretsPlace,
): Promise<LinkingPipeline> {
  const names = secretNamesIn([task.username ?? '', task.password ?? '']);
  if (names.length === 0) return { task, everyMs };
  const known = new Map((await secrets.list(place)).map((secret) => [secret.name, revisionOf(secret)]));
  return {
    task: { ...task, secretsDigest: secretsDigest(names, (name) => known.get(name)) },
    everyMs,
    openSecrets: () => secrets.open(place, names),
  };
}

/** Reads a configuration that was checked when it was made. */
function linkingPipeline(pipelineId: string, configurationId: string, yaml: string): LinkingPipeline {
  const reading = readYaml(yaml);
  if ('problems' in reading) throw new Error(`the configuration ${configurationId} is not readable`);
  const settings = checkedValue(reading.value, schemaLinking);
  const { source_schema_registry: source, context } = settings;
  const task: LinkingTask = {
    pipelineId,
    configurationId,
    hostname: source.hostname,
    port: source.port,
    usernameEnv: source.basic_auth_username_env,
    passwordEnv: source.basic_auth_password_env,
    username: source.basic_auth_username,
    password: source.basic_auth_password,
    usesTls: source.use_tls ?? false,
    isInsecure: source.tls_insecure_skip_verify ?? false,
    contextType: settings.context_type ?? 'DEFAULT',
    context,
  };
  return { task, everyMs: 1000 * (settings.sync_every_seconds ?? usualSyncSeconds) };
}
