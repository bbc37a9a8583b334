import { secretsDigest } from '@weir/cluster';
import { secretNamesIn } from '@weir/core';
import type { WantedMigration } from '@weir/metadata';
import { readYaml, type YamlValue } from '@weir/pipelines/yaml';
import type { Pipelines } from '../accounts/workspaces/pipelines.ts';
import { revisionOf, type Secrets } from '../accounts/workspaces/secrets.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { textsIn } from './tenant-references.ts';

interface PipelineStores {
  readonly pipelines: Pick<Pipelines, 'list' | 'configurations'>;
  readonly secrets: Pick<Secrets, 'list' | 'open'>;
}

const usualConcurrency = 2;
const concurrencyMax = 64;

/** The migrations of a cluster that run, with their deployed configurations. */
export async function wantedMigrations(
  { pipelines, secrets }: PipelineStores,
  { accountId, id: clusterId }: Pick<VirtualCluster, 'accountId' | 'id'>,
): Promise<WantedMigration[]> {
  const running = (await pipelines.list(accountId, clusterId)).filter(
    ({ type, state, deployed }) => type === 'orbit' && state === 'running' && deployed !== undefined,
  );
  if (running.length === 0) return [];
  const place = { accountId, clusterId };
  const known = new Map((await secrets.list(place)).map((secret) => [secret.name, revisionOf(secret)]));
  const found: WantedMigration[] = [];
  for (const { id: pipelineId, name: pipelineName, deployed } of running) {
    const configurations = await pipelines.configurations({ ...place, pipelineId });
    const yaml = configurations.find(({ id }) => id === deployed!.id)?.yaml;
    const reading = yaml === undefined ? undefined : readYaml(yaml);
    if (yaml === undefined || reading === undefined || 'problems' in reading) continue;
    const names = secretNamesIn(textsIn(reading.value));
    found.push({
      task: {
        pipelineId,
        pipelineName,
        configurationId: deployed!.id,
        yaml,
        secretsDigest: secretsDigest(names, (name) => known.get(name)),
      },
      slotCount: concurrencyOf(reading.value),
      openSecrets: names.length === 0 ? undefined : () => secrets.open(place, names),
    });
  }
  return found;
}

function concurrencyOf(root: YamlValue): number {
  const value = fieldOf(fieldOf(root, 'service'), 'cluster_fetch_concurrency');
  const count = value?.kind === 'scalar' ? Number(value.value) : usualConcurrency;
  return Number.isSafeInteger(count) ? Math.min(Math.max(count, 1), concurrencyMax) : usualConcurrency;
}

function fieldOf(value: YamlValue | undefined, name: string): YamlValue | undefined {
  return value?.kind === 'mapping' ? value.entries.find(({ key }) => key === name)?.value : undefined;
}
