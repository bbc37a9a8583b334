import { type ClusterChange, checkClusterConfigs, clusterConflict, describeProblem } from '@weir/cluster';
import type { ByteReader } from './bytes/byte-reader.ts';
import type { ClusterState } from './cluster-state.ts';
import { type ConfigChanges, readConfigChanges } from './config-changes.ts';

/** Decides the changes without applying them. */
export function decideAlterClusterConfigs(
  { clusterConfigs }: ClusterState,
  requested: ConfigChanges,
):
  | { readonly changed: ConfigChanges; readonly problem?: undefined }
  | { readonly problem: string; readonly changed?: undefined } {
  const { configs, problems } = checkClusterConfigs(requested);
  if (problems.length > 0) return { problem: problems.map(describeProblem).join('; ') };
  const changed = Object.entries(configs).filter(([name, text]) => text !== (clusterConfigs[name] ?? null));
  const after = { ...clusterConfigs, ...Object.fromEntries(changed) };
  const conflict = clusterConflict(
    Object.fromEntries(Object.entries(after).filter((pair): pair is [string, string] => pair[1] !== null)),
  );
  return conflict === undefined ? { changed: Object.fromEntries(changed) } : { problem: conflict };
}

export function applyClusterConfigsAltered(state: ClusterState, reader: ByteReader): ClusterChange[] {
  state.clusterConfigs = readConfigChanges(state.clusterConfigs, reader);
  return [{ kind: 'clusterConfigs', configs: state.clusterConfigs }];
}
