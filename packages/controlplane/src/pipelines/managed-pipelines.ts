import { secretsDigest } from '@weir/cluster';
import { secretNamesIn } from '@weir/core';
import type { ManagedPipeline } from '@weir/metadata';
import { serviceSettingsOf } from '@weir/pipelines/config';
import { readYaml } from '@weir/pipelines/yaml';
import type { Pipelines } from '../accounts/workspaces/pipelines.ts';
import { revisionOf, type Secrets } from '../accounts/workspaces/secrets.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { textsIn } from './tenant-references.ts';

interface PipelineStores {
  readonly pipelines: Pick<Pipelines, 'list' | 'configurations'>;
  readonly secrets: Pick<Secrets, 'list' | 'open'>;
}

/** The managed pipelines of a cluster that run, with their deployed configurations. */
export async function managedPipelines(
  { pipelines, secrets }: PipelineStores,
  { accountId, id: clusterId }: Pick<VirtualCluster, 'accountId' | 'id'>,
): Promise<ManagedPipeline[]> {
  const running = (await pipelines.list(accountId, clusterId)).filter(
    ({ type, state, deployed }) => type === 'bento' && state === 'running' && deployed !== undefined,
  );
  if (running.length === 0) return [];
  const place = { accountId, clusterId };
  const known = new Map((await secrets.list(place)).map((secret) => [secret.name, revisionOf(secret)]));
  const found: ManagedPipeline[] = [];
  for (const { id: pipelineId, name: pipelineName, deployed } of running) {
    const configurations = await pipelines.configurations({ ...place, pipelineId });
    const yaml = configurations.find(({ id }) => id === deployed!.id)?.yaml;
    const reading = yaml === undefined ? undefined : readYaml(yaml);
    if (yaml === undefined || reading === undefined || 'problems' in reading) continue;
    const { instanceCount, agentGroup } = serviceSettingsOf(reading.value);
    const names = secretNamesIn(textsIn(reading.value));
    found.push({
      task: {
        pipelineId,
        pipelineName,
        configurationId: deployed!.id,
        yaml,
        secretsDigest: secretsDigest(names, (name) => known.get(name)),
      },
      instanceCount,
      agentGroup,
      openSecrets: names.length === 0 ? undefined : () => secrets.open(place, names),
    });
  }
  return found;
}
