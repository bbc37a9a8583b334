import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weir/core/testing';
import { commitOf } from '../../testing/file-commit.ts';
import { startLeaderAgent } from '../../testing/leader-agent.ts';

test('an agent knows the ends of a restored topic, and receives its next appends', async () => {
  await using agent = await startLeaderAgent();
  const { topicId, name } = await agent.addTopic('t', 2);
  const { view, node } = agent;
  await node.commitFiles([commitOf(topicId, [{ partition: 1, records: 3 }])]);
  await node.deleteTopics([{ topicId }]);
  await until(() => view.topicById(topicId) === undefined);
  await node.restoreTopics([topicId]);
  await until(() => view.topicByName(name) !== undefined);
  assert.deepEqual(view.ends(topicId, 0), { logStartOffset: 0, nextOffset: 0, lastStableOffset: 0 });
  assert.deepEqual(view.ends(topicId, 1), { logStartOffset: 0, nextOffset: 3, lastStableOffset: 3 });
  assert.equal(view.recentPointers(topicId, 1, 0, 1), undefined, 'older pointers come from the leader');
  const [answer] = await view.port.findBatches([{ topicId, partition: 1, offset: 0, bytesMax: 1 }]);
  assert.equal(answer!.pointers.fileId.length, 1);
  await node.commitFiles([commitOf(topicId, [{ partition: 1, records: 2 }])]);
  await until(() => view.ends(topicId, 1)?.nextOffset === 5);
});
