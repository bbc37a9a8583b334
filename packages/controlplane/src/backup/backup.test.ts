import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fileDeletionKind, readDeletionTask } from '@weir/cluster';
import { seededRandom, silentLog } from '@weir/core';
import { youngFileId } from '@weir/core/testing';
import type { Journal } from '@weir/journal';
import { SimulatedProcess } from '@weir/metadata/testing';
import { loadSchemaFormats, RegistryReplica, RegistryService } from '@weir/registry';
import { logFileKey, StoreError } from '@weir/storage';
import { storageLimits } from '@weir/storage/limits';
import {
  clusterId,
  endOffset,
  freshDatabase,
  intervalMs,
  BackupStage as Stage,
} from '../../testing/backup-stage.ts';
import { putHeld } from '../clones/clone-objects.ts';
import { BackedUpMetadata } from './backed-up-metadata.ts';
import {
  chainFrom,
  listBackedUpClusters,
  listBackup,
  listGenerations,
  stoppedKey,
} from './backup-objects.ts';
import { type RestoreAdvance, RestoreProblem } from './read-backup.ts';
import { rehearseRestore } from './restore-cluster.ts';

const segment = (firstPosition: number, endPosition: number) => ({
  key: `${firstPosition}-${endPosition}`,
  firstPosition,
  endPosition,
});

const chains: [what: string, snapshot: number | undefined, segments: [number, number][], chain: string[]][] =
  [
    ['nothing', undefined, [], []],
    [
      'segments in a row',
      undefined,
      [
        [0, 3],
        [3, 7],
      ],
      ['0-3', '3-7'],
    ],
    [
      'a gap ends it',
      undefined,
      [
        [0, 3],
        [4, 7],
      ],
      ['0-3'],
    ],
    [
      'longer versions win',
      undefined,
      [
        [0, 3],
        [0, 5],
        [0, 4],
        [5, 6],
      ],
      ['0-5', '5-6'],
    ],
    [
      'overlaps',
      undefined,
      [
        [0, 5],
        [2, 4],
        [3, 9],
        [4, 8],
        [9, 10],
      ],
      ['0-5', '3-9', '9-10'],
    ],
    [
      'behind a snapshot',
      4,
      [
        [0, 3],
        [3, 5],
        [5, 6],
      ],
      ['3-5', '5-6'],
    ],
    [
      'a snapshot that nothing continues',
      9,
      [
        [0, 3],
        [3, 5],
      ],
      [],
    ],
    [
      'a snapshot beyond a gap',
      9,
      [
        [0, 3],
        [9, 12],
      ],
      ['9-12'],
    ],
  ];

for (const [what, position, segments, expected] of chains) {
  test(`chain of a backup: ${what}`, () => {
    const snapshot = position === undefined ? undefined : { key: 'snapshot', position };
    const chain = chainFrom(
      snapshot,
      segments.map(([first, end]) => segment(first, end)),
    );
    assert.deepEqual(
      chain.segments.map(({ key }) => key),
      expected,
    );
    assert.equal(chain.endPosition, chain.segments.at(-1)?.endPosition ?? position ?? 0);
  });
}

test('a restored cluster has what the leader had when it last backed up', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId, 3);
  await stage.clock.pass(intervalMs);
  await stage.commit(node, topicId, 2);
  await stop();
  assert.deepEqual(await listBackedUpClusters(stage.store), [clusterId]);

  const database = freshDatabase();
  const steps: string[] = [];
  const advances: RestoreAdvance[] = [];
  const restored = await stage.restore(database, steps, advances);
  const lasts = new Map(advances.map(({ unit, done, total }) => [unit, [done, total]]));
  assert.deepEqual(lasts.get('folders'), [256, 256]);
  assert.ok(advances.every(({ done, total }) => done <= total));
  assert.deepEqual([restored.generation, restored.topicCount, restored.isComplete], [1, 1, true]);
  assert.equal(steps.length, 4);
  const again = await stage.leader(t, database);
  assert.equal(await endOffset(again.node, topicId), 50);
  await stage.commit(again.node, topicId);
  assert.equal(await endOffset(again.node, topicId), 60);
  await again.stop();

  const third = freshDatabase();
  assert.equal((await stage.restore(third)).generation, 2, 'the restored cluster was backed up as well');
  const last = await stage.leader(t, third);
  assert.equal(await endOffset(last.node, topicId), 60);
  await last.stop();
  assert.deepEqual(await listGenerations(stage.store, clusterId), [0, 1, 2]);
});

