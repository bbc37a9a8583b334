import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterChange, FileCommit, Pointers } from '@weir/cluster';
import fc from 'fast-check';
import { BegunSnapshot } from '../testing/begun-snapshot.ts';
import { type BatchToCommit, fileCommit } from '../testing/file-commit.ts';
import { asPointers, type ModelPartition, ReferenceModel } from '../testing/reference-model.ts';
import type { Command } from './command.ts';
import type { DeadFile } from './log/file-table.ts';
import { ClusterMachine } from './machine.ts';
import type { MachineLimits } from './machine-limits.ts';

/** So small that a short run reaches all of them. */
const limits: MachineLimits = {
  partitionsPerTopicMax: 5,
  partitionsPerClusterMax: 8,
  partitionsHeldMax: 12,
  producerStatesMax: 4,
  producerStateMsMax: 1000,
  producerIdsPerCallMax: 10,
  recentFilesMax: 6,
  recentFileReplyBytesMax: 30,
  recentFileMsMax: 800,
  fileCommitMsMax: 1500,
  fileIdsPerCallMax: 100,
  clonesMax: 2,
  clonePointersMax: 1_000,
  pointersHeldMax: 100_000,
  compactionMsMax: 1000,
  compactionFanIn: 3,
  compactedFileBytesMax: 1000,
  compactionPointersMax: 10,
  compactionJobsPerPlanMax: 3,
  compactionRowsPerStep: 3,
  compactionYoungMs: 10,
  compactionWaitMs: 100,
  keyCompactionActiveMsMax: 100,
  keyCompactionJobBytes: 1000,
  keyCompactionPartitionsMax: 2,
  keyCompactionDirtyPointersMax: 10,
  recentRequestsMax: 4,
  recentRequestReplyBytesMax: 600,
  recentRequestMsMax: 700,
  requestIdCharsMax: 20,
  pointersPerAnswerMax: 7,
  transactionalIdsMax: 10,
  transactionalIdCharsMax: 20,
  transactionalIdMsMax: 5000,
  transactionTimeoutMsMax: 1000,
  transactionBytesMax: 100_000,
  expiredTransactionsPerCallMax: 10,
  migrationTextCharsMax: 20,
  expiredMigrationsPerCallMax: 2,
  recordsMax: 100,
  registryChangesMax: 4,
  registryChangeBytesMax: 40,
  registryKeyBytesMax: 5,
  registryValueBytesMax: 20,
  registryEntriesMax: 6,
  registryBytesMax: 1700,
  registryRemovalsMax: 2,
  registryPageBytesMax: 20,
  registryPageEntriesMax: 3,
  recordBytesMax: 100_000,
  kvValueBytesMax: 1000,
  committedOffsetsMax: 100,
  offsetTextCharsMax: 10_000,
  brokerConfigsMax: 10,
  groupConfigsMax: 10,
  clientMetricsMax: 10,
  clientQuotasMax: 10,
  scramCredentialsMax: 10,
  delegationTokensMax: 10,
  delegationTokensPerUserMax: 5,
  tokenRenewersMax: 3,
  tokenRenewerCharsMax: 100,
  delegationTokenMsMax: 10_000,
  delegationTokenRenewalMsMax: 1_000,
  aclsMax: 10,
  aclBytesMax: 10_000,
  aclScansPerCallMax: 10,
  aclsDeletedPerCallMax: 10,
  credentialsMax: 10,
  principalNameCharsMax: 100,
  nodeIdMax: 100,
  retentionPartitionsPerCallMax: 3,
  retentionPointersPerCallMax: 5,
};

/** An action of a run, independent of which topics exist and of the state of their producers. */
type Action =
  | { kind: 'commit'; files: { number: number; ageMs: number; batches: BatchAction[] }[] }
  /** Commits a file again that is not remembered any more, or an unknown one. */
  | { kind: 'commitKnown'; file: number; batches: BatchAction[] }
  /** Forgets some dead files, and one that may be anything. */
  | { kind: 'forgetDead'; count: number; other: number }
  | { kind: 'declareDead'; files: number[] }
  | { kind: 'repeatCommit'; age: number }
  | {
      kind: 'create';
      topics: {
        name: string;
        partitionCount: number;
        replicationFactor: number;
        configs: Record<string, string>;
      }[];
      validateOnly: boolean;
    }
  | { kind: 'delete'; topics: { name: string; byId: boolean }[]; isFinal: boolean }
  /** Restores deleted topics; 0 is the most recently created one. */
  | { kind: 'bringBack'; ages: number[] }
  | { kind: 'grow'; topics: { name: string; partitionCount: number }[]; validateOnly: boolean }
  | { kind: 'allocate'; count: number }
  | { kind: 'configs'; configs: Record<string, string | null> }
  | { kind: 'request'; command: RequestAction }
  /** Repeats a request; 0 is the last one. */
  | { kind: 'repeatRequest'; age: number }
  | { kind: 'purge' }
  /** Begins a snapshot, which is completed when the next one begins or the states are compared. */
  | { kind: 'save' }
  | { kind: 'wait'; ms: number }
  /** Both machines continue from a snapshot of their own. */
  | { kind: 'restore' };

