import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ManagedTopic,
  type ManagedTopicState,
  migrationTopicsKind,
  type ReportedMigrationTopic,
} from '@weir/cluster';
import { managedTopic, reportOf } from '../../testing/migrations.ts';
import { type MigrationFacts, topicsOf, totalsOf } from './migration-status.ts';

const jobs = { takers: [{ kind: migrationTopicsKind, agentCount: 1, pausedCount: 0 }] };
const proxy: Partial<ManagedTopic> = { state: 'PROXY' };
const caughtUp = { sourceEnds: Float64Array.of(100, 60) };
const stopped = [{ partition: 1, error: 'truncated' }];

// biome-ignore format: a table
const holds: readonly (readonly [what: string, Partial<ManagedTopic>, Partial<ReportedMigrationTopic> | undefined, Partial<ManagedTopicState>, codes: readonly string[]])[] = [
  ['nothing',                             proxy,                caughtUp,                               {},                                              []],
  ['a lag',                               proxy,                {},                                     {},                                              ['lag']],
  ['an end that is not known is no lag',  proxy,                { sourceEnds: Float64Array.of(-1, 5) }, {},                                              []],
  ['a partition that is not here yet',    proxy,                { sourceStarts: Float64Array.of(0, 10, 3), sourceEnds: Float64Array.of(100, 60, 5) }, {}, ['lag']],
  ['no report',                           proxy,                undefined,                              {},                                              ['no_report']],
  ['a failure of the source',             proxy,                { ...caughtUp, error: 'refused' },      {},                                              ['source_failing']],
  ['a stopped partition',                 proxy,                { ...caughtUp, stopped },               {},                                              ['partition_stopped']],
  ['writes past the agents',              proxy,                { ...caughtUp, unproxiedRecords: 3, hasUnproxiedLately: true }, {},                      ['unproxied_writes']],
  ['no writes past the agents that ended', proxy,               { ...caughtUp, unproxiedRecords: 3, hasUnproxiedLately: false }, {},                     []],
  ['what the engine waits for',           { ...proxy, deadlineMs: 9_000 }, { ...caughtUp, held: 'ends are read again' }, {},                              ['cut_over_waits']],
  ['what is more than a wait',            { ...proxy, deadlineMs: 9_000 }, { held: 'the copies are behind' }, {},                                         ['lag']],
  ['no cut-over that has ended',          proxy,                { ...caughtUp, held: 'as it was' },     {},                                              []],
  ['an open transaction',                 proxy,                caughtUp,                               { lastStableOffset: Float64Array.of(90, 60) },   ['open_transaction']],
  ['an agent that may still forward',     { state: 'BLOCKED' }, caughtUp,                               { unconfirmedAgents: ['a'] },                    ['unconfirmed_agents']],
  ['it forwards, so that it need not yet', proxy,               caughtUp,                               { unconfirmedAgents: ['a'] },                    []],
  ['done',                                { state: 'MIGRATED' }, undefined,                             {},                                              []],
];

for (const [what, migration, report, facts, codes] of holds) {
  test(`a cut-over is held back by: ${what}`, () => {
    const known = { ...managedTopic('orders', migration), ...facts };
    const reported = {
      topics: report === undefined ? [] : [reportOf('orders', report)],
      copied: [],
      errors: [],
    };
    const [topic] = topicsOf({ isRunning: true, managed: [known], reported, jobs });
    assert.deepEqual(
      topic!.holds.map(({ code }) => code),
      codes,
    );
  });
}

test('nothing is cut over while the pipeline is paused or has no agent', () => {
  const reported = { topics: [], copied: [], errors: [] };
  const managed = [managedTopic('orders', proxy)];
  const codesOf = (facts: Omit<MigrationFacts, 'managed' | 'reported'>) =>
    topicsOf({ ...facts, managed, reported })[0]!.holds.map(({ code }) => code);
  assert.deepEqual(codesOf({ isRunning: false, jobs }), ['pipeline_paused']);
  assert.deepEqual(codesOf({ isRunning: true, jobs: { takers: [] } }), ['no_agent']);
  assert.deepEqual(codesOf({ isRunning: true }), ['no_report']);
});

test('the sums know only what is known of every topic', () => {
  const topicOf = (name: string, report?: Partial<ReportedMigrationTopic>) => ({
    known: managedTopic(name),
    report: report && reportOf(name, report),
  });
  const sumsOf = (...topics: ReturnType<typeof topicOf>[]) =>
    totalsOf(
      topicsOf({
        isRunning: true,
        managed: topics.map(({ known }) => known),
        reported: {
          topics: topics.flatMap(({ report }) => report ?? []),
          copied: [{ topicId: 'id-a', bytesPerSecond: 7, recordsPerSecond: 2 }],
          errors: [],
        },
        jobs,
      }),
    );
  const both = sumsOf(topicOf('a', {}), topicOf('b', caughtUp));
  assert.deepEqual(
    [both.lag_offsets, both.source_offsets, both.copied_offsets, both.eta_seconds],
    [10, 310, 300, 5],
  );
  const one = sumsOf(topicOf('a', {}), topicOf('b'));
  assert.deepEqual([one.lag_offsets, one.source_offsets, one.eta_seconds], [undefined, undefined, undefined]);
  assert.deepEqual([one.copied_offsets, one.bytes_per_second], [300, 7]);
});
