import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type ClusterPort, clusterFacts, type FileCommit } from '@weir/cluster';
import { fileIdOf, fileOriginOf, Metrics, silentLog, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { JournalHub } from '@weir/journal';
import { clusterMachines } from '@weir/metadata';
import { bucketIdKey, dropMemoryBucket, type ObjectStore, openStore } from '@weir/storage';
import fc from 'fast-check';
import { CloneProblem, cloneCluster } from './clone-cluster.ts';
import { listClones, removeClone, removeHeld } from './clone-objects.ts';
import { keepClones } from './clone-upkeep.ts';
import { holdForClones } from './hold-for-clones.ts';

type Machine = ReturnType<typeof clusterMachines.restore>;
type Command = Parameters<Machine['execute']>[0];

const sourceId = 'vci_source';
const topicIds = ['a', 'b'];
const delayMs = 600_000;

/** The process ends here. */
class Crash extends Error {}

type Action =
  | { kind: 'commit'; cluster: number; topics: number }
  /** Deletes the records of a topic but the last ones. */
  | { kind: 'deleteRecords'; cluster: number; topic: number; kept: number }
  | { kind: 'compact'; cluster: number; topic: number }
  | { kind: 'clone'; cluster: number; crashAfter: number }
  | { kind: 'upkeep'; cluster: number; crashAfter: number }
  | { kind: 'delete'; cluster: number; crashAfter: number }
  /** Declares files dead that the cluster does not know. */
  | { kind: 'scan'; cluster: number }
  | { kind: 'forgetClone'; cluster: number; crashAfter: number }
  /** Sets a cluster back to where nothing has been deleted since, as a restore does. */
  | { kind: 'restore'; cluster: number }
  | { kind: 'wait'; ms: number };

const cluster = fc.nat(3);
/** Mostly beyond the end of what happens. */
const crashAfter = fc.oneof(fc.constant(1000), fc.nat(12), fc.nat(30));
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      cluster,
      topics: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('deleteRecords' as const),
      cluster,
      topic: fc.nat(1),
      kept: fc.nat(2),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('compact' as const), cluster, topic: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('clone' as const), cluster, crashAfter }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('upkeep' as const), cluster, crashAfter }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('delete' as const), cluster, crashAfter }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forgetClone' as const), cluster, crashAfter }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), cluster }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('scan' as const), cluster }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1000, delayMs + 1, 3_700_000),
    }),
  },
);

interface Kept {
  machine: Machine;
  /** Entries since the state of `first`. */
  journal: Buffer[];
  first: Buffer;
  /** A state from which a restore may begin. */
  backup: Buffer;
}