type Restored = Extract<ClusterChange, { kind: 'topicRestored' }>;

type RequestAction = { kind: 'allocate'; count: number } | { kind: 'create'; name: string };

interface BatchAction {
  topic: number;
  partition: number;
  records: number;
  gap: number;
  timestampMs: number;
  producerId: number;
  epochStep: number;
  /** `next` is the expected sequence, `again` one of the last batches; a number is any sequence. */
  sequence: 'next' | 'again' | number;
}

const names = ['a.b', 'a_b', 'c', 'd', 'no good', '..'];
const name = fc.constantFrom(...names);

const batch: fc.Arbitrary<BatchAction> = fc.record(
  {
    topic: fc.constantFrom(0, 0, 0, 1, 2, 3),
    partition: fc.constantFrom(0, 0, 0, 1, 3),
    records: fc.integer({ min: 1, max: 3 }),
    gap: fc.constantFrom(0, 0, 0, 7),
    timestampMs: fc.oneof(fc.integer({ min: -1, max: 40 }), fc.maxSafeInteger()),
    producerId: fc.constantFrom(-1, 0, 0, 0, 1, 2),
    epochStep: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, -1),
    sequence: fc.oneof(
      { arbitrary: fc.constantFrom('next' as const), weight: 4 },
      { arbitrary: fc.constantFrom('again' as const), weight: 2 },
      { arbitrary: fc.constantFrom(0, 1, 2 ** 31 - 2, 2 ** 31 - 1), weight: 1 },
    ),
  },
  { noNullPrototype: true },
);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      files: fc.array(
        fc.record(
          {
            number: fc.nat(1000),
            ageMs: fc.constantFrom(0, 0, 0, 0, 0, 1400, 1600, -500),
            batches: fc.array(batch, { maxLength: 6 }),
          },
          { noNullPrototype: true },
        ),
        { maxLength: 3 },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeatCommit' as const), age: fc.nat(6) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('commitKnown' as const),
      file: fc.nat(30),
      batches: fc.array(batch, { maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('forgetDead' as const),
      count: fc.integer({ min: 1, max: 4 }),
      other: fc.nat(30),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('declareDead' as const),
      files: fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      topics: fc.array(
        fc.record({
          name,
          partitionCount: fc.constantFrom(-1, 0, 1, 2, 4, 4, 6),
          replicationFactor: fc.constantFrom(-1, -1, 0, 1, 3, 5),
          configs: fc.constantFrom<Record<string, string>>(
            {},
            {},
            { 'retention.ms': '5' },
            { 'service.deletion.protection.enabled': 'true' },
            { 'service.unknown': '1' },
          ),
        }),
        { maxLength: 3 },
      ),
      validateOnly: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      topics: fc.array(fc.record({ name, byId: fc.boolean() }), { maxLength: 2 }),
      isFinal: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('bringBack' as const),
      ages: fc.array(fc.nat(3), { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('grow' as const),
      topics: fc.array(fc.record({ name, partitionCount: fc.nat(6) }), { maxLength: 2 }),
      validateOnly: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('allocate' as const), count: fc.integer({ min: 1, max: 10 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('configs' as const),
      configs: fc
        .dictionary(
          fc.constantFrom('num.partitions', 'delete.topic.enable', 'service.soft.delete.topic.ttl.ms'),
          fc.constant(null),
          { noNullPrototype: true },
        )
        .chain((chosen) =>
          fc.record(
            Object.fromEntries(Object.keys(chosen).map((config) => [config, configValue(config)] as const)),
            { noNullPrototype: true },
          ),
        ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      command: fc.oneof(
        fc.record({ kind: fc.constant('allocate' as const), count: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant('create' as const), name }),
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeatRequest' as const), age: fc.nat(6) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('purge' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 300, 900, -200) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const) }) },
);

function configValue(config: string): fc.Arbitrary<string | null> {
  const values: Record<string, (string | null)[]> = {
    'num.partitions': ['2', '3', null],
    'delete.topic.enable': ['true', 'false', null],
    'service.soft.delete.topic.ttl.ms': ['0', '400', null],
  };
  return fc.constantFrom(...values[config]!);
}

/** A run: the executing machine, a follower, the model, and the changes that a follower has seen. */
class Run {
  leader = ClusterMachine.empty('vci_test', limits);
  standby = ClusterMachine.empty('vci_test', limits);
  readonly model = new ReferenceModel(limits);
  readonly seen = new Map<string, Pointers[]>();
  readonly commits: FileCommit[][] = [];
  nowMs = 1000;
  #topicCount = 0;
  readonly #requests: { id: string; command: Command; reply: unknown }[] = [];
  /** Expected remembered requests: the most recent ones within the limits. */
  #remembered: { id: string; atMs: number; bytes: number }[] = [];
  readonly #snapshot = new BegunSnapshot();

  take(action: Action): void {
    switch (action.kind) {
      case 'commit':
        this.#commit(
          action.files.map(({ number, ageMs, batches }) => ({
            ...this.#file(number, batches),
            fileId: this.#newId(number, ageMs),
          })),
        );
        break;
      case 'commitKnown':
        this.#commit([{ ...this.#file(0, action.batches), fileId: this.#idOf(action.file) }]);
        break;
      case 'forgetDead': {
        const dead = this.leader.deadFiles({ deadBeforeMs: Infinity, limit: action.count });
        const fileIds = [...dead.map(({ fileId }) => fileId), this.#idOf(action.other)];
        assert.equal(
          this.#execute({ kind: 'forgetDeadFiles', fileIds }),
          this.model.forgetDeadFiles(fileIds, this.#time()),
        );
        break;
      }
      case 'declareDead': {
        const fileIds = action.files.map((file) => this.#idOf(file));
        const unknown = new Set(this.leader.unknownFiles(fileIds));
        const declared = this.model.declareFilesDead(fileIds, this.#time());
        assert.deepEqual([...unknown], declared);
        assert.deepEqual(this.#execute({ kind: 'declareFilesDead', fileIds }), declared);
        break;
      }
      case 'repeatCommit':
        this.#commit(this.commits.at(-1 - action.age) ?? []);
        break;
      case 'create':
        this.#create(action);
        break;
      case 'delete':
        this.#delete(action);
        break;
      case 'bringBack':
        this.#bringBack(action.ages);
        break;
      case 'grow':
        this.#grow(action);
        break;
      case 'allocate':
        assert.equal(
          this.#execute({ kind: 'allocateProducerIds', count: action.count }),
          this.model.allocateProducerIds(action.count, this.#time()),
        );
        break;
      case 'configs':
        this.#execute({ kind: 'alterClusterConfigs', configs: action.configs });
        this.model.alterClusterConfigs(action.configs, this.#time());
        break;
      case 'purge':
        assert.deepEqual(this.#execute({ kind: 'purge' }), this.model.purge(this.#time()));
        break;
      case 'request':
        this.#request(action.command);
        break;
      case 'repeatRequest':
        this.#repeatRequest(action.age);
        break;
      case 'save':
        this.#snapshot.begin(this.leader);
        break;
      case 'wait':
        this.nowMs += action.ms;
        break;
      case 'restore':
        this.#snapshot.finish();
        this.leader = ClusterMachine.restore(Buffer.concat(this.leader.save()), limits);
        this.standby = ClusterMachine.restore(Buffer.concat(this.standby.save()), limits);
        break;
    }
  }

  /** Compares the answers of all queries with the model. */
  compare(): void {
    this.#snapshot.finish();
    const live = this.model.live();
    const { clusterConfigs, topics, nextOffset, logStartOffset } = this.leader.snapshotForFollowers();
    assert.deepEqual(clusterConfigs, this.model.clusterConfigs);
    assert.deepEqual(
      topics,
      live.map(({ description }) => description),
    );
    const partitions = live.flatMap((topic) => topic.partitions);
    assert.deepEqual(
      [...nextOffset],
      partitions.map((partition) => partition.nextOffset),
    );
    assert.deepEqual(
      [...logStartOffset],
      partitions.map(() => 0),
    );
    for (const { description, partitions } of live) {
      for (const [number, partition] of partitions.entries()) {
        this.#comparePartition(description.topicId, number, partition);
      }
    }
    assert.equal(this.leader.stats().recentRequests, this.#remembered.length);
    this.#compareFiles();
    assert.ok(Buffer.concat(this.leader.save()).equals(Buffer.concat(this.standby.save())), 'states differ');
  }

  #compareFiles(): void {
    const { dead } = this.model;
    const found = this.leader.deadFiles({ deadBeforeMs: Infinity, limit: 1000 });
    assert.deepEqual(
      found.map(({ deadMs }) => deadMs),
      dead.map(({ deadMs }) => deadMs),
    );
    // Those that die with one topic do so in the order of their last pointers.
    const byId = (a: DeadFile, b: DeadFile) => a.fileId.localeCompare(b.fileId);
    assert.deepEqual(found.toSorted(byId), dead.toSorted(byId));
    const { levels, ...counts } = this.leader.fileStats();
    assert.deepEqual(counts, {
      deadFiles: dead.length,
      deadBytes: dead.reduce((sum, { fileBytes }) => sum + fileBytes, 0),
    });
    const batches = this.model.topics.flatMap(({ partitions }) => partitions.flatMap((one) => one.batches));
    assert.equal(levels[0]?.files ?? 0, this.model.referenced().size);
    assert.equal(
      levels[0]?.liveBytes ?? 0,
      batches.reduce((sum, { byteLength }) => sum + byteLength, 0),
    );
  }

  #comparePartition(topicId: string, partition: number, model: ModelPartition): void {
    const all = this.model.pointers(model);
    const { nextOffset } = model;
    for (const bytesMax of [0, 200, 250]) {
      for (let offset = -1; offset <= nextOffset + 1; offset++) {
        const isOutside = offset < 0 || offset > nextOffset;
        const wanted = isOutside ? [] : all.filter((pointer) => pointer.nextOffset > offset);
        let bytes = 0;
        const expected = wanted.filter(({ byteLength, baseOffset, nextOffset }, index) => {
          const isTaken = index === 0 || (bytes < bytesMax && index < limits.pointersPerAnswerMax);
          bytes += (byteLength * (nextOffset - Math.max(offset, baseOffset))) / (nextOffset - baseOffset);
          return isTaken;
        });
        assert.deepEqual(this.leader.findBatches([{ topicId, partition, offset, bytesMax }])[0], {
          error: isOutside ? 'OFFSET_OUT_OF_RANGE' : 'NONE',
          logStartOffset: 0,
          nextOffset,
          lastStableOffset: nextOffset,
          pointers: asPointers(expected),
        });
      }
    }
    for (let timestampMs = -2; timestampMs <= 42; timestampMs++) {
      const expected = all.find((pointer) => pointer.maxTimestampMs >= timestampMs);
      assert.deepEqual(this.leader.findOffsets([{ topicId, partition, want: 'first', timestampMs }])[0], {
        error: 'NONE',
        pointers: asPointers(expected === undefined ? [] : [expected]),
      });
    }
    const latest = Math.max(...all.map((pointer) => pointer.maxTimestampMs));
    const first = all.find((pointer) => pointer.maxTimestampMs === latest);
    assert.deepEqual(
      this.leader.findOffsets([{ topicId, partition, want: 'latest', timestampMs: 0 }])[0]!.pointers,
      asPointers(first === undefined ? [] : [first]),
    );
    // A follower knows all pointers from changes alone.
    const received = this.seen.get(`${topicId}/${partition}`) ?? [];
    assert.deepEqual(
      received.flatMap(({ baseOffset }) => [...baseOffset]),
      all.map(({ baseOffset }) => baseOffset),
    );
    assert.deepEqual(
      received.flatMap(({ fileId }) => fileId),
      all.map(({ fileId }) => fileId),
    );
  }

  /** Ids of all files that were committed. */
  readonly #fileIds: string[] = [];

  /** Returns the id of a file that is `ageMs` old. */
  #newId(number: number, ageMs: number): string {
    const timeMs = Math.max(0, this.nowMs - ageMs);
    const fileId = `${timeMs.toString(16).padStart(12, '0')}0${number.toString(16).padStart(19, '0')}`;
    this.#fileIds.push(fileId);
    return fileId;
  }

  /** Returns the id of a committed file; 0 is the last one. Higher numbers than those are unknown files. */
  #idOf(age: number): string {
    return this.#fileIds.at(-1 - age) ?? this.#newId(2000 + age, 0);
  }

  #time(): number {
    return Math.max(this.nowMs, this.model.nowMs);
  }

  #execute<C extends Command>(command: C) {
    const { entry, reply, changes } = this.leader.execute(command, this.nowMs);
    const followed = entry === undefined ? [] : this.standby.apply(entry);
    assert.deepEqual(followed, changes);
    this.#listen(changes);
    return reply;
  }

  #request(action: RequestAction): void {
    const id = `request-${this.#requests.length}`;
    const nowMs = this.#time();
    const command: Command =
      action.kind === 'allocate'
        ? { kind: 'allocateProducerIds', count: action.count }
        : {
            kind: 'createTopics',
            topics: [{ name: action.name, partitionCount: 1, configs: {} }],
            topicIds: [`id-${this.#topicCount++}`],
            validateOnly: false,
          };
    const { entry, reply, changes } = this.leader.execute(command, this.nowMs, id);
    if (entry !== undefined) assert.deepEqual(this.standby.apply(entry), changes);
    if (command.kind === 'createTopics') this.model.createTopics(command.topics, command.topicIds, nowMs);
    else this.model.allocateProducerIds(command.kind === 'allocateProducerIds' ? command.count : 0, nowMs);
    this.#requests.push({ id, command, reply: JSON.parse(JSON.stringify(reply)) });
    if (entry === undefined) return;
    this.#remembered = this.#remembered.filter(({ atMs }) => atMs > nowMs - limits.recentRequestMsMax);
    this.#remembered.push({ id, atMs: nowMs, bytes: JSON.stringify(reply).length });
    const bytes = () => this.#remembered.reduce((sum, one) => sum + one.bytes, 0);
    while (
      this.#remembered.length > 1 &&
      (this.#remembered.length > limits.recentRequestsMax || bytes() > limits.recentRequestReplyBytesMax)
    ) {
      this.#remembered.shift();
    }
  }

  /** Repeats only remembered requests; any other would be executed again. */
  #repeatRequest(age: number): void {
    const request = this.#requests.at(-1 - age);
    if (request === undefined || !this.#remembered.some(({ id }) => id === request.id)) return;
    for (const machine of [this.leader, this.standby]) {
      const again: unknown = machine.execute(request.command, this.nowMs, request.id);
      assert.deepEqual(again, { entry: undefined, reply: request.reply, changes: [] });
    }
  }

  #listen(changes: readonly ClusterChange[]): void {
    for (const change of changes) {
      if (change.kind === 'topicRestored') this.#compareEnds(change);
      if (change.kind !== 'appended') continue;
      const key = `${change.topicId}/${change.partition}`;
      this.seen.set(key, [...(this.seen.get(key) ?? []), change.pointers]);
    }
  }

  /** The change that restores a topic contains the partition ends, which a follower may have dropped. */
  #compareEnds({ topic, logStartOffset, nextOffset, lastStableOffset }: Restored): void {
    const model = this.model.topics.find(({ description }) => description.topicId === topic.topicId)!;
    const ends = model.partitions.map((partition) => partition.nextOffset);
    assert.deepEqual([[...nextOffset], [...lastStableOffset]], [ends, ends]);
    assert.deepEqual(
      [...logStartOffset],
      ends.map(() => 0),
    );
  }

  #commit(files: FileCommit[]): void {
    const nowMs = this.#time();
    const reply = this.#execute({ kind: 'commitFiles', files });
    assert.deepEqual(
      reply,
      files.map((file) => this.model.commitFile(file, nowMs)),
    );
    this.commits.push(files);
  }

  #file(number: number, actions: BatchAction[]): FileCommit {
    const planned = new Map<string, { epoch: number; last: number }>();
    return fileCommit(
      number,
      actions.map((action): BatchToCommit => {
        const { partition, records, gap, timestampMs, producerId } = action;
        const topic = this.model.live()[action.topic];
        const topicId = topic?.description.topicId ?? 'unknown';
        const place = { topicId, partition, gap, timestampMs };
        if (producerId < 0) return { ...place, records };
        const known = topic?.partitions[partition]?.producers.find((one) => one.producerId === producerId);
        const key = `${topicId}/${partition}/${producerId}`;
        const last = planned.get(key) ?? {
          epoch: known?.epoch ?? 0,
          last: known?.batches.at(-1)?.sequences.at(-1) ?? -1,
        };
        const again = action.sequence === 'again' ? known?.batches.at(action.epochStep) : undefined;
        if (again !== undefined) {
          const { sequences } = again;
          return {
            ...place,
            producerId,
            epoch: last.epoch,
            sequence: sequences[0]!,
            records: sequences.length,
          };
        }
        const epoch = Math.max(0, last.epoch + action.epochStep);
        const sequence =
          typeof action.sequence === 'number'
            ? action.sequence
            : epoch > last.epoch
              ? 0
              : (last.last + 1) % 2 ** 31;
        planned.set(key, { epoch, last: (sequence + records - 1) % 2 ** 31 });
        return { ...place, records, producerId, epoch, sequence };
      }),
    );
  }

  #create({ topics, validateOnly }: Extract<Action, { kind: 'create' }>): void {
    const topicIds = topics.map(() => `id-${this.#topicCount++}`);
    const before = this.leader.snapshotForFollowers();
    const reply = this.#execute({ kind: 'createTopics', topics, topicIds, validateOnly });
    const model = validateOnly ? structuredCloneOf(this.model) : this.model;
    assert.deepEqual(
      reply.map(({ error }) => error),
      model.createTopics(topics, topicIds, this.#time()),
    );
    for (const { error, topic, message } of reply) {
      assert.equal(topic === undefined, error !== 'NONE');
      assert.equal(message === null, error === 'NONE');
      if (topic === undefined) continue;
      if (validateOnly) assert.equal(this.leader.topicById(topic.topicId), undefined);
      else {
        assert.deepEqual(this.leader.topicById(topic.topicId), topic);
        assert.deepEqual(this.leader.topicByName(topic.name), topic);
      }
    }
    if (validateOnly) assert.deepEqual(this.leader.snapshotForFollowers(), before);
  }

  #delete(action: Extract<Action, { kind: 'delete' }>): void {
    const topics = action.topics.map(({ name, byId }) =>
      byId ? { topicId: this.leader.topicByName(name)?.topicId ?? 'unknown' } : { name },
    );
    const nowMs = this.#time();
    const reply = this.#execute({ kind: action.isFinal ? 'removeTopics' : 'deleteTopics', topics });
    assert.deepEqual(
      reply.map(({ error }) => error),
      action.isFinal ? this.model.removeTopics(topics, nowMs) : this.model.deleteTopics(topics, nowMs),
    );
  }

  #bringBack(ages: readonly number[]): void {
    const held = this.model.topics.toReversed();
    const topicIds = ages.map((age) => held[age]?.description.topicId ?? 'unknown');
    const nowMs = this.#time();
    const reply = this.#execute({ kind: 'restoreTopics', topicIds });
    assert.deepEqual(
      reply.map(({ error }) => error),
      this.model.restoreTopics(topicIds, nowMs),
    );
    const deleted = this.leader.deletedTopics(this.nowMs).map(({ topic }) => topic.topicId);
    for (const { error, topic } of reply) {
      if (error !== 'NONE') continue;
      assert.deepEqual(this.leader.topicById(topic!.topicId), topic);
      assert.ok(!deleted.includes(topic!.topicId));
    }
  }

  #grow({ topics, validateOnly }: Extract<Action, { kind: 'grow' }>): void {
    const nowMs = this.#time();
    const reply = this.#execute({ kind: 'createPartitions', topics, validateOnly });
    const model = validateOnly ? structuredCloneOf(this.model) : this.model;
    assert.deepEqual(
      reply.map(({ error }) => error),
      model.createPartitions(topics, nowMs),
    );
  }
}

/** Returns a copy for trial execution. */
function structuredCloneOf(model: ReferenceModel): ReferenceModel {
  const copy = new ReferenceModel(model.limits);
  copy.nowMs = model.nowMs;
  copy.clusterConfigs = model.clusterConfigs;
  copy.topics = structuredClone(model.topics);
  return copy;
}

test('the machine, its follower and its snapshots agree with the reference model in random runs', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60, size: 'max' }), (actions) => {
      const run = new Run();
      run.take({ kind: 'configs', configs: { 'service.soft.delete.topic.ttl.ms': '400' } });
      run.take({
        kind: 'create',
        topics: [{ name: 'first', partitionCount: 3, replicationFactor: -1, configs: {} }],
        validateOnly: false,
      });
      for (const [number, one] of actions.entries()) {
        run.take(one);
        if (number % 6 === 0) run.compare();
      }
      run.compare();
    }),
    { numRuns: 150 },
  );
});
