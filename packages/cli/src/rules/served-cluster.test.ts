import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLine } from '../../testing/command-run.ts';
import { checkServedCluster } from './served-cluster.ts';

test('an agent serves Kafka clusters and schema registries', () => {
  const cases: readonly [clusterId: string | undefined, refused: RegExp | undefined][] = [
    ['vci_1', undefined],
    [undefined, undefined],
    ['vci_sr_1', undefined],
    ['vci_dl_1', /^this release has no tables/],
  ];
  for (const [defaultVirtualClusterID, refused] of cases) {
    const violation = checkServedCluster({ defaultVirtualClusterID });
    if (refused === undefined) assert.equal(violation, undefined);
    else assert.match(violation?.rule ?? '', refused);
  }
});

test('weir agent ends with one line instead of serving Kafka for tables', async () => {
  const words = '-agentKey aks_1 -metadataURL http://127.0.0.1:1 -bucketURL mem://a -availabilityZone a';
  assert.deepEqual(await runLine(`agent -defaultVirtualClusterID vci_dl_1 ${words}`), {
    status: 2,
    out: '',
    err: 'weir agent: -defaultVirtualClusterID=vci_dl_1: this release has no tables; use a Kafka cluster or a schema registry\n',
  });
});
