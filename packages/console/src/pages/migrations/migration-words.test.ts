import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { choicesOf, etaText, heldBack, shareText, summaryOf } from './migration-words.ts';
import type { Migration, MigrationTopic } from './use-migration.ts';

const example = catalogue['orbit/describe_migration'].example.output as unknown as Migration;
const exampleTopic = example.topics[0]!;
const topicOf = (facts: Partial<MigrationTopic>): MigrationTopic => ({ ...exampleTopic, ...facts });

test('a copy that lacks a little is not whole', () => {
  assert.equal(shareText(topicOf({ copied_offsets: 999, source_offsets: 1_000 })), '99 %');
  assert.equal(shareText(topicOf({ copied_offsets: 1_000, source_offsets: 1_000 })), '100 %');
  assert.equal(shareText(topicOf({ copied_offsets: 0, source_offsets: 0 })), '100 %');
  const { source_offsets: _, ...unknown } = exampleTopic;
  assert.equal(shareText(unknown), '–');
});

test('an estimate needs a rate', () => {
  const { eta_seconds: _, ...without } = exampleTopic;
  assert.equal(etaText(topicOf({ eta_seconds: 90 })), '1 min 30 s');
  assert.equal(etaText({ ...without, lag_offsets: 0 }), 'caught up');
  assert.equal(etaText({ ...without, lag_offsets: 7 }), '–');
});

test('the whole in one sentence', () => {
  const counts = { ...example.topics_by_state, replicating: 0 };
  const done = {
    ...example,
    topics: [topicOf({ state: 'migrated' })],
    topics_by_state: { ...counts, migrated: 1 },
  };
  assert.equal(summaryOf(done), 'All 1 topic that can be copied are migrated.');
  assert.equal(summaryOf(example), 'The copies are 120 offsets behind the source.');
  assert.equal(summaryOf({ ...example, topics: [] }), 'No topic of the source is known yet.');
  assert.match(summaryOf({ ...example, pipeline_state: 'paused' }), /paused/);
  assert.match(
    summaryOf({ ...example, topics: [topicOf({ cut_over_requested: true })] }),
    /1 topic are being cut over/,
  );
});

test('what can be done depends on the state, and nothing of a topic that is migrated', () => {
  const topics = [
    topicOf({ topic: 'r' }),
    topicOf({ topic: 'p', state: 'proxy' }),
    topicOf({ topic: 'c', state: 'proxy', cut_over_requested: true }),
    topicOf({ topic: 'b', state: 'blocked', cut_over_requested: true, stopped_partitions: 1 }),
    topicOf({ topic: 'm', state: 'migrated' }),
  ];
  assert.deepEqual(choicesOf(topics), {
    toForward: ['r'],
    toCutOver: ['p'],
    toAbort: ['c', 'b'],
    toRollBack: ['p'],
    toHandOver: ['r'],
  });
  assert.deepEqual(
    heldBack(topics).map(({ topic }) => topic),
    ['b', 'c', 'r', 'p'],
  );
});