test('a rehearsal reads what a restore would, while the leader goes on', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId, 3);
  await stage.clock.pass(2 * intervalMs);
  const keys = await stage.keys();
  const rehearse = () => rehearseRestore({ clusterId, store: stage.store, onStep: () => {} });
  const found = await rehearse();
  assert.deepEqual([found.generation, found.topicCount], [0, 1]);
  assert.ok(found.snapshotBytes > 0 && found.entryCount > 0);
  assert.deepEqual(await stage.keys(), keys, 'no fence');
  await stage.commit(node, topicId, 2);
  assert.equal(await endOffset(node, topicId), 50, 'it still leads');
  await stop();
  assert.equal((await stage.restore(freshDatabase())).isComplete, true);
  await assert.rejects(
    rehearseRestore({ clusterId: 'vci_other', store: stage.store, onStep: () => {} }),
    /no metadata backup of vci_other/,
  );
});

test('a restore soon after another waits for the leader of that one, and does not call complete what it never saw', async (t) => {
  const stage = await Stage.open(t);
  const old = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(old.node, 'orders');
  await stage.clock.pass(intervalMs);
  const second = freshDatabase();
  assert.equal((await stage.restore(second)).isComplete, true);
  const { node } = await stage.leader(t, second, 'two');
  // The leader has backed up nothing since.
  await stage.commit(node, topicId, 3);
  const third = freshDatabase();
  assert.equal((await stage.restore(third)).isComplete, true);
  const renewed = await stage.leader(t, third, 'three');
  assert.equal(await endOffset(renewed.node, topicId), 30);
  await renewed.stop();

  assert.equal((await stage.restore(freshDatabase())).generation, 3);
  // Generation 3 may have served. It has left nothing.
  const { generation, isComplete } = await stage.restore(freshDatabase());
  assert.deepEqual([generation, isComplete], [4, false]);
});

test('ids of schemas that a restore has lost are not given out again, not even by agents that outlive it', async (t) => {
  const stage = await Stage.open(t);
  const old = await stage.leader(t, freshDatabase());
  let { node } = old;
  const store = new RegistryReplica({
    port: {
      readRegistry: (request) => node.readRegistry(request),
      changeRegistry: (request) => node.changeRegistry(request),
    },
    clock: stage.clock,
    random: seededRandom(1),
    log: silentLog,
  });
  const formats = await loadSchemaFormats();
  const service = new RegistryService({ store, formats, clock: stage.clock, clusterId, release: 'v1' });
  t.after(() => service.end());
  const register = async (subject: string, schema: string) =>
    (await stage.clock.until(service.register(subject, { schema }))).id;
  assert.deepEqual([await register('a', '"string"'), await register(':.eu:a', '"string"')], [1, 1]);
  await stage.clock.pass(2 * intervalMs);
  stage.store.faults = { failBefore: 1 };
  assert.deepEqual([await register('b', '"int"'), await register(':.us:a', '"int"')], [2, 1]);
  await old.stop();
  stage.store.faults = {};

  const database = freshDatabase();
  const restored = await stage.restore(database);
  assert.deepEqual([restored.isComplete, restored.areSchemaIdsReserved], [false, true]);
  const again = await stage.leader(t, database);
  node = again.node;
  const reserved = 1_000_000;
  // It was decided on what is lost, and is decided again.
  assert.equal(await register('b', '"long"'), reserved + 2);
  assert.deepEqual(await service.listSubjects(), [':.eu:a', 'a', 'b']);
  assert.equal(await register(':.us:a', '"int"'), reserved + 1, 'a context that is not known any more');
  assert.equal(await register(':.eu:b', '"int"'), reserved + 2);
  assert.equal(await register('a', '"string"'), 1, 'what was restored has its id');
  await again.stop();
});

