import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../testing/cluster.ts';
import { copiedFile } from '../testing/copied-file.ts';
import { fileCommit, fileIdOf } from '../testing/file-commit.ts';
import { TestProducer } from '../testing/transactional-producer.ts';
import { UnreadableBytes } from './bytes/byte-reader.ts';
import { MalformedCommand } from './command.ts';
import { entryKind } from './entry-kind.ts';
import { ClusterMachine } from './machine.ts';

/**
 * One entry of each kind as existing journals contain it. If this fails, old journals are unreadable: a changed layout
 * needs a new number.
 */
const journal: [kind: keyof typeof entryKind, hex: string][] = [
  [
    'topicsCreated',
    '02c0843d01066f7264657273066f726465727303020e636c65616e75702e706f6c69637907636f6d706163740c726574656e74696f6e2e6d73053630303030',
  ],
  [
    'filesCommitted',
    '01c1843d010000000000000000000000000000f11ea42a052800006403e6070a02070404708827ac02e9907a009c016401ffffffffffff3f4301000002020000',
  ],
  ['partitionsCreated', '04c1843d010005'],
  ['producerIdsAllocated', '05c1843de807'],
  [
    'clusterConfigsAltered',
    '06c1843d02106c6f672e726574656e74696f6e2e6d730107333630303030300e6e756d2e706172746974696f6e73010134',
  ],
  ['clusterConfigsAltered', '06c1843d010e6e756d2e706172746974696f6e7300'],
  ['topicsDeleted', '03c1843d0100'],
  ['purged', '07c1bcd62901010100'],
  [
    'requestAnswered',
    '08c1bcd6291c616c6c6f6361746550726f647563657249647320636c69656e743a3800043130303105c1bcd62902',
  ],
  ['topicsCreated', '02c1bcd6290106636f7069657306636f706965730200'],
  ['transactionalProducerInit', '15c1bcd629036f6c64e0d403eb0700000000'],
  ['transactionPartitionsAdded', '16c1bcd629eb0701056669727374010201000101'],
  ['transactionGroupAdded', '17c1bcd629eb07000772656164657273'],
  ['transactionOffsetsCommitted', '18c1bcd629eb07077265616465727300010100070000'],
  [
    'transactionalFilesCommitted',
    '14c1bcd6290200000000000000000000000000000001640128010102640481f9ac53ec0700000000',
  ],
  ['transactionOriginNoted', '1bc1bcd629eb07067365636f6e6404'],
  ['transactionEnded', '19c1bcd629eb070100eb07000000'],
  ['transactionalProducerInit', '15c1bcd629036e6577e807ec0700000000'],
  [
    'transactionalFilesCommitted',
    '14c1bcd6290200000000000000000000000000000002640128030100640181f9ac53ed0700000000',
  ],
  ['transactionEnded', '19c1bcd629ec070201ec07010100'],
  [
    'transactionalFilesCommitted',
    '14c1bcd6290200000000000000000000000000000003640128030102640181f9ac53ed0701000000',
  ],
  ['transactionsExpired', '1aa9c4d62901ec070202ec0702000000'],
  ['transactionalProducerInit', '15a9c4d629036e6577e807ec0703000000'],
  ['entriesPut', '0aa9c4d62902010772656164657273056b657074020475736572056b657074'],
  ['entriesPut', '0aa9c4d6290101077265616465727300'],
  [
    'offsetsCommitted',
    '0ba9c4d62902077265616465727300020100ac0200046e6f74650101ac0200046e6f7465066f746865727392ccd629010101ac020600',
  ],
  ['offsetsForgotten', '0ca9c4d629020772656164657273010101066f746865727300'],
  [
    'configsAltered',
    '1fa9c4d6290101010c726574656e74696f6e2e6d73010139010e6e756d2e706172746974696f6e73010132011e0772656164657273277b22636f6e73756d65722e73657373696f6e2e74696d656f75742e6d73223a2239303030227d',
  ],
  ['configsAltered', '1fa9c4d6290101010c726574656e74696f6e2e6d73000000'],
  ['logStartsMoved', '1ea9c4d6290101010103'],
  ['topicsDeleted', '03a9c4d6290101'],
  ['topicsRestored', '20a9c4d6290101'],
  ['topicsRemoved', '21a9c4d6290101'],
  [
    'replicatedTopicsCreated',
    '22a9c4d62902036f6e65036f6e6501010005757375616c05757375616c0203010c726574656e74696f6e2e6d730137',
  ],
  ['filesDeclaredDead', '29a9c4d629020000000000000000000000000000deadf403000000000000000000000000000000de00'],
  ['deadFilesForgotten', '28a9c4d6290001000000000000000000000000000000de'],
  ['filesCommitted', '01a9c4d6290100000000000000000000000000000abc64011802006405d188ad530000'],
  [
    'rangesReplaced',
    '2aa9c4d6290200000000000010000000000000000001ac020000000000001000000000000000000290030102000005020132fa01000000000000001c4001ac026403000000000000f0bf',
  ],
  ['filesHeld', '31a9c4d629097663695f636c6f6e6500'],
  ['holdConfirmed', '32a9c4d629097663695f636c6f6e65'],
  [
    'filesHeld',
    '31a9c4d629097663695f6f7468657201020000000000000000000000000000dead00000000000000000000000000000bad',
  ],
  ['heldFilesReleased', '33a9c4d629097663695f6f746865720100000000000000000000000000000bad'],
  ['holdEnded', '34a9c4d629097663695f6f74686572'],
  ['filesHeld', '31a9c4d629097663695f746869726400'],
  ['holdAbandoned', '36a9c4d629097663695f7468697264'],
  [
    'topicCloned',
    '2ea9c4d62902096f6e652d636c6f6e6505636c6f6e650101010c726574656e74696f6e2e6d73013702c8010000000000001840',
  ],
  ['topicsRemoved', '21a9c4d6290104'],
  ['topicsCreated', '02a9c4d62901057461626c65057461626c6501010e636c65616e75702e706f6c69637907636f6d70616374'],
  ['filesCommitted', '01a9c4d6290100000000000000000000000000000def64011805006405d188ad530000'],
  [
    'keysCompacted',
    '2ba9c4d6290100000000000010000000000000000003c80101050000050100323c000000000000001c400105000500',
  ],
  ['registryChanged', '3ca9c4d629000208736368656d6120310922737472696e6722097375626a65637420610201'],
  ['registryChanged', '3ca9c4d629000208736368656d61203100097375626a656374206101'],
  ['signedOffsetsCommitted', '0da9c4d6290107726561646572730002050001010000050000030000'],
  ['transactionalProducerInit', '15a9c4d629086e65676174697665e0d403ed0700000000'],
  ['signedTransactionOffsetsCommitted', '1ca9c4d629ed0707726561646572730101050001000000'],
  [
    'managedTopicsCreated',
    '46a9c4d6298080808080200104636f707904636f70790102000797017b22706970656c696e654964223a2270222c22736f75726365546f706963223a22636f70696564222c22736f75726365546f7069634964223a226964222c227374617465223a225245504c49434154494e47222c2265706f6368223a312c226368616e6765644d73223a38373430313030312c226368616e6765644279223a226d6967726174696f6e222c22726561736f6e223a22227d',
  ],
  ['managedTopicsGrown', '47a9c4d62901060100'],
  [
    'copiesAppended',
    '48a9c4d629000000000f424010000000000000000000b60201060000ac020706000000000000f03f03010202070005030001070000010001070007',
  ],
  ['managedLogStartsMoved', '49a9c4d6290106010132'],
  [
    'copiesEnded',
    '4aa9c4d629010d04636f70798e017b22706970656c696e654964223a2270222c22736f75726365546f706963223a22636f70696564222c22736f75726365546f7069634964223a226964222c227374617465223a224d49475241544544222c2265706f6368223a322c226368616e6765644d73223a38373430313030312c226368616e6765644279223a226d65222c22726561736f6e223a22227d0106000700',
  ],
];

