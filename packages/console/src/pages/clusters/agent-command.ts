interface NewAgent {
  readonly controlPlane: string;
  readonly clusterId: string;
  readonly agentKey: string;
}

/** Starts an agent of a cluster; the bucket is a placeholder. */
export function agentCommand({ controlPlane, clusterId, agentKey }: NewAgent): string {
  return [
    'weir agent -bucketURL "s3://BUCKET?region=REGION" \\',
    `  -metadataURL ${controlPlane} \\`,
    `  -defaultVirtualClusterID ${clusterId} \\`,
    `  -agentKey ${agentKey}`,
  ].join('\n');
}
