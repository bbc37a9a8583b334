import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, Metrics, MiB, silentLog, systemClock, systemRandom } from '@weir/core';
import { backupMetrics } from '../packages/controlplane/src/backup/backup-metrics.ts';
import { segmentKey, snapshotKey } from '../packages/controlplane/src/backup/backup-objects.ts';
import { ClusterBackup } from '../packages/controlplane/src/backup/cluster-backup.ts';
import { copySnapshot } from '../packages/controlplane/src/backup/copy-snapshot.ts';
import { restoreCluster } from '../packages/controlplane/src/backup/restore-cluster.ts';
import { type JournalHub, openJournals, packEntries } from '../packages/journal/src/index.ts';
import type { ClusterMachine } from '../packages/machine/src/machine.ts';
import { createBucket, type ObjectStore, openStore } from '../packages/storage/src/index.ts';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { commitOf, filled, fullScale, type Scale, tinyScale } from './metadata-scale.ts';
import type { Effort } from './side-by-side.ts';

const clusterId = 'vci_bench';

interface Stage {
  readonly store: ObjectStore;
  hub(name: string): JournalHub;
}

/** A bucket and databases on disk. */
async function onStage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  await using ends = new AsyncDisposableStack();
  ends.defer(() => rmSync(folder, { recursive: true }));
  const deps = { clock: systemClock, random: systemRandom, environment: {}, log: silentLog };
  await createBucket(`file://${folder}/bucket`);
  const store = await openStore(`file://${folder}/bucket`, { ...deps, metrics: new Metrics() });
  ends.defer(() => store.close());
  return await work({
    store,
    hub(name) {
      const hub = openJournals(join(folder, `${name}.db`), { clock: systemClock, log: silentLog });
      ends.defer(() => hub.close());
      return hub;
    },
  });
}

/** Restores a cluster of ten million pointers from a bucket on disk into SQLite. */
export const restore: Benchmark = {
  name: 'restore',
  run(effort: Effort) {
    const scale = effort.turns > 1 ? fullScale : tinyScale;
    return onStage(async (stage) => [
      await restored(stage, scale, scale.pointers, 'all of them in the snapshot'),
      // A leader alone takes the next snapshot when the journal has twice the size of the last.
      await restored(stage, scale, scale.pointers / 2, 'half of them in entries after the snapshot'),
    ]);
  },
};

async function restored(
  { store, hub }: Stage,
  scale: Scale,
  pointersInSnapshot: number,
  what: string,
): Promise<Row> {
  const machine = filled({ ...scale, pointers: pointersInSnapshot });
  await storeSnapshot(store, machine);
  const entryBytes = await storeEntries(store, machine, scale, scale.pointers - pointersInSnapshot);
  const startMs = systemClock.monotonicMs();
  const { user, system } = process.cpuUsage();
  await restoreCluster({
    clusterId,
    store,
    hub: hub(`restored-${pointersInSnapshot}`),
    clock: systemClock,
    fenceMs: 0,
    onStep: () => {},
  });
  const tookMs = systemClock.monotonicMs() - startMs;
  const cpu = process.cpuUsage({ user, system });
  await removeAll(store);
  return {
    what: `restore of ${scale.pointers / 1e6} million pointers, ${what}`,
    result: round(tookMs / 1000),
    unit: 's',
    bar: atMost(30),
    detail: `${round((cpu.user + cpu.system) / 1e6)} s of CPU, ${round(entryBytes / MiB)} MiB of entries, peak memory ${round(process.resourceUsage().maxRSS / 1024)} MiB with the making`,
  };
}

async function storeSnapshot(store: ObjectStore, machine: ClusterMachine): Promise<void> {
  const saving = machine.beginSave();
  const slices = (async function* () {
    yield* saving.slices;
  })();
  const snapshot = { byteCount: Number.POSITIVE_INFINITY, slices };
  await copySnapshot(store, snapshotKey(clusterId, 0, 0), snapshot, () => Promise.resolve(true));
  saving.end();
}

/** Commits files and stores their entries in segments of a megabyte, as a leader does. */
async function storeEntries(
  store: ObjectStore,
  machine: ClusterMachine,
  scale: Scale,
  pointers: number,
): Promise<number> {
  const batches = 1_000;
  let position = 0;
  let bytes = 0;
  let entries: Buffer[] = [];
  let segmentBytes = 0;
  const flush = async () => {
    const first = position - entries.length;
    await store.put(segmentKey(clusterId, 0, first, position), [packEntries(entries)]);
    entries = [];
    segmentBytes = 0;
  };
  for (let file = 0; file * batches < pointers; file++) {
    const commit = commitOf(scale, 0x1_0000_0000 + file, batches);
    const { entry } = machine.execute({ kind: 'commitFiles', files: [commit] }, file);
    entries.push(entry!);
    bytes += entry!.length;
    segmentBytes += entry!.length;
    position++;
    if (segmentBytes >= MiB) await flush();
  }
  if (entries.length > 0) await flush();
  return bytes;
}