test('the leader that is restored elsewhere stores its last entries and serves no more, nor does its standby', async (t) => {
  const stage = await Stage.open(t);
  const database = freshDatabase();
  const old = await stage.leader(t, database);
  const standby = await stage.serve(t, database, 'two');
  const topicId = await stage.createTopic(old.node, 'orders');
  await stage.clock.pass(intervalMs);
  await stage.commit(old.node, topicId, 7);

  const next = freshDatabase();
  const restored = await stage.restore(next);
  assert.equal(restored.isComplete, true);
  await assert.rejects(stage.commit(old.node, topicId), /restored from its bucket/);
  await stage.clock.pass(60_000);
  assert.deepEqual([old.node.role, standby.node.role], ['stopped', 'stopped']);
  await assert.rejects(stage.commit(standby.node, topicId), /restored from its bucket/);

  const renewed = await stage.leader(t, next, 'three');
  assert.equal(await endOffset(renewed.node, topicId), 70);
  await stage.clock.pass(60_000);
  assert.equal(renewed.node.role, 'leader');
  await renewed.stop();
});

test('a restore holds the files of clones that were made after the recovery point', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId, 2);
  await stop();
  // The last leader lost its disk after that: a third file, the hold and the clone are not in the backup.
  const fileIds = [1, 2, 3].map(youngFileId);
  await putHeld(stage.store, clusterId, 'vci_clone', fileIds);
  const database = freshDatabase();
  const steps: string[] = [];
  await stage.restore(database, steps);
  assert.ok(steps.includes('Holding the files of 1 clones'), steps.join());
  const again = await stage.leader(t, database);
  const holds = await again.node.listHolds();
  assert.deepEqual(
    holds.map(({ cloneId, state, files }) => [cloneId, state, files]),
    [['vci_clone', 'confirmed', 3]],
  );
  await again.node.removeTopics([{ topicId }]);
  assert.equal((await again.node.fileTotals()).deadFiles, 0);
  assert.deepEqual(await again.node.unknownFiles(fileIds), []);
  await again.stop();
});

test('objects are bounded: a segment is replaced as it grows, and snapshots replace what is before them', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase(), 'one', 3_000);
  const topicId = await stage.createTopic(node, 'orders');
  for (let round = 0; round < 40; round++) {
    await stage.commit(node, topicId, 5);
    await stage.clock.pass(intervalMs);
  }
  const { snapshots, segments, leaders } = await listBackup(stage.store, clusterId, 0);
  assert.equal(snapshots.length, 2);
  assert.ok(segments.length <= 4, `${segments.length} segments`);
  assert.equal(leaders.length, 1);
  assert.equal((await stage.keys()).length, snapshots.length + segments.length + leaders.length);
  await stop();
  const database = freshDatabase();
  await stage.restore(database);
  const again = await stage.leader(t, database);
  assert.equal(await endOffset(again.node, topicId), 2_000);
  await again.stop();
});

test('a bucket that fails for a while leaves no gap', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase(), 'one', 2_000);
  const topicId = await stage.createTopic(node, 'orders');
  await stage.clock.pass(intervalMs);
  stage.store.faults = { failBefore: 1 };
  for (let round = 0; round < 20; round++) {
    await stage.commit(node, topicId, 5);
    await stage.clock.pass(intervalMs);
  }
  assert.match(stage.metrics.render(), /metadata_backup_failures_total\{[^}]*\} [1-9]/);
  stage.store.faults = {};
  await stage.clock.pass(2 * intervalMs);
  await stop();
  const database = freshDatabase();
  await stage.restore(database);
  const again = await stage.leader(t, database);
  assert.equal(await endOffset(again.node, topicId), 1_000);
  await again.stop();
});