const forgottenEntry = '35a9c4d6290100000000000010000000000000000002';

/** The commands that produced the journal above. */
function sampleCluster(): Cluster {
  const cluster = new Cluster();
  cluster.create('orders', 3, { 'cleanup.policy': 'compact', 'retention.ms': '60000' });
  cluster.nowMs += 1;
  cluster.commitFile(
    fileCommit(0xf11e, [
      { topicId: 'orders', records: 3, timestampMs: 1_000_500, producerId: 9, epoch: 2, sequence: 7 },
      { topicId: 'orders', partition: 2, records: 300, bytes: 5000, gap: 12, timestampMs: -1 },
      { topicId: 'orders', partition: 1, timestampMs: Number.MAX_SAFE_INTEGER },
      { topicId: 'orders', records: 3, producerId: 9, epoch: 2, sequence: 7 },
      { topicId: 'unknown' },
    ]),
  );
  cluster.execute({
    kind: 'createPartitions',
    topics: [{ name: 'orders', partitionCount: 5 }],
    validateOnly: false,
  });
  cluster.execute({ kind: 'allocateProducerIds', count: 1000 });
  const configs = { 'num.partitions': '4', 'log.retention.hours': '1' };
  cluster.execute({ kind: 'alterClusterConfigs', configs });
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'num.partitions': null } });
  cluster.delete('orders');
  cluster.nowMs += 86_400_000;
  cluster.execute({ kind: 'purge' });
  cluster.request('client:7', { kind: 'deleteTopics', topics: [{ name: 'none' }] });
  cluster.request('client:8', { kind: 'allocateProducerIds', count: 2 });
  runTransactions(cluster);
  runGroups(cluster);
  runAdministration(cluster);
  runDeletions(cluster);
  cluster.execute({
    kind: 'createTopics',
    topics: [
      { name: 'one', partitionCount: 1, replicationFactor: 1, configs: {} },
      { name: 'usual', partitionCount: 2, replicationFactor: 3, configs: { 'retention.ms': '7' } },
    ],
    topicIds: ['one', 'usual'],
    validateOnly: false,
  });
  const fileIds = [fileIdOf(0xdead), fileIdOf(0xde)];
  cluster.execute({ kind: 'declareFilesDead', fileIds, fileBytes: [500] });
  cluster.execute({ kind: 'forgetDeadFiles', fileIds: fileIds.slice(1) });
  cluster.commitFile(fileCommit(0xabc, [{ topicId: 'one', records: 5 }]));
  cluster.execute({
    kind: 'replaceRanges',
    commit: {
      plannedMs: cluster.nowMs,
      inputFileIds: [fileIdOf(0xabc)],
      outputs: [
        { fileId: `0000000000001${fileIdOf(1).slice(13)}`, fileBytes: 300 },
        { fileId: `0000000000001${fileIdOf(2).slice(13)}`, fileBytes: 400 },
      ],
      topicIds: ['one'],
      ranges: {
        topic: Uint32Array.of(0),
        partition: Uint32Array.of(0),
        fromOffset: Float64Array.of(0),
        toOffset: Float64Array.of(5),
        pointerCount: Uint32Array.of(2),
      },
      pointers: {
        file: Uint32Array.of(1, 1),
        byteStart: Uint32Array.of(50, 300),
        byteLength: Uint32Array.of(250, 100),
        baseOffset: Float64Array.of(0, 3),
        maxTimestampMs: Float64Array.of(7, -1),
      },
    },
  });
  runHolds(cluster);
  runClones(cluster);
  runKeyCompaction(cluster);
  runRegistry(cluster);
  runNegativeOffsets(cluster);
  runMigration(cluster);
  return cluster;
}

