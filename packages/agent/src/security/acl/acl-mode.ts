import { clusterConfigValue } from '@weir/cluster';
import type { ClusterView } from '../../cluster/cluster-view.ts';

/**
 * What becomes of rules. `off`: everybody may do everything. `shadow`: rules are tried out, and what they would deny is told and
 * happens all the same. `enforced`: what no rule allows is denied.
 */
type AclMode = 'off' | 'shadow' | 'enforced';

/** The mode of the cluster as the agent last heard of it. It is read with every request, and worked out when configs change. */
export function aclModeOf(cluster: Pick<ClusterView, 'clusterConfigs'>): () => AclMode {
  let known: { readonly configs: Readonly<Record<string, string>>; readonly mode: AclMode } | undefined;
  return () => {
    const configs = cluster.clusterConfigs();
    if (known?.configs !== configs) known = { configs, mode: modeIn(configs) };
    return known.mode;
  };
}

/** A cluster never has both; if it had, rules would be enforced. */
function modeIn(configs: Readonly<Record<string, string>>): AclMode {
  if (clusterConfigValue('service.acls.enabled', configs)) return 'enforced';
  return clusterConfigValue('service.acl.shadowing.enabled', configs) ? 'shadow' : 'off';
}
