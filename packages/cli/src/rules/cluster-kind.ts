export type ClusterKind = 'kafka' | 'schema registry' | 'data lake';

/** The id of a virtual cluster says what it serves. */
export function clusterKind(virtualClusterId: string | undefined): ClusterKind {
  if (virtualClusterId?.startsWith('vci_sr_')) return 'schema registry';
  return virtualClusterId?.startsWith('vci_dl_') ? 'data lake' : 'kafka';
}
