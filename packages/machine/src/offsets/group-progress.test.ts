import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterMachine } from '../machine.ts';

test('the growth of topics pauses after two thousand partitions, also within a topic', () => {
  const machine = ClusterMachine.empty('vci_test');
  const counts = { small: 10, large: 4_500, last: 1_000 };
  for (const [name, partitionCount] of Object.entries(counts))
    machine.execute(
      {
        kind: 'createTopics',
        topics: [{ name, partitionCount, configs: {} }],
        topicIds: [`id-${name}`],
        validateOnly: false,
      },
      0,
    );
  const yielded = Array.from(machine.topicGrowth(), (topic) => topic && [topic.name, topic.partitionCount]);
  assert.deepEqual(yielded, [['small', 10], undefined, undefined, ['large', 4_500], ['last', 1_000]]);
});
