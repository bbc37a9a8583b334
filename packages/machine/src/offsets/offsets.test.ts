import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OffsetToCommit } from '@weir/cluster';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { entryKind } from '../entry-kind.ts';
import { ClusterMachine } from '../machine.ts';
import { Offsets } from './offsets.ts';

const row = (partition: number, offset: number, metadata = '') => ({
  topicNumber: 0,
  partition,
  offset,
  leaderEpoch: -1,
  metadata,
});

const wanted = (topicId: string, partition: number, offset: number, metadata = ''): OffsetToCommit => ({
  topicId,
  partition,
  offset,
  leaderEpoch: 5,
  metadata,
});

function commit(cluster: Cluster, groupId: string, ...offsets: OffsetToCommit[]) {
  return cluster.execute({ kind: 'commitOffsets', groups: [{ groupId, retentionMs: -1, offsets }] })[0]!;
}

test('offsets that cannot be stored are refused individually', () => {
  const cluster = new Cluster();
  cluster.create('t', 2);
  cluster.create('gone');
  cluster.delete('gone');
  const cases: [offset: OffsetToCommit, error: string][] = [
    [wanted('t', 0, 0), 'NONE'],
    [wanted('t', 1, Number.MAX_SAFE_INTEGER), 'NONE'],
    [wanted('t', 2, 1), 'UNKNOWN_TOPIC_OR_PARTITION'],
    [wanted('t', -1, 1), 'UNKNOWN_TOPIC_OR_PARTITION'],
    [wanted('t', 0.5, 1), 'UNKNOWN_TOPIC_OR_PARTITION'],
    [wanted('u', 0, 1), 'UNKNOWN_TOPIC_ID'],
    [wanted('gone', 0, 1), 'UNKNOWN_TOPIC_ID'],
    [wanted('t', 0, -1), 'NONE'],
    [wanted('t', 0, -(2 ** 53)), 'INVALID_REQUEST'],
    [wanted('t', 0, 2 ** 53), 'INVALID_REQUEST'],
    [{ ...wanted('t', 0, 1), leaderEpoch: -2 }, 'INVALID_REQUEST'],
    [wanted('t', 0, 1, 'x'.repeat(4097)), 'OFFSET_METADATA_TOO_LARGE'],
    [wanted('t', 0, 7, 'x'.repeat(4096)), 'NONE'],
  ];
  assert.deepEqual(
    commit(cluster, 'g', ...cases.map(([offset]) => offset)),
    cases.map(([, error]) => error),
  );
  const query = { groupId: 'g', requireStable: true, partitions: null };
  assert.deepEqual(
    cluster.machine.fetchOffsets(query).map(({ partition, offset }) => [partition, offset]),
    [
      [0, 7],
      [1, Number.MAX_SAFE_INTEGER],
    ],
  );
});

test('negative offsets are stored, and only entries and snapshots that have one are written with signs', () => {
  const cluster = new Cluster();
  cluster.create('t', 3);
  const query = { groupId: 'g', requireStable: false, partitions: null };
  const stored = (machine: ClusterMachine) => machine.fetchOffsets(query).map(({ offset }) => offset);
  const steps: [offsets: readonly number[], kind: keyof typeof entryKind][] = [
    [[5, 6, 7], 'offsetsCommitted'],
    [[-1, 8, -2], 'signedOffsetsCommitted'],
    [[Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0], 'signedOffsetsCommitted'],
    [[1, 2, 3], 'offsetsCommitted'],
  ];
  const sizes = steps.map(([offsets, kind]) => {
    const errors = commit(cluster, 'g', ...offsets.map((offset, at) => wanted('t', at, offset)));
    assert.deepEqual(errors, ['NONE', 'NONE', 'NONE']);
    assert.equal(cluster.journal.at(-1)![0], entryKind[kind]);
    const saved = cluster.saved();
    assert.deepEqual(stored(ClusterMachine.restore(saved)), offsets);
    assert.deepEqual(stored(cluster.replay().machine), offsets);
    assert.deepEqual(Buffer.concat(ClusterMachine.restore(saved).save()), saved);
    return saved.length;
  });
  assert.equal(sizes[3], sizes[0], 'no sign is left when no offset is negative any more');
});