function runNegativeOffsets(cluster: Cluster): void {
  const offset = { topicId: 'table', partition: 0, offset: -2, leaderEpoch: -1, metadata: '' };
  const groups = [{ groupId: 'readers', retentionMs: -1, offsets: [offset, { ...offset, offset: 3 }] }];
  cluster.execute({ kind: 'commitOffsets', groups });
  const producer = new TestProducer(cluster, 'negative');
  producer.init();
  producer.commitOffset('readers', 'table', -1);
}

function runMigration(cluster: Cluster): void {
  const topic = {
    name: 'copy',
    sourceTopic: 'copied',
    sourceTopicId: 'id',
    configs: {},
    replicationFactor: 2,
  };
  const topics = [{ ...topic, logStarts: Float64Array.of(7) }];
  cluster.execute({ kind: 'manageTopics', pipelineId: 'p', topics, topicIds: ['copy'] });
  const growth = { topicId: 'copy', partitionCount: 1, logStarts: Float64Array.of(0) };
  cluster.execute({ kind: 'growManagedTopics', pipelineId: 'p', topics: [growth] });
  const sent = { baseOffset: 9, nextOffset: 11, kind: 'transactional', producerId: 7, sequence: 4 } as const;
  const batches = [
    sent,
    { ...sent, baseOffset: 11, nextOffset: 12, kind: 'abortMarker', sequence: -1 } as const,
  ];
  const again = { ...sent, baseOffset: 12, nextOffset: 13, sequence: 6 };
  const range = { topicId: 'copy', expectedOffset: 7, batches: [...batches, again] };
  // With an id that is young enough for the journal of the sample.
  const file = { ...copiedFile(1, [range]), fileId: `0000000f42401${'0'.repeat(19)}` };
  cluster.execute({ kind: 'appendCopied', file });
  const start = { topicId: 'copy', partition: 1, logStartOffset: 50, endOffset: 0 };
  cluster.execute({ kind: 'moveManagedLogStarts', pipelineId: 'p', starts: [start] });
  const change = { topicId: 'copy', from: 'REPLICATING', epoch: 1 } as const;
  cluster.execute({
    kind: 'changeMigrationStates',
    changes: {
      pipelineId: 'p',
      topics: [change],
      to: 'MIGRATED',
      by: 'me',
      reason: '',
      isIrreversible: true,
      abortsTransactions: true,
    },
  });
}