const agent = {
  ...{ agentId: 'a', nodeId: 1, host: 'h', kafkaPort: 1, internalUrl: '', zone: '', group: '' },
  ...{ roles: ['jobs' as const], release: 'v0', cpuCount: 1, cpuLoad: 0 },
};

test('no file is deleted before the backup knows that it is dead', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId, 2);
  await stage.clock.pass(intervalMs);
  stage.store.faults = { failBefore: 1 };
  await node.removeTopics([{ topicId }]);
  assert.equal((await node.fileTotals()).deadFiles, 2);
  const deletions = async () => {
    const kinds = [fileDeletionKind];
    await node.heartbeat(agent);
    const claim = node.claimJobs({ agentId: 'a', kinds, slots: 1, waitMs: 10_000 });
    await stage.clock.pass(10_000);
    return (await claim).flatMap(({ task }) => readDeletionTask(task)).length;
  };
  await stage.clock.pass(3_600_000);
  assert.equal(await deletions(), 0, 'a restore would refer to them');
  stage.store.faults = {};
  assert.equal(await deletions(), 2);
  await stop();
});

test('a damaged snapshot is replaced by the one before it; a damaged segment is named', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase(), 'one', 2_000);
  const topicId = await stage.createTopic(node, 'orders');
  for (let round = 0; round < 20; round++) {
    await stage.commit(node, topicId, 5);
    await stage.clock.pass(intervalMs);
  }
  await stop();
  const { snapshots, segments } = await listBackup(stage.store, clusterId, 0);
  await stage.store.put(snapshots.at(-1)!.key, [Buffer.from('nonsense')]);
  const steps: string[] = [];
  const database = freshDatabase();
  await stage.restore(database, steps);
  assert.ok(steps.some((line) => line.startsWith(snapshots.at(-1)!.key)));
  const again = await stage.leader(t, database);
  assert.equal(await endOffset(again.node, topicId), 1_000);
  await stage.commit(again.node, topicId);
  await again.stop();

  const later = await listBackup(stage.store, clusterId, 1);
  const { key } = later.segments.at(-1)!;
  await stage.store.put(key, [Buffer.from('nonsense')]);
  assert.ok(segments.length > 0);
  await assert.rejects(
    stage.restore(freshDatabase()),
    (error: Error) => error instanceof RestoreProblem && error.message.startsWith(`${key}: `),
  );
});

test('a restore refuses a bucket without a backup, a database in use, and a chain without its beginning', async (t) => {
  const stage = await Stage.open(t);
  await assert.rejects(stage.restore(freshDatabase()), /no metadata backup of vci_test/);
  const database = freshDatabase();
  const { node, stop } = await stage.leader(t, database);
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId);
  await stage.clock.pass(intervalMs);
  await assert.rejects(stage.restore(database), /has clusters already; name an empty one/);
  await stop();
  const { segments } = await listBackup(stage.store, clusterId, 0);
  const [{ key, endPosition }] = segments as [(typeof segments)[0]];
  const moved = key.replace(/\d{16}-/, '0000000000000001-');
  await stage.store.put(moved, [Buffer.from('x')]);
  await stage.store.delete(key);
  assert.ok(endPosition > 1);
  await assert.rejects(stage.restore(freshDatabase()), /begins at position 1/);
});

test('a restore counts the files that could have been committed after the recovery point', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId, 2);
  await stop();
  const hourMs = 3_600_000;
  const nowMs = stage.clock.nowMs();
  const idAt = (timeMs: number, level: number, end: string) =>
    `${timeMs.toString(16).padStart(12, '0')}${level}${end.padStart(19, '0')}`;
  const beyond = [idAt(nowMs - hourMs / 2, 0, '7'), idAt(nowMs, 0, 'ff'), youngFileId(0x301)];
  const others = [
    youngFileId(1), // Committed.
    youngFileId(2),
    idAt(nowMs - 2 * hourMs, 0, '1'), // Too old to be committed.
    idAt(nowMs, 1, '1'), // Compacted.
  ];
  for (const fileId of [...beyond, ...others])
    await stage.store.put(logFileKey(clusterId, fileId), [Buffer.alloc(100)]);
  await stage.store.put(`service/${clusterId}/07/README`, [Buffer.alloc(100)]);
  const { uncommitted } = await stage.restore(freshDatabase());
  assert.deepEqual(uncommitted, {
    fileCount: 3,
    byteCount: 300,
    keys: beyond.map((fileId) => logFileKey(clusterId, fileId)),
  });
});

