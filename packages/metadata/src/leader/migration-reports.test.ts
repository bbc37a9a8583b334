import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationTopicReports, type SourceTopicState } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { HandClock } from '@weir/core/testing';
import { metadataLimits } from '../limits.ts';
import { MigrationReports } from './migration-reports.ts';

const agent = { agentId: 'a', pipelineId: 'pi_1' };

function topicOf(topic: string, changes: Partial<SourceTopicState> = {}): SourceTopicState {
  return {
    topic,
    sourceTopic: topic,
    sourceStarts: Float64Array.of(0),
    sourceEnds: Float64Array.of(7),
    unchangedReads: 0,
    stopped: [],
    ...changes,
  };
}

test('the newest report of a topic counts, slots are summed, and silence forgets them', () => {
  const clock = new HandClock();
  const reports = new MigrationReports(clock);
  reports.receive({ ...agent, topics: [topicOf('one'), topicOf('two')], error: 'refused' });
  reports.receive({ ...agent, slot: 0, copied: [{ topicId: 'x', bytesPerSecond: 10, recordsPerSecond: 1 }] });
  reports.receive({
    ...agent,
    slot: 1,
    copied: [{ topicId: 'x', bytesPerSecond: 5, recordsPerSecond: 2, error: 'fenced' }],
  });
  assert.deepEqual(reports.get('pi_1').copied, [
    { topicId: 'x', bytesPerSecond: 15, recordsPerSecond: 3, error: 'fenced' },
  ]);
  assert.deepEqual(reports.get('pi_1').errors, ['refused']);
  clock.advance(40_000);
  reports.receive({ ...agent, topics: [topicOf('one', { sourceEnds: Float64Array.of(9) })] });
  clock.advance(40_000);
  const { topics, copied, errors } = reports.get('pi_1');
  assert.deepEqual(
    topics.map(({ topic, sourceEnds }) => [topic, ...sourceEnds]),
    [['one', 9]],
  );
  assert.deepEqual([copied, errors], [[], []]);
  assert.deepEqual(reports.get('pi_2'), { topics: [], copied: [], errors: [] });
});

test('reports are bounded in topics, partitions, texts and pipelines', () => {
  const reports = new MigrationReports(new HandClock());
  const { reportedMigrationTopicsMax, reportedStoppedPartitionsMax } = clusterLimits;
  const many = Array.from({ length: reportedMigrationTopicsMax + 1 }, (_, n) => topicOf(`t${n}`));
  assert.throws(() => reports.receive({ ...agent, topics: many }), /at most 500 topics/);
  const wide = { sourceEnds: new Float64Array(15_000), sourceStarts: new Float64Array(15_000) };
  assert.throws(
    () => reports.receive({ ...agent, topics: [topicOf('a', wide), topicOf('b', wide)] }),
    /20000/,
  );
  const parts = migrationTopicReports(agent, [...many, topicOf('a', wide), topicOf('b', wide)]);
  assert.deepEqual(
    parts.map(({ topics }) => topics!.length),
    [500, 2, 1],
  );
  for (const part of parts) reports.receive(part);
  assert.equal(reports.get('pi_1').topics.length, 503);
  const stopped = Array.from({ length: 100 }, (_, partition) => ({
    partition,
    error: `a\n${'x'.repeat(5_000)}`,
  }));
  reports.receive({ ...agent, topics: [topicOf('s', { stopped })] });
  const kept = reports.get('pi_1').topics.find(({ topic }) => topic === 's')!.stopped;
  assert.equal(kept.length, reportedStoppedPartitionsMax);
  assert.match(kept[0]!.error, /^a x{998}$/);
  const huge = { sourceEnds: new Float64Array(metadataLimits.migrationPartitionsMax) };
  reports.receive({ ...agent, topics: [topicOf('huge', huge)] });
  assert.ok(!reports.get('pi_1').topics.some(({ topic }) => topic === 'huge'));
  for (let n = 0; n < 100; n++)
    reports.receive({ ...agent, pipelineId: `pi_x${n}`, topics: [topicOf('one')] });
  assert.equal(reports.get('pi_x99').topics.length, 1);
  assert.equal(reports.get('pi_x0').topics.length, 0);
});