test('a negative offset is no position, so it has no lag', () => {
  const cluster = new Cluster();
  cluster.create('t', 2);
  commit(cluster, 'g', wanted('t', 0, -2), wanted('t', 1, 0));
  const [progress] = cluster.machine.groupProgress('g');
  assert.deepEqual([progress!.partitionCount, progress!.committed, progress!.lag], [1, 0, 0]);
});

test('a commit without a valid offset writes no entry', () => {
  const cluster = new Cluster();
  const before = cluster.saved();
  assert.deepEqual(commit(cluster, 'g', wanted('t', 0, 1)), ['UNKNOWN_TOPIC_ID']);
  assert.equal(cluster.journal.length, 0);
  assert.deepEqual(cluster.saved(), before);
});

test('offsets and their texts are bounded, and existing offsets can still be updated', () => {
  const cluster = new Cluster({ committedOffsetsMax: 2, offsetTextCharsMax: 10 });
  cluster.create('t', 5);
  assert.deepEqual(commit(cluster, 'g', ...[0, 1, 2].map((partition) => wanted('t', partition, 1))), [
    'NONE',
    'NONE',
    'INVALID_COMMIT_OFFSET_SIZE',
  ]);
  assert.deepEqual(commit(cluster, 'g', wanted('t', 0, 2, 'x'.repeat(10))), ['INVALID_COMMIT_OFFSET_SIZE']);
  assert.deepEqual(commit(cluster, 'g', wanted('t', 0, 2, 'x'.repeat(5))), ['NONE']);
  assert.deepEqual(commit(cluster, 'g', wanted('t', 0, 3)), ['NONE']);
  assert.deepEqual(commit(cluster, 'another group', wanted('t', 0, 3)), ['INVALID_COMMIT_OFFSET_SIZE']);
});

test('one call is one entry, whatever its number of groups', () => {
  const cluster = new Cluster();
  cluster.create('t', 10);
  const entries = cluster.journal.length;
  const groups = Array.from({ length: 1000 }, (_, number) => ({
    groupId: `g${number}`,
    retentionMs: -1,
    offsets: [wanted('t', number % 10, number)],
  }));
  const replies = cluster.execute({ kind: 'commitOffsets', groups });
  assert.ok(replies.every(([error]) => error === 'NONE'));
  assert.equal(cluster.journal.length, entries + 1);
});

test('offsets of a transaction take effect when it commits, and not before', () => {
  const offsets = new Offsets();
  offsets.commit('g', row(0, 1), 10, undefined);
  offsets.addPending(7, 'g', row(0, 5), 20);
  offsets.addPending(7, 'g', row(0, 6, 'later'), 30);
  offsets.addPending(7, 'h', row(1, 9), 30);
  assert.equal(offsets.pendingCount, 2, 'a later offset of the same transaction replaces it');
  assert.equal(offsets.get('g', 0, 0)!.offset, 1);
  assert.ok(offsets.isPending('g', 0, 0));
  assert.ok(!offsets.isPending('g', 0, 1));
  offsets.settlePending(7, true);
  assert.deepEqual(offsets.get('g', 0, 0), {
    offset: 6,
    leaderEpoch: -1,
    metadata: 'later',
    committedMs: 30,
    expiresMs: undefined,
    sequence: 2,
  });
  assert.equal(offsets.get('h', 0, 1)!.offset, 9);
  assert.equal(offsets.pendingCount, 0);
  assert.ok(!offsets.isPending('g', 0, 0));
});