function runRegistry(cluster: Cluster): void {
  const changes = [
    { key: 'schema 1', value: Buffer.from('"string"') },
    { key: 'none', value: null },
    { key: 'subject a', value: Buffer.of(1) },
  ];
  cluster.execute({ kind: 'changeRegistry', request: { expectedRevision: 0, changes } });
  const later = [
    { key: 'schema 1', value: null },
    { key: 'subject a', value: Buffer.alloc(0) },
  ];
  cluster.execute({ kind: 'changeRegistry', request: { expectedRevision: 2, changes: later } });
}

function runKeyCompaction(cluster: Cluster): void {
  cluster.create('table', 1, { 'cleanup.policy': 'compact' });
  cluster.commitFile(fileCommit(0xdef, [{ topicId: 'table', records: 5 }]));
  cluster.execute({
    kind: 'replaceRanges',
    commit: {
      plannedMs: cluster.nowMs,
      inputFileIds: [fileIdOf(0xdef)],
      outputs: [{ fileId: `0000000000001${fileIdOf(3).slice(13)}`, fileBytes: 200 }],
      topicIds: ['table'],
      ranges: {
        topic: Uint32Array.of(0),
        partition: Uint32Array.of(0),
        fromOffset: Float64Array.of(0),
        toOffset: Float64Array.of(5),
        pointerCount: Uint32Array.of(1),
      },
      pointers: {
        file: Uint32Array.of(0),
        byteStart: Uint32Array.of(50),
        byteLength: Uint32Array.of(60),
        baseOffset: Float64Array.of(0),
        maxTimestampMs: Float64Array.of(7),
      },
      keys: {
        partitions: {
          topic: Uint32Array.of(0),
          partition: Uint32Array.of(0),
          cleanOffset: Float64Array.of(5),
          droppedAbortCount: Uint32Array.of(0),
        },
        droppedAborts: new Float64Array(0),
      },
    },
  });
}

function runHolds(cluster: Cluster): void {
  cluster.execute({ kind: 'holdFiles', cloneId: 'vci_clone' });
  cluster.execute({ kind: 'confirmHold', cloneId: 'vci_clone', heldMs: cluster.nowMs });
  const fileIds = [fileIdOf(0xdead), fileIdOf(0xbad)];
  cluster.execute({ kind: 'holdFiles', cloneId: 'vci_other', fileIds });
  cluster.execute({ kind: 'releaseHeldFiles', cloneId: 'vci_other', fileIds: fileIds.slice(1) });
  cluster.execute({ kind: 'endHold', cloneId: 'vci_other' });
  cluster.execute({ kind: 'holdFiles', cloneId: 'vci_third' });
  cluster.execute({ kind: 'abandonHold', cloneId: 'vci_third' });
}

/** An entry that only a clone has. */
function forgottenByClone(): { before: Buffer; cluster: Cluster } {
  const cluster = sampleCluster();
  cluster.machine.becomeClone('vci_clone', cluster.nowMs);
  const partitions = [{ topicId: 'one', partition: 0, offset: -1 }];
  cluster.execute({ kind: 'deleteRecords', partitions });
  const before = cluster.saved();
  const fileIds = cluster.machine.unneededFiles({ deadBeforeMs: Number.POSITIVE_INFINITY, limit: 5 });
  cluster.execute({ kind: 'forgetUnneededFiles', fileIds });
  return { before, cluster };
}