async function removeAll(store: ObjectStore): Promise<void> {
  for await (const page of store.list('')) for (const { key } of page) await store.delete(key);
}

/** 50 MB/s as agents with a window of 25 ms write them: files of 1.25 MB, each with 64 partitions. */
const filesPerSecond = 40;
const batchesPerFile = 64;
const intervalMs = 5_000;
/** Ends a backup that would go on for ever. */
const slowPutsMax = 10_000;

/** What the backup takes of a core: interval by interval, with nothing else running. */
export const backupCost: Benchmark = {
  name: 'backup-cost',
  run(effort: Effort) {
    const scale = effort.turns > 1 ? { ...fullScale, pointers: fullScale.pointers / 10 } : tinyScale;
    const intervals = effort.turns > 1 ? 60 : 2;
    return onStage(async ({ store, hub }) => {
      const journal = hub('journal').journal(clusterId);
      const machine = filled(scale);
      const saving = machine.beginSave();
      const snapshotBytes = await journal.saveSnapshot(0, saving.slices);
      saving.end();
      const lease = await journal.acquireLease({ id: 'bench', url: 'http://bench' }, 60_000);
      const steps = new StepClock();
      let file = 0;
      let entryBytes = 0;
      const commitFile = async () => {
        const commit = commitOf(scale, 0x1_0000_0000 + file, batchesPerFile);
        const { entry } = machine.execute({ kind: 'commitFiles', files: [commit] }, file);
        entryBytes += entry!.length;
        await journal.append(lease.epoch!, file++, [entry!]);
      };
      let slowPuts: number | undefined;
      const slowStore: ObjectStore = {
        ...store,
        async put(key, content, options) {
          if (slowPuts !== undefined) {
            slowPuts++;
            if (slowPuts < slowPutsMax) await commitFile();
          }
          await store.put(key, content, options);
        },
      };
      const backup = new ClusterBackup({
        clusterId,
        node: {
          role: 'leader',
          onRole: () => () => {},
          record: () => undefined,
          execute: () => Promise.reject(new Error('not expected')),
          describeJournal: async () => ({ epoch: lease.epoch!, position: file }),
          retire: () => Promise.reject(new Error('not expected')),
          keepFilesForBackup: () => {},
          serveOnlyWith: () => {},
        },
        journal,
        store: slowStore,
        intervalMs,
        clock: steps,
        log: silentLog,
        metrics: backupMetrics(new Metrics(), clusterId),
      });
      const first = await cpuOf(() => steps.interval());
      let cpuMs = 0;
      for (let interval = 0; interval < intervals; interval++) {
        for (let count = 0; count < (filesPerSecond * intervalMs) / 1000; count++) await commitFile();
        cpuMs += await cpuOf(() => steps.interval());
      }
      const bytesOfIntervals = entryBytes;
      slowPuts = 0;
      for (let interval = 0; interval < intervals; interval++) {
        await commitFile();
        await steps.interval();
      }
      const putsPerInterval = slowPuts / intervals;
      slowPuts = undefined;
      await backup.end();
      const seconds = (intervals * intervalMs) / 1000;
      // A snapshot is copied for every two times its size of journal.
      const snapshotShare = (bytesOfIntervals / seconds / (2 * snapshotBytes)) * first;
      const percent = (cpuMs / seconds + snapshotShare) / 10;
      return [
        {
          what: `backup at 50 MB/s: ${filesPerSecond} files a second with ${batchesPerFile} partitions`,
          result: Math.round(percent * 1000) / 1000,
          unit: '% of a core',
          bar: atMost(1),
          detail:
            `${round(cpuMs / intervals)} ms for 5 s, ${round(bytesOfIntervals / seconds / 1024)} KiB of journal a second; ` +
            `a snapshot of ${round(snapshotBytes / MiB)} MiB takes ${round(first)} ms`,
        },
        {
          what: 'PUTs of a backup into a store that is slower than commits come',
          result: round(putsPerInterval),
          unit: 'per interval',
          bar: atMost(1),
          detail: 'a file is committed while each PUT is under way',
        },
      ];
    });
  },
};

/** Runs one interval of a backup at a time. */
class StepClock implements Clock {
  #run: (() => void) | undefined;
  #isScheduled = Promise.withResolvers<void>();

  nowMs = () => systemClock.nowMs();
  monotonicMs = () => systemClock.monotonicMs();

  /** Looks for a fence have a timer of their own. */
  after = (durationMs: number, run: () => void) => {
    if (durationMs !== intervalMs) return () => {};
    this.#run = run;
    this.#isScheduled.resolve();
    return () => {};
  };

  async interval(): Promise<void> {
    this.#isScheduled = Promise.withResolvers();
    this.#run!();
    await this.#isScheduled.promise;
  }
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
