import {
  bucketsReserved,
  bucketsReservedFact,
  clusterFacts,
  type KnownBucket,
  readBuckets,
} from '@weir/cluster';
import type { Clock } from '@weir/core';
import type { JournalHub } from '@weir/journal';
import type { ObjectStore } from '@weir/storage';
import { readBucketId } from '../clones/clone-objects.ts';
import { holdForClones } from '../clones/hold-for-clones.ts';
import { closedKey, fenceKey, isConfirmed, listBackup, listGenerations } from './backup-objects.ts';
import {
  BackupChanged,
  newestWithObjects,
  type RestoreAdvance,
  RestoreProblem,
  readGeneration,
} from './read-backup.ts';
import { reserveSchemaIds } from './reserve-schema-ids.ts';
import { type UncommittedFiles, uncommittedFiles } from './uncommitted-files.ts';

interface RestoreOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly hub: JournalHub;
  readonly clock: Clock;
  /** How long a control plane that still leads the cluster has to find the fence and to store its last entries. */
  readonly fenceMs: number;
  /** Called with a line for the user when a step begins. */
  readonly onStep: (line: string) => void;
  /** Called as a step goes on. */
  readonly onAdvance?: ((advance: RestoreAdvance) => void) | undefined;
  /** Opens another bucket of the cluster, to look for files there too; the caller closes it. */
  readonly openBucket?: ((url: string) => Promise<ObjectStore>) | undefined;
}

export interface RestoredCluster {
  readonly generation: number;
  /** What was decided before this moment is restored, by the clock of the control plane that led. */
  readonly recoveryPointMs: number;
  /** Number of journal entries after the snapshot. */
  readonly entryCount: number;
  /** Whether the control plane that led before confirmed that the bucket has everything. */
  readonly isComplete: boolean;
  readonly topicCount: number;
  /** Whether ids of schemas are left out that may have been given out after the recovery point. */
  readonly areSchemaIdsReserved: boolean;
  readonly uncommitted: UncommittedFiles;
  /** Buckets of the cluster that were not looked at, each with the reason. */
  readonly unsearched: readonly string[];
}

const pollMs = 500;
const rehearsalsMax = 5;
/** More buckets than a cluster comes to use between two backups. */
const reservedBucketsCount = 4;

/**
 * Rebuilds the metadata of a cluster from its bucket into an empty database.
 *
 * First it fences: a control plane that still leads the cluster stops when it finds the fence, and then its last
 * entries are in the bucket. One that cannot reach the bucket does not stop, and what it acknowledges from then on is
 * lost.
 */
export async function restoreCluster(options: RestoreOptions): Promise<RestoredCluster> {
  const { clusterId, store, hub, clock, onStep } = options;
  if (!(await hub.isEmpty()))
    throw new RestoreProblem('the database has clusters already; name an empty one');
  const generations = await listGenerations(store, clusterId);
  if ((await newestWithObjects(options, generations)) === undefined)
    throw new RestoreProblem(`the bucket has no metadata backup of ${clusterId}`);
  const newest = generations.at(-1)!;
  const generation = newest + 1;
  onStep(`Fencing control planes that still serve ${clusterId}`);
  const text = `restored ${new Date(clock.nowMs()).toISOString()}\n`;
  if (!(await store.putIfAbsent(fenceKey(clusterId, generation), [Buffer.from(text)])))
    throw new RestoreProblem(`another restore of ${clusterId} has begun; wait for it, or start again`);
  const isClosed = await untilClosed(options, newest);
  // The newest generation may have stored its first object only now. If it has none, it may have served without one.
  const source = (await newestWithObjects(options, generations))!;
  const { machine, chain, recoveryPointMs } = await readGeneration(options, source);
  const isComplete =
    source === newest &&
    (isClosed || isConfirmed(await listBackup(store, clusterId, source), chain.endPosition));
  await holdForClones(options, machine);
  const hasSchemas = machine.registryRevision > 0;
  if (!isComplete) reserveSchemaIds(machine);
  const changes = [
    { ...clusterFacts.generation, value: Buffer.from(String(generation)) },
    { ...clusterFacts.supersededBy, value: null },
    ...reservedBuckets(machine.kv.of('clusterFact')),
  ];
  const { message } = machine.execute({ kind: 'putEntries', changes }, clock.nowMs()).reply;
  if (message !== null) throw new RestoreProblem(message);
  onStep('Writing the database');
  const saving = machine.beginSave();
  try {
    await hub.journal(clusterId).saveSnapshot(0, saving.slices, { isAlone: true });
  } finally {
    saving.end();
  }
  onStep('Looking for files that the backup does not know');
  const { stores, unsearched } = await otherBuckets(options, readBuckets(machine.kv.of('clusterFact')));
  const uncommitted: UncommittedFiles[] = [];
  for (const searched of [store, ...stores]) {
    const fileStates = (fileIds: readonly string[]) => machine.fileStates(fileIds);
    uncommitted.push(
      await uncommittedFiles(searched, clusterId, fileStates, recoveryPointMs, options.onAdvance),
    );
  }
  return {
    generation,
    recoveryPointMs,
    entryCount: chain.endPosition - (chain.snapshot?.position ?? 0),
    isComplete,
    topicCount: machine.countResources().topics,
    areSchemaIdsReserved: hasSchemas && !isComplete,
    uncommitted: {
      fileCount: uncommitted.reduce((sum, { fileCount }) => sum + fileCount, 0),
      byteCount: uncommitted.reduce((sum, { byteCount }) => sum + byteCount, 0),
      keys: uncommitted.flatMap(({ keys }) => keys),
    },
    unsearched,
  };
}