test('entries of clones are the bytes that journals have', () => {
  const { before, cluster } = forgottenByClone();
  const entry = Buffer.from(forgottenEntry, 'hex');
  assert.equal(cluster.journal.at(-1)!.toString('hex'), forgottenEntry);
  assert.equal(entry[0], entryKind.unneededFilesForgotten);
  const machine = ClusterMachine.restore(before);
  machine.apply(entry);
  assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
});

function runClones(cluster: Cluster): void {
  cluster.execute({
    kind: 'cloneTopic',
    topicId: 'one-clone',
    request: {
      sourceId: 'one',
      name: 'clone',
      configs: { 'retention.ms': '7' },
      unsetConfigs: [],
      ends: [
        {
          partition: 0,
          offset: 2,
          boundary: {
            fileId: `0000000000001${fileIdOf(2).slice(13)}`,
            byteStart: 50,
            byteLength: 200,
            maxTimestampMs: 6,
          },
        },
      ],
    },
  });
  cluster.execute({ kind: 'removeTopics', topics: [{ name: 'clone' }] });
}

function runDeletions(cluster: Cluster): void {
  cluster.delete('copies');
  cluster.execute({ kind: 'restoreTopics', topicIds: ['copies'] });
  cluster.execute({ kind: 'removeTopics', topics: [{ name: 'copies' }] });
}

function runAdministration(cluster: Cluster): void {
  const set = (name: string, value: string) => [{ name, operation: 'set', value }] as const;
  const replacesAll = false;
  cluster.execute({
    kind: 'alterConfigs',
    validateOnly: false,
    resources: [
      { kind: 'topic', name: 'copies', replacesAll, changes: set('retention.ms', '9') },
      { kind: 'cluster', name: '', replacesAll, changes: set('num.partitions', '2') },
      { kind: 'group', name: 'readers', replacesAll, changes: set('consumer.session.timeout.ms', '9000') },
    ],
  });
  cluster.execute({
    kind: 'alterConfigs',
    validateOnly: false,
    resources: [{ kind: 'topic', name: 'copies', replacesAll: true, changes: [] }],
  });
  cluster.execute({
    kind: 'deleteRecords',
    partitions: [{ topicId: 'copies', partition: 1, offset: 3 }],
  });
}

function runGroups(cluster: Cluster): void {
  const put = { namespace: 'group', key: 'readers', value: Buffer.from('kept') } as const;
  cluster.execute({ kind: 'putEntries', changes: [put, { ...put, namespace: 'clientQuota', key: 'user' }] });
  cluster.execute({ kind: 'putEntries', changes: [{ ...put, value: null }] });
  const offset = { topicId: 'copies', partition: 1, offset: 300, leaderEpoch: -1, metadata: 'note' };
  const groups = [
    { groupId: 'readers', retentionMs: -1, offsets: [{ ...offset, partition: 0 }, offset] },
    { groupId: 'others', retentionMs: 1000, offsets: [{ ...offset, leaderEpoch: 5, metadata: '' }] },
  ];
  cluster.execute({ kind: 'commitOffsets', groups });
  const topicNumber = cluster.machine.topicNumber('copies')!;
  const partitions = [{ topicNumber, partition: 1 }];
  cluster.execute({
    kind: 'forgetOffsets',
    groups: [
      { groupId: 'readers', partitions },
      { groupId: 'others', partitions: null },
    ],
  });
}

function runTransactions(cluster: Cluster): void {
  cluster.create('copies', 2);
  const oldClient = new TestProducer(cluster, 'old', { bumps: false });
  oldClient.init();
  oldClient.add(['copies', 0], ['copies', 1]);
  oldClient.addGroup('readers');
  oldClient.commitOffset('readers', 'copies', 7);
  oldClient.send('copies', 1, 4);
  oldClient.connection = 'second';
  oldClient.end(true);
  oldClient.end(true);
  const newClient = new TestProducer(cluster, 'new', { timeoutMs: 1000 });
  newClient.init();
  newClient.send('copies');
  newClient.end(false);
  newClient.send('copies', 1);
  cluster.nowMs += 1000;
  cluster.execute({ kind: 'expireTransactions' });
  newClient.init();
}

test('entries are the bytes that journals have', () => {
  const cluster = sampleCluster();
  assert.deepEqual(
    cluster.journal.map((entry) => entry.toString('hex')),
    journal.map(([, hex]) => hex),
  );
  const machine = ClusterMachine.empty('vci_test');
  for (const [kind, hex] of journal) {
    const entry = Buffer.from(hex, 'hex');
    assert.equal(entry[0], entryKind[kind]);
    machine.apply(entry);
  }
  assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
});

