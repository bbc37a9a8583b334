import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Admin } from '@platformatic/kafka';
import { listeningAgent } from './test-listener.ts';

test('@platformatic/kafka administers topics', async (t) => {
  const { broker } = await listeningAgent(t);
  const admin = new Admin({ clientId: 'judge', bootstrapBrokers: [broker], retries: 1 });
  t.after(() => admin.close());
  const created = await admin.createTopics({ topics: ['a', 'b'], partitions: 4, replicas: 3 });
  assert.deepEqual(
    created.map(({ name, partitions, replicas }) => [name, partitions, replicas]),
    [
      ['a', 4, 3],
      ['b', 4, 3],
    ],
  );
  const metadata = await admin.metadata({ topics: ['a', 'b'] });
  assert.equal(metadata.id, 'vci_test');
  assert.equal(metadata.topics.get('a')?.partitionsCount, 4);
  assert.equal(metadata.topics.get('a')?.id, created[0]!.id);
  await admin.deleteTopics({ topics: ['a'] });
  assert.deepEqual(await admin.listTopics(), ['b']);
});
