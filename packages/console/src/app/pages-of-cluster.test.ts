import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfOtherKinds, pageOfOperation, pagesOfCluster } from './pages-of-cluster.ts';

const labelsOf = (clusterId: string) => pagesOfCluster(clusterId).map(({ label }) => label);

test('a data lake has pages about tables and none about Kafka', () => {
  assert.deepEqual(labelsOf('vci_dl_1'), [
    'Overview',
    'Tables',
    'Query',
    'Pipelines',
    'Events',
    'Diagnostics',
    'Alerts',
    'Agents',
    'Jobs',
    'Settings',
  ]);
  for (const clusterId of ['vci_1', 'vci_sr_1']) {
    const labels = labelsOf(clusterId);
    assert.ok(labels.includes('Topics') && !labels.includes('Tables'), clusterId);
    assert.equal(labels.filter((label) => label === 'Pipelines').length, 1);
  }
});

test('an operation leads to the page of this cluster, or says that others have it', () => {
  const cases = [
    ['vci_dl_1', 'create_pipeline', 'Pipelines', false],
    ['vci_1', 'create_pipeline', 'Pipelines', false],
    ['vci_dl_1', 'create_topic', undefined, true],
    ['vci_dl_1', 'list_client_quotas', undefined, true],
    ['vci_1', 'create_topic', 'Topics', false],
    ['vci_1', 'get_context', undefined, false],
  ] as const;
  for (const [clusterId, name, label, isOther] of cases) {
    assert.equal(pageOfOperation(name, clusterId)?.label, label, name);
    assert.equal(isOfOtherKinds(name, clusterId), isOther, name);
  }
});