test('tools read the metadata of a backup, and follow what its leader stores', async (t) => {
  const stage = await Stage.open(t);
  const { store, clock } = stage;
  assert.equal(await BackedUpMetadata.read({ store, clusterId }), undefined);
  const { node, stop } = await stage.leader(t, freshDatabase(), 'one', 3_000);
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId);
  await clock.pass(intervalMs);
  const metadata = (await BackedUpMetadata.read({ store, clusterId }))!;
  const end = () =>
    metadata.machine.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }])[0]!.nextOffset;
  assert.equal(end(), 10);
  await metadata.follow();
  assert.equal(end(), 10);
  // Segments grow and are replaced, and after some rounds only a snapshot has what is missing.
  for (const rounds of [1, 1, 2, 40, 1]) {
    for (let round = 0; round < rounds; round++) {
      await stage.commit(node, topicId, 5);
      await clock.pass(intervalMs);
    }
    await metadata.follow();
    assert.equal(end(), await endOffset(node, topicId));
  }
  assert.deepEqual(metadata.fileStates([youngFileId(1), youngFileId(999)]), ['referenced', 'unknown']);
  assert.equal(metadata.pointersOfFiles(0, 256).fileId.length, end() / 10);
  await stop();
  const recoveryPointMs = metadata.recoveryPointMs;
  const database = freshDatabase();
  await stage.restore(database);
  const again = await stage.leader(t, database);
  await stage.commit(again.node, topicId);
  const endBefore = end();
  await again.stop();
  await metadata.follow();
  assert.equal(end(), endBefore + 10);
  assert.ok(metadata.recoveryPointMs > recoveryPointMs, 'it goes on with the next generation');
});

test('an object that is replaced while tools read it does not stop them', async (t) => {
  const stage = await Stage.open(t);
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  await stage.commit(node, topicId);
  await stage.clock.pass(intervalMs);
  let replaced = 0;
  const store: typeof stage.store = {
    ...stage.store,
    async head(key, options) {
      if (replaced++ === 0) {
        await stage.commit(node, topicId);
        await stage.clock.pass(intervalMs);
      }
      return stage.store.head(key, options);
    },
  };
  const metadata = (await BackedUpMetadata.read({ store, clusterId }))!;
  assert.ok(replaced > 1);
  const [found] = metadata.machine.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
  assert.equal(found!.nextOffset, 20);
  await stop();
});

test('while a large snapshot is copied, entries are copied too, and a fence is found', async (t) => {
  const stage = await Stage.open(t);
  const { clock } = stage;
  const gates = [0, 1].map(() => Promise.withResolvers<void>());
  /** Three parts, with a gate before each of the last two. */
  async function* slices() {
    for (const gate of [undefined, ...gates]) {
      await gate?.promise;
      yield Buffer.alloc(storageLimits.uploadPartBytes);
    }
  }
  const byteCount = 3 * storageLimits.uploadPartBytes;
  const { node } = await stage.serve(t, freshDatabase(), 'one', 1e9, (journal) => ({
    read: (from, limit) => journal.read(from, limit),
    snapshotPosition: async () => 1,
    openSnapshot: async () => ({ position: 1, byteCount, slices: slices() }),
  }));
  assert.ok(await clock.pass(60_000, () => node.role === 'leader'));
  const topicId = await stage.createTopic(node, 'orders');
  const backedUp = async () =>
    (await listBackup(stage.store, clusterId, 0)).segments.at(-1)?.endPosition ?? 0;
  await clock.pass(intervalMs);
  const before = await backedUp();
  assert.ok(before > 0);
  await stage.commit(node, topicId, 7);
  await clock.pass(2 * intervalMs);
  assert.equal(await backedUp(), before, 'it waits for the snapshot');
  gates[0]!.resolve();
  await clock.pass(100);
  assert.ok((await backedUp()) >= before + 7);

  await stage.commit(node, topicId, 2);
  const restored = stage.restore(freshDatabase());
  await clock.pass(intervalMs);
  gates[1]!.resolve();
  assert.equal((await restored).isComplete, true);
  assert.deepEqual((await listBackup(stage.store, clusterId, 0)).snapshots, []);
  assert.equal(node.role, 'stopped');
});

