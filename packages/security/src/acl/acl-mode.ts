import { clusterConfigValue } from '@weir/cluster';

/**
 * How ACLs are applied. `off`: every client may do everything. `shadow`: denials are reported but not enforced.
 * `enforced`: what no ACL allows is denied.
 */
type AclMode = 'off' | 'shadow' | 'enforced';

/** Where the configs of the cluster are read. */
export interface AclConfigView {
  clusterConfigs(): Readonly<Record<string, string>>;
}

/**
 * Returns a reader of the ACL mode in the cluster view. It is called for every request and recomputes the mode only
 * when configs change.
 */
export function aclModeOf(cluster: AclConfigView): () => AclMode {
  let known: { readonly configs: Readonly<Record<string, string>>; readonly mode: AclMode } | undefined;
  return () => {
    const configs = cluster.clusterConfigs();
    if (known?.configs !== configs) known = { configs, mode: modeIn(configs) };
    return known.mode;
  };
}

/** A cluster never has both configs set; if it had, ACLs would be enforced. */
function modeIn(configs: Readonly<Record<string, string>>): AclMode {
  if (clusterConfigValue('service.acls.enabled', configs)) return 'enforced';
  return clusterConfigValue('service.acl.shadowing.enabled', configs) ? 'shadow' : 'off';
}