test('the journal has an entry of every kind', () => {
  const kinds = [...journal.map(([kind]) => kind), 'unneededFilesForgotten'];
  assert.deepEqual(new Set(kinds), new Set(Object.keys(entryKind)));
});

test('a truncated, overlong or unknown entry is refused', () => {
  for (const entry of sampleCluster().journal) {
    for (let length = 0; length < entry.length; length++) {
      const machine = sampleCluster().machine;
      assert.throws(() => machine.apply(entry.subarray(0, length)), UnreadableBytes);
    }
  }
  const machine = sampleCluster().machine;
  assert.throws(() => machine.apply(Buffer.of(99, 0)), /journal entries of kind 99/);
  const { entry } = machine.execute({ kind: 'allocateProducerIds', count: 1 }, 0);
  assert.throws(() => machine.apply(Buffer.concat([entry!, Buffer.of(0)])), /unexpected bytes at the end/);
});

test('an entry about a missing topic or partition is refused', () => {
  const cluster = new Cluster();
  cluster.create('a', 2);
  cluster.commit({ topicId: 'a', partition: 1 });
  cluster.delete('a');
  for (const entry of cluster.journal.slice(1)) {
    assert.throws(() => ClusterMachine.empty('vci_test').apply(entry), UnreadableBytes);
  }
  const narrower = new Cluster();
  narrower.create('a', 1);
  assert.throws(() => narrower.machine.apply(cluster.journal[1]!), /has no partition 1/);
});

test('producer ids are allocated once', () => {
  const cluster = new Cluster();
  const firsts = [1, 1000, 5].map((count) => cluster.execute({ kind: 'allocateProducerIds', count }));
  assert.deepEqual(firsts, [1, 2, 1002]);
  for (const count of [0, -1, 1.5, 1_000_001]) {
    assert.throws(() => cluster.execute({ kind: 'allocateProducerIds', count }), MalformedCommand);
  }
  assert.equal(cluster.replay().machine.execute({ kind: 'allocateProducerIds', count: 1 }, 0).reply, 1007);
});

test('cluster configs are set all or none', () => {
  const cluster = new Cluster();
  const refused = cluster.execute({
    kind: 'alterClusterConfigs',
    configs: { 'num.partitions': '2', 'service.nothing': '1' },
  });
  assert.deepEqual(refused, {
    error: 'INVALID_CONFIG',
    message: 'service.nothing=1: unknown cluster config',
  });
  assert.deepEqual(cluster.machine.clusterConfigs(), {});
  const configs = { 'num.partitions': '2', 'log.retention.minutes': '1' };
  assert.equal(cluster.execute({ kind: 'alterClusterConfigs', configs }).error, 'NONE');
  assert.deepEqual(cluster.machine.clusterConfigs(), { 'log.retention.ms': '60000', 'num.partitions': '2' });
  const { entry } = cluster.machine.execute({ kind: 'alterClusterConfigs', configs }, cluster.nowMs);
  assert.equal(entry, undefined, 'unchanged configs write no entry');
});

test('time does not run back when a new leader has an earlier clock', () => {
  const cluster = new Cluster();
  cluster.create('a');
  cluster.nowMs -= 5000;
  cluster.create('b');
  assert.equal(cluster.machine.topicByName('b')!.createdMs, cluster.nowMs + 5000);
  for (const nowMs of [-1, 0.5, Number.NaN]) {
    assert.throws(() => cluster.machine.execute({ kind: 'purge' }, nowMs), MalformedCommand);
  }
});

test('a snapshot for followers has the ends of all partitions in the order of the topics', () => {
  const cluster = new Cluster();
  cluster.create('a', 2);
  cluster.create('gone', 1);
  cluster.create('b', 1);
  cluster.delete('gone');
  cluster.commit({ topicId: 'b', records: 9 }, { topicId: 'a', partition: 1, records: 2 });
  const { topics, nextOffset, logStartOffset, clusterId } = cluster.machine.snapshotForFollowers();
  assert.deepEqual(
    topics.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.deepEqual([[...nextOffset], [...logStartOffset], clusterId], [[0, 2, 9], [0, 0, 0], 'vci_test']);
});