test('a recovery point promises nothing that the backup lacks, however slow the bucket is', async (t) => {
  const stage = await Stage.open(t);
  const { clock, store } = stage;
  const process = new SimulatedProcess(clock, seededRandom(1));
  const { node } = await stage.serve(t, freshDatabase(), 'one', undefined, undefined, process);
  assert.ok(await clock.pass(60_000, () => node.role === 'leader'));
  const topicId = await stage.createTopic(node, 'orders');
  const put = store.put.bind(store);
  store.put = async (...args) => {
    await new Promise<void>((resolve) => process.clock.after(4_000, resolve));
    return put(...args);
  };
  /** When each commit of ten records was acknowledged. */
  const acknowledgedMs: number[] = [];
  for (let round = 0; round < 300; round++) {
    await stage.commit(node, topicId);
    acknowledgedMs.push(clock.nowMs());
    await clock.pass(100);
  }
  process.kill();
  store.put = put;
  const database = freshDatabase();
  const { recoveryPointMs, isComplete } = await stage.restore(database);
  assert.equal(isComplete, false);
  const again = await stage.leader(t, database);
  const restored = (await endOffset(again.node, topicId)) / 10;
  assert.ok(restored > 100 && restored < 300, `${restored}`);
  const promised = acknowledgedMs.filter((ms) => ms < recoveryPointMs).length;
  assert.ok(promised <= restored, `${promised} are promised, and ${restored} are there`);
  assert.ok(promised >= restored - 1, 'and it promises what is there');
  await again.stop();
});

test('a clock that was ahead leaves no recovery point in the future', async (t) => {
  const stage = await Stage.open(t);
  const { clock } = stage;
  const database = freshDatabase();
  const ahead = { ...clock, after: clock.after.bind(clock), monotonicMs: () => clock.monotonicMs() };
  const process = {
    clock: { ...ahead, nowMs: () => clock.nowMs() + 7 * 3_600_000 },
    journal: (journal: Journal) => journal,
  };
  const first = await stage.serve(t, database, 'one', undefined, undefined, process);
  assert.ok(await clock.pass(60_000, () => first.node.role === 'leader'));
  const topicId = await stage.createTopic(first.node, 'orders');
  await first.stop();
  const { node, stop } = await stage.leader(t, database, 'two');
  await stage.commit(node, topicId);
  const committedMs = clock.nowMs();
  await clock.pass(intervalMs);
  await stop();
  assert.ok((await stage.restore(freshDatabase())).recoveryPointMs < committedMs);
});

const puts = (keys: readonly string[]) => keys.filter((key) => key.includes('/entries/')).length;

test('a bucket that is slower than entries come gets one segment per interval', async (t) => {
  const stage = await Stage.open(t);
  const put = stage.store.put.bind(stage.store);
  const sent: string[] = [];
  const { node, stop } = await stage.leader(t, freshDatabase());
  const topicId = await stage.createTopic(node, 'orders');
  // While an object is on its way, the next entry comes.
  stage.store.put = async (key, content, options) => {
    sent.push(key);
    assert.ok(sent.length < 50, 'the backup does not end');
    if (key.includes('/entries/')) await stage.commit(node, topicId);
    await put(key, content, options);
  };
  const intervals = 5;
  for (let interval = 0; interval < intervals; interval++) {
    await stage.commit(node, topicId);
    await stage.clock.pass(intervalMs);
  }
  assert.equal(puts(sent), intervals);
  stage.store.put = put;
  await stop();
  const restored = freshDatabase();
  assert.equal((await stage.restore(restored)).isComplete, true, 'a stop stores what was left');
  const again = await stage.leader(t, restored);
  assert.equal(await endOffset(again.node, topicId), 2 * intervals * 10);
  await again.stop();
});