test('offsets of an aborted transaction have no effect', () => {
  const offsets = new Offsets();
  offsets.addPending(7, 'g', row(0, 5), 20);
  offsets.settlePending(7, false);
  offsets.settlePending(8, true);
  assert.equal(offsets.get('g', 0, 0), undefined);
  assert.equal(offsets.textChars, 0);
  assert.ok(!offsets.hasGroup('g'));
});

test('a plain commit made after a transactional one is not overwritten by it', () => {
  const offsets = new Offsets();
  offsets.addPending(7, 'g', row(0, 5), 20);
  offsets.commit('g', row(0, 8), 20, undefined);
  offsets.settlePending(7, true);
  assert.equal(offsets.get('g', 0, 0)!.offset, 8);
});

test('of two transactions the later commit takes effect, whichever ends last', () => {
  for (const order of [
    [7, 8],
    [8, 7],
  ]) {
    const offsets = new Offsets();
    offsets.addPending(7, 'g', row(0, 5), 20);
    offsets.addPending(8, 'g', row(0, 6), 20);
    offsets.settlePending(order[0]!, true);
    assert.ok(offsets.isPending('g', 0, 0), 'the other transaction is still open');
    offsets.settlePending(order[1]!, true);
    assert.equal(offsets.get('g', 0, 0)!.offset, 6);
  }
});

test('removing a group or a topic removes its pending offsets', () => {
  const offsets = new Offsets();
  offsets.addPending(7, 'g', row(0, 5), 20);
  offsets.addPending(7, 'h', row(0, 5), 20);
  offsets.addPending(7, 'h', { ...row(0, 5), topicNumber: 3 }, 20);
  offsets.commit('h', { ...row(0, 5), topicNumber: 3 }, 20, undefined);
  offsets.deleteGroup('g');
  assert.ok(!offsets.hasPendingGroup('g'));
  offsets.forgetTopics(new Set([3]));
  assert.ok(!offsets.hasGroup('h'));
  offsets.settlePending(7, true);
  assert.deepEqual(
    [...offsets.groupIds()].map((groupId) => [groupId, offsets.countOf(groupId)]),
    [['h', 1]],
  );
});

type Operation =
  | { readonly kind: 'commit'; readonly group: number; readonly offsets: readonly [number, number][] }
  | { readonly kind: 'forget'; readonly group: number; readonly partitions: readonly number[] | null }
  | { readonly kind: 'record'; readonly key: number; readonly value: string | null }
  | { readonly kind: 'topic'; readonly isDeleted: boolean }
  | { readonly kind: 'pass' };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('commit' as const),
    group: fc.nat(3),
    offsets: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: -3, max: 1000 })), { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('forget' as const),
    group: fc.nat(3),
    partitions: fc.option(fc.array(fc.nat(3), { maxLength: 2 })),
  }),
  fc.record({
    kind: fc.constant('record' as const),
    key: fc.nat(3),
    value: fc.option(fc.string({ maxLength: 3 })),
  }),
  fc.record({ kind: fc.constant('topic' as const), isDeleted: fc.boolean() }),
  fc.record({ kind: fc.constant('pass' as const) }),
);