export interface RehearsedRestore {
  /** The generation that a restore would read; it would make the next one. */
  readonly generation: number;
  readonly recoveryPointMs: number;
  readonly entryCount: number;
  readonly topicCount: number;
  /** What a restore would write into a database. */
  readonly snapshotBytes: number;
}

/**
 * Reads what a restore would read, and builds what it would write, without a fence and without a database: a control
 * plane that serves the cluster goes on.
 */
export async function rehearseRestore(
  options: Pick<RestoreOptions, 'clusterId' | 'store' | 'onStep' | 'onAdvance'>,
): Promise<RehearsedRestore> {
  const { clusterId, store } = options;
  for (let tries = 1; ; tries++) {
    const generation = await newestWithObjects(options, await listGenerations(store, clusterId));
    if (generation === undefined)
      throw new RestoreProblem(`the bucket has no metadata backup of ${clusterId}`);
    try {
      const { machine, chain, recoveryPointMs } = await readGeneration(options, generation);
      let snapshotBytes = 0;
      const saving = machine.beginSave();
      try {
        for await (const slice of saving.slices) snapshotBytes += slice.length;
      } finally {
        saving.end();
      }
      return {
        generation,
        recoveryPointMs,
        entryCount: chain.endPosition - (chain.snapshot?.position ?? 0),
        topicCount: machine.countResources().topics,
        snapshotBytes,
      };
    } catch (error) {
      // The control plane goes on with its backup meanwhile.
      if (!(error instanceof BackupChanged) || tries === rehearsalsMax) throw error;
    }
  }
}

/** Opens the buckets of the cluster other than the one that has the backup. */
async function otherBuckets(
  { store, clusterId, openBucket }: RestoreOptions,
  buckets: readonly KnownBucket[],
): Promise<{ readonly stores: readonly ObjectStore[]; readonly unsearched: readonly string[] }> {
  const ownId = buckets.length > 1 ? await readBucketId(store, clusterId) : undefined;
  const stores: ObjectStore[] = [];
  const unsearched: string[] = [];
  for (const { number, bucketId, url } of buckets) {
    if (buckets.length === 1 || bucketId === ownId) continue;
    try {
      if (url === '' || openBucket === undefined) throw new Error('it is not known where it is');
      stores.push(await openBucket(url));
    } catch (error) {
      unsearched.push(`bucket ${number}, ${bucketId}: ${(error as Error).message}`);
    }
  }
  return { stores, unsearched };
}

/** Waits until the leader of a generation has ended, for a limited time. Returns whether it found the fence. */
async function untilClosed(
  { store, clusterId, clock, fenceMs, onAdvance }: RestoreOptions,
  generation: number,
): Promise<boolean> {
  const key = closedKey(clusterId, generation);
  const startMs = clock.monotonicMs();
  for (;;) {
    if ((await store.head(key)) !== undefined) return true;
    // Then no process serves the cluster, and one that begins to finds the fence.
    if (isConfirmed(await listBackup(store, clusterId, generation), Number.POSITIVE_INFINITY)) return false;
    const waitedMs = clock.monotonicMs() - startMs;
    if (waitedMs >= fenceMs) return false;
    onAdvance?.({ done: Math.floor(waitedMs / 1000), total: Math.ceil(fenceMs / 1000), unit: 'seconds' });
    await new Promise<void>((resolve) => clock.after(pollMs, resolve));
  }
}

/** Numbers that the cluster may have given to buckets after the recovery point are not given again (ADR 0048). */
function reservedBuckets(facts: ReadonlyMap<string, Uint8Array>) {
  const last = readBuckets(facts).at(-1)?.number;
  if (last === undefined) return [];
  const reserved = Math.max(last, bucketsReserved(facts)) + reservedBucketsCount;
  return [{ ...bucketsReservedFact, value: Buffer.from(String(reserved)) }];
}
