import type { WantedPipeline } from '@weir/diagnostics';
import { serviceSettingsOf } from '@weir/pipelines/config';
import { readYaml, type YamlValue } from '@weir/pipelines/yaml';
import type { Pipelines } from '../accounts/workspaces/pipelines.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';

/** The pipelines of a cluster that should run, for its diagnostics. */
export async function wantedPipelines(
  pipelines: Pick<Pipelines, 'list' | 'configurations'>,
  { accountId, id: clusterId }: Pick<VirtualCluster, 'accountId' | 'id'>,
): Promise<WantedPipeline[]> {
  const found: WantedPipeline[] = [];
  for (const { id: pipelineId, name, type, state, deployed } of await pipelines.list(accountId, clusterId)) {
    if (state !== 'running' || deployed === undefined) continue;
    const common = { pipelineId, name, configurationId: deployed.id };
    if (type === 'schema_linking') found.push({ ...common, type, instanceCount: 1, groupIds: [] });
    if (type !== 'bento') continue;
    const configurations = await pipelines.configurations({ accountId, clusterId, pipelineId });
    const reading = readYaml(configurations.find(({ id }) => id === deployed.id)?.yaml ?? '');
    if ('problems' in reading) continue;
    const { instanceCount, agentGroup } = serviceSettingsOf(reading.value);
    found.push({ ...common, type, instanceCount, agentGroup, groupIds: [...groupsIn(reading.value)] });
  }
  return found;
}

/** The consumer groups of inputs, wherever they are nested. A group of another cluster is found in no list here. */
function groupsIn(value: YamlValue, into = new Set<string>()): ReadonlySet<string> {
  if (value.kind === 'list') for (const item of value.items) groupsIn(item, into);
  if (value.kind !== 'mapping') return into;
  for (const { key, value: inner } of value.entries) {
    if (key === 'consumer_group' && inner.kind === 'scalar' && typeof inner.value === 'string')
      into.add(inner.value);
    else groupsIn(inner, into);
  }
  return into;
}