/** Rules M1, M2 and M9 of SPEC.md for key-value entries and offsets, against maps with the expected content. */
test('leader, follower and restored machine have the same entries and offsets', () => {
  fc.assert(
    fc.property(fc.array(operation, { size: 'max', maxLength: 60 }), (operations) => {
      const cluster = new Cluster();
      const model = new Map<string, number>();
      let topics = 0;
      let current = '';
      let follower = ClusterMachine.empty('vci_test');
      for (const operation of operations) {
        const entries = cluster.journal.length;
        switch (operation.kind) {
          case 'commit': {
            const offsets = operation.offsets.map(([partition, offset]) =>
              wanted(current, partition, offset, `${offset}`),
            );
            commit(cluster, `g${operation.group}`, ...offsets);
            if (current !== '') {
              for (const [partition, offset] of operation.offsets) {
                model.set(`g${operation.group} ${current} ${partition}`, offset);
              }
            }
            break;
          }
          case 'forget': {
            const topicNumber = cluster.machine.topicNumber(current) ?? 99;
            const partitions = operation.partitions?.map((partition) => ({ topicNumber, partition })) ?? null;
            cluster.execute({
              kind: 'forgetOffsets',
              groups: [{ groupId: `g${operation.group}`, partitions }],
            });
            for (const key of model.keys()) {
              const isNamed = operation.partitions?.some(
                (one) => key === `g${operation.group} ${current} ${one}`,
              );
              if (isNamed ?? key.startsWith(`g${operation.group} `)) model.delete(key);
            }
            break;
          }
          case 'record': {
            const value = operation.value === null ? null : Buffer.from(operation.value);
            const change = { namespace: 'group' as const, key: `${operation.key}`, value };
            cluster.execute({
              kind: 'putEntries',
              changes: [change, { ...change, namespace: 'clientQuota' }],
            });
            break;
          }
          case 'topic':
            if (operation.isDeleted && current !== '') {
              cluster.delete(current);
              current = '';
            } else if (current === '') {
              current = `topic${++topics}`;
              cluster.create(current, 4);
            }
            break;
          case 'pass':
            cluster.nowMs += 25 * 3_600_000;
            cluster.execute({ kind: 'purge' });
            break;
        }
        for (const entry of cluster.journal.slice(entries)) follower.apply(entry);
        const saved = Buffer.concat(follower.save());
        assert.deepEqual(saved, cluster.saved());
        if (operation.kind === 'pass') follower = ClusterMachine.restore(saved);
      }
      const found = ['g0', 'g1', 'g2', 'g3'].flatMap((groupId) =>
        cluster.machine
          .fetchOffsets({ groupId, requireStable: true, partitions: null })
          .map(({ topicId, partition, offset }): [string, number] => [
            `${groupId} ${topicId} ${partition}`,
            offset,
          ]),
      );
      const live = [...model].filter(([key]) => key.split(' ')[1] === current);
      assert.deepEqual(found.toSorted(), live.toSorted());
      const replayed = cluster.replay();
      assert.deepEqual(Buffer.concat(replayed.machine.save()), cluster.saved());
      const published = replayed.changes.filter((change) => change.kind === 'record');
      const followed = new Map<string, Uint8Array>();
      for (const { namespace, key, value } of published) {
        assert.equal(namespace, 'clientQuota', 'followers receive no group entries');
        if (value === null) followed.delete(key);
        else followed.set(key, value);
      }
      const snapshot = cluster.machine.snapshotForFollowers();
      assert.deepEqual(
        new Map(snapshot.records.map(({ key, value }) => [key, value])),
        followed,
        'changes and snapshot give the same state',
      );
    }),
    { numRuns: 150 },
  );
});

test('a snapshot is of the moment when it began, whatever is committed while it is written', () => {
  const cluster = new Cluster();
  cluster.create('t', 100);
  for (const groupId of ['a', 'b', 'c']) commit(cluster, groupId, wanted('t', 0, 1), wanted('t', 1, 1));
  const before = cluster.saved();
  const saving = cluster.machine.beginSave();
  const slices: Buffer[] = [];
  const iterator = saving.slices[Symbol.iterator]();
  slices.push(iterator.next().value!);
  commit(cluster, 'b', wanted('t', 0, 99), wanted('t', 7, 99));
  commit(cluster, 'd', wanted('t', 0, 99));
  cluster.execute({ kind: 'forgetOffsets', groups: [{ groupId: 'c', partitions: null }] });
  for (let next = iterator.next(); !next.done; next = iterator.next()) slices.push(next.value);
  saving.end();
  assert.deepEqual(Buffer.concat(slices), before);
  assert.notDeepEqual(cluster.saved(), before);
});
