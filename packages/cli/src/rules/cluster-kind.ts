export type ClusterKind = 'kafka' | 'schema registry' | 'data lake';

/** The kind of a virtual cluster, which its id determines. */
export function clusterKind(virtualClusterId: string | undefined): ClusterKind {
  if (virtualClusterId?.startsWith('vci_sr_')) return 'schema registry';
  return virtualClusterId?.startsWith('vci_dl_') ? 'data lake' : 'kafka';
}
