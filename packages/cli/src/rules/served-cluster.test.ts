import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLine } from '../../testing/command-run.ts';
import { checkServedCluster } from './served-cluster.ts';

test('an agent serves any kind of cluster; one of a data lake runs no pipelines', () => {
  const usual = ['proxy', 'jobs'] as const;
  const cases: readonly [
    clusterId: string | undefined,
    enableManagedPipelines: boolean,
    roles: readonly ('proxy' | 'jobs' | 'pipelines')[],
    refused: readonly string[] | undefined,
  ][] = [
    ['vci_1', true, usual, undefined],
    [undefined, true, usual, undefined],
    ['vci_sr_1', true, usual, undefined],
    ['vci_dl_1', false, usual, undefined],
    ['vci_dl_1', true, usual, ['enableManagedPipelines', 'defaultVirtualClusterID']],
    ['vci_dl_1', false, ['jobs', 'pipelines'], ['roles', 'defaultVirtualClusterID']],
  ];
  for (const [defaultVirtualClusterID, enableManagedPipelines, roles, refused] of cases) {
    const violation = checkServedCluster({
      defaultVirtualClusterID,
      enableManagedPipelines,
      roles: [...roles],
      bucketURL: undefined,
    });
    assert.deepEqual(violation?.flags, refused);
  }
});

test('weir agent of a data lake needs a bucket, and refuses what it does not have with one line', async () => {
  const words =
    '-agentKey aks_1 -metadataURL http://127.0.0.1:1 -availabilityZone a -defaultVirtualClusterID vci_dl_1';
  const cases: readonly [line: string, err: RegExp][] = [
    ['', /-bucketURL is required, or -ingestionBucketURL and -compactionBucketURL\n$/],
    ['-ingestionBucketURL s3://a?region=r', /-ingestionBucketURL=.*: needs -compactionBucketURL\n$/],
    ['-bucketURL file:///a -enableRipcord', /not supported with a data lake cluster\n$/],
    ['-bucketURL mem://a', /tables cannot be in memory; use file:\/\/\n$/],
    ['-bucketURL file:///a -enableManagedPipelines', /tables need the role jobs\n$/],
    ['-bucketURL file:///a -tableflowMetadataSyncMode proxy', /agents with access to it\n$/],
    ['-bucketURL file:///a -tableflowInternalHTTPPort 8080', /two listeners cannot share a port\n$/],
  ];
  for (const [line, wanted] of cases) {
    const { status, err } = await runLine(`agent ${words} ${line}`);
    assert.equal(status, 2, err);
    assert.match(err, wanted);
    assert.equal(err.split('\n').length, 2, err);
  }
});
