import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { memoryNode } from '@weir/metadata/testing';
import { withQuickGroups } from './quick-groups.ts';

const name = 'group.initial.rebalance.delay.ms';
const intervalNames = ['group.consumer.assignment.interval.ms', 'group.share.assignment.interval.ms'];

test('members of a group start at once, unless the user has configured a delay', async () => {
  const rows: [set: string | undefined, expected: string][] = [
    [undefined, '0'],
    ['1500', '1500'],
  ];
  for (const [value, expected] of rows) {
    const { hub, node } = memoryNode({ clusterId: randomUUID() });
    const leads = new Promise<void>((resolve) => node.onRole((role) => role === 'leader' && resolve()));
    node.start();
    await leads;
    if (value !== undefined) {
      const changes = [{ name, operation: 'set', value }] as const;
      await node.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
        validateOnly: false,
      });
    }
    await withQuickGroups(node);
    const configs = await new Promise<Readonly<Record<string, string>>>((resolve) => {
      node.follow({ onSnapshot: ({ clusterConfigs }) => resolve(clusterConfigs), onChanges() {} });
    });
    assert.deepEqual(
      [name, ...intervalNames].map((one) => configs[one]),
      [expected, '0', '0'],
    );
    await node.stop();
    await hub.close();
  }
});