/** What happens to a cluster that has led and stored something, and whether its backup is complete. */
const ends: readonly [
  what: string,
  isComplete: boolean,
  run: (stage: Stage, t: TestContext) => Promise<void>,
][] = [
  [
    'it stopped in order, with changes since the last interval',
    true,
    async (stage, t) => {
      const { node, stop } = await stage.leader(t, freshDatabase());
      await stage.createTopic(node, 'late');
      await stop();
    },
  ],
  [
    'another one led after it, and did not stop',
    false,
    async (stage, t) => {
      const database = freshDatabase();
      const { node: first, stop } = await stage.leader(t, database);
      await stage.createTopic(first, 'orders');
      await stop();
      const { node } = await stage.leader(t, database, 'two');
      await stage.createTopic(node, 'late');
      stage.store.faults = { failBefore: 1 };
      await stage.clock.until(node.stop());
      stage.store.faults = {};
    },
  ],
  [
    'another one led after it, and stopped',
    true,
    async (stage, t) => {
      const database = freshDatabase();
      const { stop } = await stage.leader(t, database);
      await stop();
      const { node, stop: stopNext } = await stage.leader(t, database, 'two');
      await stage.createTopic(node, 'late');
      await stopNext();
    },
  ],
  [
    'the bucket did not answer when it stopped',
    false,
    async (stage, t) => {
      const { node, stop } = await stage.leader(t, freshDatabase());
      await stage.createTopic(node, 'orders');
      await stage.clock.pass(intervalMs);
      await stage.createTopic(node, 'late');
      stage.store.faults = { failBefore: 1 };
      await stop();
      stage.store.faults = {};
    },
  ],
  [
    'what is left of it ends before the position that it confirmed',
    false,
    async (stage, t) => {
      const { node, stop } = await stage.leader(t, freshDatabase());
      await stage.createTopic(node, 'orders');
      await stop();
      const [confirmed] = (await listBackup(stage.store, clusterId, 0)).stopped;
      const { key, epoch, position } = confirmed!;
      await stage.store.delete(key);
      const beyond = stoppedKey(clusterId, 0, { epoch, position: position + 1 });
      await stage.store.put(beyond, [Buffer.from('stopped')]);
    },
  ],
];

for (const [what, isComplete, run] of ends) {
  test(`a backup is ${isComplete ? 'complete' : 'not known to be complete'}: ${what}`, async (t) => {
    const stage = await Stage.open(t);
    await run(stage, t);
    const startMs = stage.clock.monotonicMs();
    assert.equal((await stage.restore(freshDatabase())).isComplete, isComplete);
    const waitedMs = stage.clock.monotonicMs() - startMs;
    if (isComplete) assert.ok(waitedMs < intervalMs, 'there is no leader to wait for');
  });
}

test('a bucket that is full forgets that an earlier leader stopped, and the cluster can be led', async (t) => {
  const stage = await Stage.open(t);
  const database = freshDatabase();
  const first = await stage.leader(t, database);
  await stage.createTopic(first.node, 'orders');
  await first.stop();
  assert.equal((await listBackup(stage.store, clusterId, 0)).stopped.length, 1);
  const put = stage.store.put.bind(stage.store);
  stage.store.put = async (key) => {
    throw new StoreError('full', key, 'no space left on device');
  };
  const second = await stage.leader(t, database, 'two');
  assert.equal((await listBackup(stage.store, clusterId, 0)).stopped.length, 0);
  await stage.createTopic(second.node, 'late');
  await stage.clock.until(second.node.stop());
  stage.store.put = put;
  assert.equal((await stage.restore(freshDatabase())).isComplete, false);
});
