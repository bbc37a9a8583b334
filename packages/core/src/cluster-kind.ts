type ClusterKind = 'kafka' | 'schema registry' | 'data lake';

/** Prefixes of the ids of virtual clusters that are not Kafka clusters. */
export const clusterIdPrefixes = { schemaRegistry: 'vci_sr_', dataLake: 'vci_dl_' } as const;

/** The kind of a virtual cluster, which its id determines. */
export function clusterKind(virtualClusterId: string | undefined): ClusterKind {
  if (virtualClusterId?.startsWith(clusterIdPrefixes.schemaRegistry)) return 'schema registry';
  return virtualClusterId?.startsWith(clusterIdPrefixes.dataLake) ? 'data lake' : 'kafka';
}
