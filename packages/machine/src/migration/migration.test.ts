import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  copyErrors,
  entryErrors,
  type MigrationState,
  type MigrationStateChanges,
  managedTopicNamespace,
  migratedProducerIdMin,
  migrationStates,
  migrationTransitions,
} from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { copiedFile, type RangeToCopy } from '../../testing/copied-file.ts';
import { MalformedCommand } from '../command.ts';
import { ClusterMachine } from '../machine.ts';

/** A cluster that copies topics of a source; ids of topics are their names. */
class Copy extends Cluster {
  #files = 0;

  manage(name: string, logStarts: readonly number[] = [0], sourceTopicId = 'source-id', pipelineId = 'p') {
    return this.execute({
      kind: 'manageTopics',
      pipelineId,
      topics: [
        { name, sourceTopic: name, sourceTopicId, configs: {}, logStarts: Float64Array.from(logStarts) },
      ],
      topicIds: [this.machine.topicByName(name) === undefined ? name : `${name} again`],
    })[0]!;
  }

  /** Returns the end of each partition afterwards, or the error. */
  copy(...ranges: RangeToCopy[]): (string | number)[] {
    return this.copyFile(copiedFile(++this.#files, ranges));
  }

  copyFile(file: ReturnType<typeof copiedFile>): (string | number)[] {
    const { error, nextOffset } = this.execute({ kind: 'appendCopied', file });
    return Array.from(error, (code, row) => (code === 0 ? nextOffset[row]! : copyErrors[code]!));
  }

  migrationOf(topicId: string) {
    return [...this.machine.managedTopics({ topicIds: [topicId] })][0]!.migration;
  }

  change(topicIds: readonly string[], to: MigrationState, rest: Partial<MigrationStateChanges> = {}) {
    const topics = topicIds.map((topicId) => {
      const { state: from, epoch } = this.migrationOf(topicId);
      return { topicId, from, epoch };
    });
    const changes = { pipelineId: 'p', topics, to, by: 'test', reason: '', ...rest };
    return this.execute({ kind: 'changeMigrationStates', changes });
  }

  /** Brings a topic to a state. */
  bring(topicId: string, to: MigrationState): void {
    const way = migrationStates.slice(1, migrationStates.indexOf(to) + 1);
    for (const state of way) {
      const deadline = state === 'BLOCKED' ? { deadlineMs: this.nowMs + 1000 } : {};
      assert.equal(this.change([topicId], state, deadline).message, null);
    }
  }

  ends(topicId: string, partition = 0) {
    const { logStartOffset, nextOffset, lastStableOffset } = this.machine.findBatches([
      { topicId, partition, offset: -1, bytesMax: 1 },
    ])[0]!;
    return [logStartOffset, lastStableOffset, nextOffset];
  }
}

test('a managed topic begins where the source does, and goes on there', () => {
  const cluster = new Copy();
  const { topic, error } = cluster.manage('t', [100, 0, 7]);
  assert.equal(error, 'NONE');
  assert.equal(topic?.partitionCount, 3);
  assert.deepEqual(
    [0, 1, 2].map((partition) => cluster.ends('t', partition)),
    [
      [100, 100, 100],
      [0, 0, 0],
      [7, 7, 7],
    ],
  );
  assert.deepEqual(
    cluster.copy({ topicId: 't', expectedOffset: 100, batches: [{ baseOffset: 110, nextOffset: 120 }] }),
    [120],
  );
  const grown = cluster.execute({
    kind: 'growManagedTopics',
    pipelineId: 'p',
    topics: [{ topicId: 't', partitionCount: 3, logStarts: Float64Array.of(5) }],
  });
  assert.equal(grown[0]!.topic?.partitionCount, 4);
  assert.deepEqual(cluster.ends('t', 3), [5, 5, 5]);
  const { machine } = cluster.replay();
  assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
});

test('what is there already is never taken over', () => {
  const cluster = new Copy();
  cluster.create('ours');
  assert.equal(cluster.manage('ours').error, 'TOPIC_ALREADY_EXISTS');
  cluster.manage('t');
  assert.equal(cluster.manage('t').error, 'NONE');
  assert.equal(cluster.manage('t', [0], 'another-id').error, 'SOURCE_CHANGED');
  assert.equal(cluster.manage('t', [0], 'source-id', 'another-pipeline').error, 'TOPIC_ALREADY_EXISTS');
  // A source before 2.8 has no ids.
  assert.equal(cluster.manage('t', [0], '').error, 'NONE');
});

test('copied batches have their own offsets, with their gaps', () => {
  const cluster = new Copy();
  cluster.manage('t');
  const batches = [
    { baseOffset: 3, nextOffset: 5 },
    { baseOffset: 9, nextOffset: 10 },
  ];
  assert.deepEqual(cluster.copy({ topicId: 't', expectedOffset: 0, batches }), [10]);
  assert.deepEqual(
    cluster.copy({ topicId: 't', expectedOffset: 10, batches: [{ baseOffset: 12, nextOffset: 13 }] }),
    [13],
  );
  const [answer] = cluster.machine.findBatches([{ topicId: 't', partition: 0, offset: 0, bytesMax: 1e6 }]);
  assert.deepEqual(
    [[...answer!.pointers.baseOffset], [...answer!.pointers.nextOffset]],
    [
      [0, 10],
      [10, 13],
    ],
  );
});

test('an append is conditional on the end of the partition', () => {
  const cluster = new Copy();
  cluster.manage('t', [0, 0]);
  const batches = [{ baseOffset: 0, nextOffset: 2 }];
  const file = copiedFile(100, [{ topicId: 't', expectedOffset: 0, batches }]);
  assert.deepEqual(cluster.copyFile(file), [2]);
  const before = cluster.saved();
  // Repeated by a caller that lost the answer, and by another agent.
  assert.deepEqual(cluster.copyFile(file), ['END_CHANGED']);
  assert.ok(before.equals(cluster.saved()));
  assert.deepEqual(
    cluster.copy(
      { topicId: 't', expectedOffset: 0, batches },
      { topicId: 't', partition: 1, expectedOffset: 0, batches },
    ),
    ['END_CHANGED', 2],
  );
  assert.deepEqual(cluster.copy({ topicId: 'gone', expectedOffset: 0, batches }), ['UNKNOWN_TOPIC_ID']);
  assert.deepEqual(cluster.copy({ topicId: 't', partition: 9, expectedOffset: 0, batches }), [
    'UNKNOWN_TOPIC_OR_PARTITION',
  ]);
  cluster.bring('t', 'MIGRATED');
  assert.deepEqual(
    cluster.copy({ topicId: 't', expectedOffset: 2, batches: [{ baseOffset: 2, nextOffset: 3 }] }),
    ['NOT_MANAGED'],
  );
});

test('a file that no correct agent sends changes nothing', () => {
  const cluster = new Copy();
  cluster.manage('t');
  const range = {
    topicId: 't',
    expectedOffset: 5,
    batches: [{ baseOffset: 5, nextOffset: 6, producerId: 1, sequence: 0 }],
  };
  const good = copiedFile(1, [range]);
  const table: [string, ReturnType<typeof copiedFile>][] = [
    ['level 0', { ...good, fileId: `0000000003e80${'0'.repeat(19)}` }],
    ['backwards', copiedFile(1, [{ ...range, batches: [{ baseOffset: 4, nextOffset: 5 }] }])],
    [
      'before the range',
      copiedFile(1, [{ ...range, batches: [{ baseOffset: 4, nextOffset: 6, producerId: 1 }] }]),
    ],
    ['beyond the file', { ...good, fileBytes: 10 }],
    [
      'a producer that does not fit',
      copiedFile(1, [{ ...range, batches: [{ baseOffset: 5, nextOffset: 6, producerId: 2 ** 47 }] }]),
    ],
  ];
  const before = cluster.saved();
  for (const [what, file] of table) assert.throws(() => cluster.copyFile(file), MalformedCommand, what);
  assert.ok(before.equals(cluster.saved()));
});

test('transactions of the source end here as they ended there', () => {
  const cluster = new Copy();
  cluster.manage('t');
  const sent = (baseOffset: number, producerId: number, sequence: number) =>
    ({ baseOffset, nextOffset: baseOffset + 1, kind: 'transactional', producerId, sequence }) as const;
  const ended = (baseOffset: number, producerId: number, kind: 'commitMarker' | 'abortMarker') =>
    ({ baseOffset, nextOffset: baseOffset + 1, kind, producerId }) as const;
  const first = [sent(0, 7, 0), sent(1, 8, 0), sent(2, 7, 1), ended(3, 7, 'abortMarker')];
  assert.deepEqual(cluster.copy({ topicId: 't', expectedOffset: 0, batches: first }), [4]);
  assert.deepEqual(cluster.ends('t'), [0, 1, 4]);
  // What is open is open after a failover.
  cluster.machine = ClusterMachine.restore(cluster.saved(), cluster.limits);
  assert.deepEqual(cluster.ends('t'), [0, 1, 4]);
  const second = [
    ended(4, 8, 'commitMarker'),
    sent(5, 9, 0),
    ended(6, 9, 'abortMarker'),
    ended(7, 5, 'abortMarker'),
  ];
  assert.deepEqual(cluster.copy({ topicId: 't', expectedOffset: 4, batches: second }), [8]);
  assert.deepEqual(cluster.ends('t'), [0, 8, 8]);
  const [answer] = cluster.machine.findBatches([{ topicId: 't', partition: 0, offset: 0, bytesMax: 1e6 }]);
  assert.deepEqual([...answer!.aborted!.producerId], [7, 9]);
  assert.deepEqual([...answer!.aborted!.firstOffset], [0, 5]);
  assert.deepEqual([...answer!.aborted!.lastOffset], [3, 6]);
  const { machine } = cluster.replay();
  assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
});

test('an idempotent producer goes on after the cut-over as it did at the source', () => {
  const cluster = new Copy();
  cluster.manage('t');
  const batches = Array.from({ length: 7 }, (_, index) => ({
    baseOffset: 2 * index,
    nextOffset: 2 * index + 2,
    producerId: 7,
    epoch: 3,
    sequence: 2 * index,
  }));
  cluster.copy({ topicId: 't', expectedOffset: 0, batches });
  cluster.bring('t', 'MIGRATED');
  const commit = (sequence: number, epoch = 3) =>
    cluster.commit({ topicId: 't', producerId: 7, epoch, sequence, records: 2 })[0];
  const error = (name: (typeof entryErrors)[number]) => `error ${entryErrors.indexOf(name)}`;
  assert.equal(commit(12), 12, 'the last one again');
  assert.equal(commit(4), 4, 'the fifth last again');
  assert.equal(commit(2), error('OUT_OF_ORDER_SEQUENCE_NUMBER'), 'older than what is remembered');
  assert.equal(commit(16), error('OUT_OF_ORDER_SEQUENCE_NUMBER'), 'a gap');
  assert.equal(commit(14, 2), error('INVALID_PRODUCER_EPOCH'));
  assert.equal(commit(14), 14);
});

test('own producer ids are above those of any source', () => {
  const cluster = new Copy();
  const ask = () => cluster.execute({ kind: 'allocateProducerIds', count: 10 });
  assert.equal(ask(), 1);
  cluster.manage('t');
  assert.equal(ask(), migratedProducerIdMin);
  cluster.manage('u');
  assert.equal(ask(), migratedProducerIdMin + 10);
});

test('only the migration changes a managed topic', () => {
  const cluster = new Copy();
  cluster.manage('t', [0]);
  cluster.copy({ topicId: 't', expectedOffset: 0, batches: [{ baseOffset: 0, nextOffset: 2 }] });
  cluster.nowMs += 100 * 86_400_000;
  const attempts = () => ({
    commit: cluster.commit({ topicId: 't', timestampMs: cluster.nowMs })[0],
    partitions: cluster.execute({
      kind: 'createPartitions',
      topics: [{ name: 't', partitionCount: 2 }],
      validateOnly: true,
    })[0]!.error,
    records: cluster.execute({
      kind: 'deleteRecords',
      partitions: [{ topicId: 't', partition: 0, offset: 1 }],
    })[0]!.error,
    configs: cluster.execute({
      kind: 'alterConfigs',
      resources: [
        {
          kind: 'topic',
          name: 't',
          replacesAll: false,
          changes: [{ name: 'retention.ms', operation: 'set', value: '5' }],
        },
      ],
      validateOnly: true,
    })[0]!.error,
    retention: cluster.execute({ kind: 'applyRetention', from: { topicNumber: 0, partition: 0 } }).moved,
    deletion: cluster.delete('t'),
  });
  const no = 'POLICY_VIOLATION';
  const refused = { partitions: no, records: no, configs: no, retention: 0, deletion: no };
  const code = (name: (typeof entryErrors)[number]) => `error ${entryErrors.indexOf(name)}`;
  assert.deepEqual(attempts(), { commit: code(no), ...refused });
  cluster.bring('t', 'PROXY');
  assert.deepEqual(attempts(), { commit: code('NOT_LEADER_OR_FOLLOWER'), ...refused });
  cluster.change(['t'], 'BLOCKED', { deadlineMs: cluster.nowMs + 1 });
  assert.deepEqual(attempts(), { commit: code('NOT_LEADER_OR_FOLLOWER'), ...refused });
  assert.equal(cluster.change(['t'], 'MIGRATED').error, 'NONE');
  const { deletion, ...done } = attempts();
  assert.deepEqual(done, { commit: 2, partitions: 'NONE', records: 'NONE', configs: 'NONE', retention: 1 });
  assert.equal(deletion, 'NONE');
});

test('configs, log starts and deletions follow the source', () => {
  const cluster = new Copy();
  cluster.manage('t');
  const range = (expectedOffset: number) => ({
    topicId: 't',
    expectedOffset,
    batches: [{ baseOffset: expectedOffset, nextOffset: expectedOffset + 4 }],
  });
  cluster.copy(range(0));
  cluster.copy(range(4));
  const configs = { 'retention.ms': '5' };
  cluster.execute({ kind: 'setManagedConfigs', pipelineId: 'p', topics: [{ topicId: 't', configs }] });
  assert.deepEqual(cluster.machine.topicById('t')!.configs, configs);
  cluster.execute({ kind: 'setManagedConfigs', pipelineId: 'p', topics: [{ topicId: 't', configs: {} }] });
  assert.deepEqual(cluster.machine.topicById('t')!.configs, {});
  const move = (logStartOffset: number, endOffset?: number) => {
    const start = { topicId: 't', partition: 0, logStartOffset, endOffset };
    return cluster.execute({ kind: 'moveManagedLogStarts', pipelineId: 'p', starts: [start] })[0]!.error;
  };
  assert.equal(move(5), 'NONE');
  assert.deepEqual(cluster.ends('t'), [5, 8, 8]);
  assert.equal(move(3), 'NONE', 'it never goes back');
  assert.deepEqual(cluster.ends('t'), [5, 8, 8]);
  assert.equal(move(50), 'END_CHANGED');
  assert.equal(move(50, 7), 'END_CHANGED');
  assert.equal(move(50, 8), 'NONE');
  assert.deepEqual(cluster.ends('t'), [50, 50, 50]);
  assert.equal(cluster.machine.stats().pointers, 0);
  assert.deepEqual(cluster.copy(range(50)), [54]);
  const { machine } = cluster.replay();
  assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
  cluster.execute({ kind: 'deleteManagedTopics', pipelineId: 'p', topicIds: ['t'] });
  assert.equal(cluster.machine.topicById('t'), undefined);
  cluster.execute({ kind: 'restoreTopics', topicIds: ['t'] });
  assert.equal(cluster.migrationOf('t').state, 'REPLICATING');
});

test('the migration of a topic goes with its data', () => {
  const cluster = new Copy();
  cluster.manage('t');
  cluster.execute({ kind: 'deleteManagedTopics', pipelineId: 'p', topicIds: ['t'] });
  cluster.nowMs += 100 * 86_400_000;
  cluster.execute({ kind: 'purge' });
  assert.equal(cluster.machine.kv.get(managedTopicNamespace, 't'), undefined);
  const { machine, changes } = cluster.replay();
  assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
  assert.deepEqual(changes.at(-1), {
    kind: 'record',
    namespace: managedTopicNamespace,
    key: 't',
    value: null,
  });
});

test('each state leads only where the table says', () => {
  for (const from of migrationStates) {
    for (const to of migrationStates) {
      const rule = migrationTransitions[from][to];
      for (const isIrreversible of [false, true]) {
        for (const hasDeadline of [false, true]) {
          const cluster = new Copy();
          cluster.manage('t');
          cluster.bring('t', from);
          const rest = { isIrreversible, ...(hasDeadline ? { deadlineMs: cluster.nowMs + 1000 } : {}) };
          const isAllowed =
            rule !== undefined &&
            (rule.isHandOver !== true || isIrreversible) &&
            (hasDeadline ? rule.deadline !== 'never' : rule.deadline !== 'must');
          const { epoch } = cluster.migrationOf('t');
          const { error } = cluster.change(['t'], to, rest);
          assert.equal(error, isAllowed ? 'NONE' : 'NOT_ALLOWED', `${from} to ${to}`);
          const after = cluster.migrationOf('t');
          assert.deepEqual([after.state, after.epoch], isAllowed ? [to, epoch + 1] : [from, epoch]);
        }
      }
    }
  }
});

test('a set of topics changes its states as a whole', () => {
  const cluster = new Copy();
  cluster.manage('t');
  cluster.manage('u');
  cluster.bring('u', 'PROXY');
  const before = cluster.saved();
  const topics = ['t', 'u'].map((topicId) => ({ topicId, from: 'REPLICATING', epoch: 1 }) as const);
  assert.equal(cluster.change([], 'PROXY', { topics }).error, 'CHANGED');
  assert.ok(before.equals(cluster.saved()));
  assert.equal(cluster.change(['u', 'u'], 'REPLICATING').error, 'NOT_ALLOWED');
  assert.equal(cluster.change(['t'], 'PROXY', { pipelineId: 'other' }).error, 'NOT_MANAGED');
  assert.equal(cluster.change(['t'], 'PROXY').error, 'NONE');
  assert.equal(cluster.change(['t', 'u'], 'BLOCKED', { deadlineMs: 1e9 }).topics.length, 2);
});

test('a state whose time is over ends by itself', () => {
  const cluster = new Copy();
  for (const name of ['t', 'u', 'v']) cluster.manage(name);
  cluster.bring('t', 'PROXY');
  cluster.bring('u', 'PROXY');
  cluster.change(['t'], 'PROXY', { deadlineMs: cluster.nowMs + 100 });
  cluster.change(['u'], 'BLOCKED', { deadlineMs: cluster.nowMs + 50 });
  const expire = () => cluster.execute({ kind: 'expireMigrationStates' });
  assert.equal(expire(), 0);
  cluster.nowMs += 60;
  assert.equal(expire(), 1);
  assert.deepEqual(
    [cluster.migrationOf('u').state, cluster.migrationOf('u').changedBy],
    ['PROXY', 'timeout'],
  );
  cluster.nowMs += 60;
  assert.equal(expire(), 1);
  assert.equal(cluster.migrationOf('t').deadlineMs, undefined);
  assert.equal(expire(), 0);
});

test('a state that lasts so long ends by the clock of the leader, and with the state before it', () => {
  const cluster = new Copy();
  for (const name of ['t', 'u']) {
    cluster.manage(name);
    cluster.bring(name, 'PROXY');
  }
  cluster.change(['t'], 'PROXY', { deadlineMs: cluster.nowMs + 100 });
  cluster.change(['u'], 'PROXY', { deadlineMs: cluster.nowMs + 10 });
  cluster.change(['t', 'u'], 'BLOCKED', { lastsMs: 50 });
  assert.deepEqual(
    ['t', 'u'].map((topicId) => cluster.migrationOf(topicId).deadlineMs! - cluster.nowMs),
    [50, 10],
  );
});

test('a transaction that has not ended at the source holds the cut-over, or is aborted', () => {
  const cluster = new Copy();
  cluster.manage('t');
  const batches = [
    { baseOffset: 0, nextOffset: 2, kind: 'transactional', producerId: 7, sequence: 0 },
  ] as const;
  cluster.copy({ topicId: 't', expectedOffset: 0, batches });
  cluster.bring('t', 'PROXY');
  cluster.change(['t'], 'BLOCKED', { deadlineMs: 1e9 });
  assert.equal(cluster.change(['t'], 'MIGRATED').error, 'OPEN_TRANSACTIONS');
  assert.equal(cluster.change(['t'], 'MIGRATED', { abortsTransactions: true }).error, 'NONE');
  assert.deepEqual(cluster.ends('t'), [0, 3, 3]);
  const [answer] = cluster.machine.findBatches([{ topicId: 't', partition: 0, offset: 0, bytesMax: 1e6 }]);
  assert.deepEqual([...answer!.aborted!.lastOffset], [2]);
  const { machine } = cluster.replay();
  assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
});

test('offsets of groups are copied up to the end of the copy, and never backwards', () => {
  const cluster = new Copy();
  cluster.manage('t');
  cluster.create('ours');
  cluster.copy({ topicId: 't', expectedOffset: 0, batches: [{ baseOffset: 0, nextOffset: 10 }] });
  const commit = (topicId: string, offset: number, partition = 0) =>
    cluster.execute({
      kind: 'commitCopiedOffsets',
      pipelineId: 'p',
      groups: [{ groupId: 'g', offsets: [{ topicId, partition, offset, metadata: 'm' }] }],
    })[0]![0];
  const committed = () =>
    cluster.machine.fetchOffsets({
      groupId: 'g',
      partitions: [{ topicId: 't', partition: 0 }],
      requireStable: false,
    } as never)[0]?.offset;
  assert.equal(commit('t', 5), 'NONE');
  assert.equal(commit('t', 4), 'NONE');
  assert.equal(committed(), 5);
  const committedMs = () => [...cluster.machine.offsets.of('g')][0]!.committedMs;
  const firstMs = committedMs();
  cluster.nowMs += 60_000;
  assert.equal(commit('t', 5), 'NONE');
  assert.equal(committedMs(), firstMs);
  // A group that rests at the source does not lose its offsets here.
  cluster.nowMs += 30 * 60_000;
  assert.equal(commit('t', 4), 'NONE');
  assert.equal(committedMs(), firstMs);
  assert.equal(commit('t', 5), 'NONE');
  assert.equal(committedMs(), firstMs + 31 * 60_000);
  assert.equal(committed(), 5);
  assert.equal(commit('t', 11), 'OFFSET_OUT_OF_RANGE');
  assert.equal(commit('t', 10), 'NONE');
  assert.equal(committed(), 10);
  assert.equal(commit('ours', 0), 'NOT_MANAGED');
  assert.equal(commit('t', 0, 3), 'UNKNOWN_TOPIC_OR_PARTITION');
  cluster.bring('t', 'MIGRATED');
  assert.equal(commit('t', 10), 'NOT_MANAGED');
});