/** A cluster, its clones and theirs, one bucket, and one registry. */
class World {
  readonly clock = new HandClock();
  readonly #store: ObjectStore;
  readonly clusters = new Map<string, Kept>();
  readonly registered = new Set<string>();
  /** Deleted clusters that cannot be restored any more: they have a row until everything of them is removed. */
  readonly #forgotten = new Set<string>();
  /** Files in the bucket, by the cluster that wrote them. */
  readonly files = new Map<string, Set<string>>();
  hasRestored = false;
  #fileCount = 0;
  #cloneCount = 0;
  #stepsLeft = Number.POSITIVE_INFINITY;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  static async open(store: ObjectStore): Promise<World> {
    const world = new World(store);
    await store.put(bucketIdKey(sourceId), [Buffer.from('bki_1\n')]);
    const machine = clusterMachines.empty(sourceId);
    const first = saved(machine);
    world.clusters.set(sourceId, { machine, journal: [], first, backup: first });
    world.registered.add(sourceId);
    world.execute(sourceId, {
      kind: 'createTopics',
      topics: topicIds.map((name) => ({ name, partitionCount: 1, configs: {} })),
      topicIds,
      validateOnly: false,
    });
    world.execute(sourceId, {
      kind: 'putEntries',
      changes: [{ ...clusterFacts.bucketId, value: Buffer.from('bki_1') }],
    });
    world.clusters.get(sourceId)!.backup = saved(machine);
    return world;
  }

  execute<C extends Command>(clusterId: string, command: C) {
    const { machine, journal } = this.clusters.get(clusterId)!;
    const { entry, reply } = machine.execute(command, this.clock.nowMs());
    if (entry !== undefined) journal.push(entry);
    return reply;
  }

  /** A step of a process that may end before it, or after it and before its answer. */
  async #step<Answer>(work: () => Promise<Answer> | Answer): Promise<Answer> {
    if (this.#stepsLeft-- <= 0) throw new Crash();
    const answer = await work();
    if (this.#stepsLeft-- <= 0) throw new Crash();
    return answer;
  }

  /** Runs what a process does, which may crash. Returns whether it got to its end. */
  async #process(crashAfter: number, work: () => Promise<unknown>): Promise<boolean> {
    this.#stepsLeft = crashAfter;
    try {
      await work();
      return true;
    } catch (error) {
      // What follows a crash, such as undoing, does not happen.
      if (this.#stepsLeft < 0 || error instanceof CloneProblem) return false;
      throw error;
    } finally {
      this.#stepsLeft = Number.POSITIVE_INFINITY;
    }
  }

  get #processStore(): ObjectStore {
    const inner = this.#store;
    const step = <Answer>(work: () => Promise<Answer>) => this.#step(work);
    return {
      ...inner,
      put: (...args) => step(() => inner.put(...args)),
      head: (...args) => step(() => inner.head(...args)),
      delete: (...args) => step(() => inner.delete(...args)),
      getRange: (...args) => step(() => inner.getRange(...args)),
      list: (...args) => inner.list(...args),
    };
  }

  /** The leader of a cluster. */
  #node(clusterId: string) {
    const { machine } = this.clusters.get(clusterId)!;
    const run = <C extends Command>(command: C) => this.#step(() => this.execute(clusterId, command));
    const node = {
      role: 'leader' as const,
      onRole: () => () => {},
      record: (namespace: 'clusterFact', key: string) => machine.kv.get(namespace, key),
      listHolds: async () => machine.holds(),
      listUnneededFiles: async () =>
        machine.unneededFiles({ deadBeforeMs: this.clock.nowMs() - delayMs, limit: 2 }),
      holdFiles: (cloneId: string) => run({ kind: 'holdFiles', cloneId }),
      holdListedFiles: (cloneId: string, fileIds: readonly string[]) =>
        run({ kind: 'holdFiles', cloneId, fileIds }),
      confirmHold: (cloneId: string, heldMs: number) => run({ kind: 'confirmHold', cloneId, heldMs }),
      abandonHold: (cloneId: string) => run({ kind: 'abandonHold', cloneId }),
      releaseHeldFiles: (cloneId: string, fileIds: readonly string[]) =>
        run({ kind: 'releaseHeldFiles', cloneId, fileIds }),
      endHold: (cloneId: string) => run({ kind: 'endHold', cloneId }),
      forgetUnneededFiles: (fileIds: readonly string[]) => run({ kind: 'forgetUnneededFiles', fileIds }),
    };
    return node as typeof node & Pick<ClusterPort, 'listHolds'>;
  }

  get #hub(): JournalHub {
    const journalOf = (clusterId: string) => ({
      loadSnapshot: async () => ({ position: 0, bytes: this.clusters.get(clusterId)!.first }),
      read: async (position: number) => this.clusters.get(clusterId)!.journal.slice(position, position + 3),
      saveSnapshot: (_: number, slices: Iterable<Buffer>) =>
        this.#step(async () => {
          const first = Buffer.concat([...slices]);
          this.clusters.set(clusterId, {
            machine: clusterMachines.restore(first),
            journal: [],
            first,
            backup: first,
          });
        }),
    });
    const forget = (clusterId: string) => this.#step(async () => void this.clusters.delete(clusterId));
    return { journal: journalOf, forget } as never;
  }

  /** A registered cluster by a number. */
  #pick(number: number): string {
    return [...this.registered][number % this.registered.size]!;
  }

  async take(action: Action): Promise<void> {
    if (action.kind === 'wait') {
      await this.clock.advance(action.ms);
      return;
    }
    const clusterId = this.#pick(action.cluster);
    const { machine } = this.clusters.get(clusterId)!;
    switch (action.kind) {
      case 'commit': {
        const topics = topicIds.filter((_, index) => (action.topics & (1 << index)) !== 0);
        const fileId = this.#newFile(clusterId, 0);
        this.execute(clusterId, { kind: 'commitFiles', files: [fileOf(fileId, topics)] });
        break;
      }
      case 'deleteRecords': {
        const topicId = topicIds[action.topic]!;
        const { nextOffset, logStartOffset } = this.#batches(machine, topicId);
        const offset = Math.max(logStartOffset, nextOffset - action.kept);
        this.execute(clusterId, { kind: 'deleteRecords', partitions: [{ topicId, partition: 0, offset }] });
        break;
      }
      case 'compact':
        this.#compact(clusterId, topicIds[action.topic]!);
        break;
      case 'clone':
        if (this.registered.size < 4) await this.#process(action.crashAfter, () => this.#clone(clusterId));
        break;
      case 'upkeep':
        await this.upkeep(clusterId, action.crashAfter);
        break;
      case 'delete':
        await this.#process(action.crashAfter, () => this.#delete(clusterId));
        break;
      case 'scan':
        this.#scan(clusterId);
        break;
      case 'forgetClone':
        if (clusterId !== sourceId && machine.holds().length === 0)
          await this.#process(action.crashAfter, () => this.#forgetClone(clusterId));
        break;
      case 'restore':
        await this.#restore(clusterId);
        break;
    }
  }

  #clone(clusterId: string): Promise<string> {
    return cloneCluster({
      sourceId: clusterId,
      source: this.#node(clusterId),
      hub: this.#hub,
      store: this.#processStore,
      register: (cloneId) => this.#step(async () => void this.registered.add(cloneId)),
      unregister: (cloneId) => this.#step(async () => void this.registered.delete(cloneId)),
      freshId: () => `vci_clone${++this.#cloneCount}`,
      clock: this.clock,
    });
  }

  upkeep(clusterId: string, crashAfter = 1e9): Promise<boolean> {
    return this.#process(crashAfter, () =>
      keepClones(
        {
          clusterId,
          node: this.#node(clusterId) as never,
          store: this.#processStore,
          isRegistered: async (cloneId) => this.registered.has(cloneId) || this.#forgotten.has(cloneId),
          onAbandoned: async (cloneId) => void this.clusters.delete(cloneId),
          clock: this.clock,
        },
        () => true,
      ),
    );
  }

  /** As housekeeping does when a deleted cluster cannot be restored any more. */
  async #forgetClone(cloneId: string): Promise<void> {
    this.registered.delete(cloneId);
    this.#forgotten.add(cloneId);
    await removeClone(this.#processStore, cloneId);
    await this.#step(async () => void this.clusters.delete(cloneId));
    await this.#step(async () => void this.#forgotten.delete(cloneId));
  }

  /** As the scanner of dead files does. */
  #scan(clusterId: string): void {
    const own = [...(this.files.get(clusterId) ?? [])];
    const fileIds = this.clusters.get(clusterId)!.machine.unknownFiles(own);
    this.execute(clusterId, { kind: 'declareFilesDead', fileIds });
  }

  /** As the job does. */
  async #delete(clusterId: string): Promise<void> {
    const kept = this.clusters.get(clusterId)!;
    const dead = kept.machine.deadFiles({ deadBeforeMs: this.clock.nowMs() - delayMs, limit: 100 });
    const own = this.files.get(clusterId);
    if (dead.length > 0) kept.backup = saved(kept.machine);
    for (const { fileId } of dead) await this.#step(() => own?.delete(fileId));
    await this.#step(() =>
      this.execute(clusterId, { kind: 'forgetDeadFiles', fileIds: dead.map(({ fileId }) => fileId) }),
    );
    kept.backup = saved(kept.machine);
  }

  async #restore(clusterId: string): Promise<void> {
    const kept = this.clusters.get(clusterId)!;
    // A clone reports files that its backup still needs only after the grace period, as files are deleted.
    if (clusterId !== sourceId) return;
    this.hasRestored = true;
    const machine = clusterMachines.restore(kept.backup);
    const options = { clusterId, store: this.#store, clock: this.clock, onStep: () => {} };
    await holdForClones(options, machine);
    this.clusters.set(clusterId, { machine, journal: [], first: saved(machine), backup: kept.backup });
  }

  #newFile(clusterId: string, level: number): string {
    const time = this.clock.nowMs().toString(16).padStart(12, '0');
    const fileId = time + level.toString(16) + (++this.#fileCount).toString(16).padStart(19, '0');
    const own = this.files.get(clusterId) ?? new Set();
    this.files.set(clusterId, own.add(fileId));
    return fileId;
  }

  #compact(clusterId: string, topicId: string): void {
    const { machine } = this.clusters.get(clusterId)!;
    const { pointers } = this.#batches(machine, topicId);
    const { fileId, baseOffset, nextOffset } = pointers;
    if (fileId.length < 2) return;
    const output = this.#newFile(clusterId, 1);
    const { outcome } = this.execute(clusterId, {
      kind: 'replaceRanges',
      commit: {
        plannedMs: this.clock.nowMs(),
        inputFileIds: [...new Set(fileId)],
        outputs: [{ fileId: output, fileBytes: 100 }],
        topicIds: [topicId],
        ranges: {
          topic: Uint32Array.of(0),
          partition: Uint32Array.of(0),
          fromOffset: baseOffset.slice(0, 1),
          toOffset: nextOffset.slice(-1),
          pointerCount: Uint32Array.of(1),
        },
        pointers: {
          file: Uint32Array.of(0),
          byteStart: Uint32Array.of(0),
          byteLength: Uint32Array.of(100),
          baseOffset: baseOffset.slice(0, 1),
          maxTimestampMs: Float64Array.of(0),
        },
      },
    });
    assert.equal(outcome, 'done');
  }

  #batches(machine: Machine, topicId: string) {
    const [start] = machine.findBatches([{ topicId, partition: 0, offset: -1, bytesMax: 1 }]);
    const offset = start!.logStartOffset;
    return machine.findBatches([{ topicId, partition: 0, offset, bytesMax: 1e9 }])[0]!;
  }

  /** The files that a cluster refers to, by the cluster that wrote them. */
  referenced(clusterId: string): [writerId: string, fileId: string][] {
    const { machine } = this.clusters.get(clusterId)!;
    return topicIds
      .flatMap((topicId) => this.#batches(machine, topicId).pointers.fileId)
      .map((reference) => [fileOriginOf(reference) ?? clusterId, fileIdOf(reference)]);
  }

  /** Whatever happened, no cluster refers to a file that is gone. */
  check(): void {
    for (const clusterId of this.registered) {
      for (const [writerId, fileId] of this.referenced(clusterId))
        assert.ok(this.files.get(writerId)!.has(fileId), `${clusterId} lost ${fileId} of ${writerId}`);
    }
  }

  /** Everything that is left to do, until nothing changes. */
  async settle(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      await this.clock.advance(3_700_000);
      for (const clusterId of this.#forgotten) await this.#forgetClone(clusterId);
      for (const clusterId of this.registered) {
        assert.ok(await this.upkeep(clusterId));
        this.#scan(clusterId);
        await this.#delete(clusterId);
        this.check();
      }
    }
  }

  async forgetClones(): Promise<void> {
    for (const clusterId of [...this.registered])
      if (clusterId !== sourceId) await this.#forgetClone(clusterId);
    // An operator removes what a restore found of a clone that was never made.
    if (!this.hasRestored) return;
    for (const { cloneId } of await listClones(this.#store, sourceId))
      await removeHeld(this.#store, sourceId, cloneId);
  }
}

function saved(machine: Machine): Buffer {
  const saving = machine.beginSave();
  try {
    return Buffer.concat([...saving.slices]);
  } finally {
    saving.end();
  }
}

/** A file with a batch for each topic. */
function fileOf(fileId: string, topics: readonly string[]): FileCommit {
  const rows = topics.length;
  return {
    fileId,
    fileBytes: 100 * rows,
    topicIds: topics,
    topic: Uint32Array.from(topics.keys()),
    partition: new Uint32Array(rows),
    byteStart: Uint32Array.from(topics, (_, row) => 100 * row),
    byteLength: new Uint32Array(rows).fill(100),
    recordCount: new Uint32Array(rows).fill(1),
    maxTimestampMs: new Float64Array(rows),
    producerId: new Float64Array(rows).fill(-1),
    producerEpoch: new Int16Array(rows).fill(-1),
    baseSequence: new Int32Array(rows).fill(-1),
  };
}

test('no file that a cluster or its clones refer to is deleted, and in the end none is kept without success', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 80, size: 'max' }), async (actions) => {
      const name = randomUUID();
      const clock = new HandClock();
      const deps = { clock, random: systemRandom, environment: {}, log: silentLog, metrics: new Metrics() };
      const world = await World.open(await openStore(`mem://${name}`, deps));
      try {
        for (const action of actions) {
          await world.take(action);
          world.check();
        }
        await world.settle();
        const needed = new Map([...world.files.keys()].map((writerId) => [writerId, new Set<string>()]));
        for (const clusterId of world.registered) {
          for (const [writerId, fileId] of world.referenced(clusterId)) needed.get(writerId)!.add(fileId);
        }
        for (const clusterId of world.registered) {
          // After a restore, files are held that a clone had released before it.
          if (world.hasRestored || !world.files.has(clusterId)) continue;
          assert.deepEqual(sorted(world.files.get(clusterId)), sorted(needed.get(clusterId)), clusterId);
        }
        await world.forgetClones();
        await world.settle();
        const own = world.referenced(sourceId).map(([, fileId]) => fileId);
        assert.deepEqual(sorted(world.files.get(sourceId)), sorted(new Set(own)));
      } finally {
        dropMemoryBucket(name);
      }
    }),
    { numRuns: 60 },
  );
});

function sorted(fileIds: ReadonlySet<string> = new Set()): string[] {
  return [...fileIds].sort();
}
