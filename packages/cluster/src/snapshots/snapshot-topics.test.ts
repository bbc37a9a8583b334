import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TopicDescription } from '../calls/topic-calls.ts';
import { SnapshotTopics } from './snapshot-topics.ts';

const anyPartition = fc.record(
  { logStartOffset: fc.nat(), lastStableOffset: fc.nat(), nextOffset: fc.nat() },
  { noNullPrototype: true },
);
const anyCluster = fc.array(fc.array(anyPartition, { minLength: 1, maxLength: 5 }), { maxLength: 8 });

test('every topic and partition is found, and no others', () => {
  fc.assert(
    fc.property(anyCluster, (partitionsOf) => {
      const topics = partitionsOf.map(
        ({ length }, index): TopicDescription => ({
          topicId: `id${index}`,
          name: `name${index}`,
          partitionCount: length,
          configs: {},
          createdMs: 0,
        }),
      );
      const rows = partitionsOf.flat();
      const found = new SnapshotTopics({
        clusterId: 'vci_a',
        clusterConfigs: {},
        topics,
        logStartOffset: Float64Array.from(rows, ({ logStartOffset }) => logStartOffset),
        lastStableOffset: Float64Array.from(rows, ({ lastStableOffset }) => lastStableOffset),
        nextOffset: Float64Array.from(rows, ({ nextOffset }) => nextOffset),
        agents: [],
        records: [],
      });
      for (const [index, topic] of topics.entries()) {
        assert.equal(found.topicById(topic.topicId), topic);
        assert.equal(found.topicByName(topic.name), topic);
        for (const [partition, ends] of partitionsOf[index]!.entries())
          assert.deepEqual(found.ends(topic.topicId, partition), ends);
        for (const partition of [-1, topic.partitionCount])
          assert.equal(found.ends(topic.topicId, partition), undefined);
      }
      const unknown = `id${topics.length}`;
      assert.deepEqual([found.topicById(unknown), found.ends(unknown, 0)], [undefined, undefined]);
      assert.equal(found.topicByName(unknown), undefined);
    }),
  );
});
