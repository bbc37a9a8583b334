import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Metrics, silentLog, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { type Journal, openJournals } from '@weir/journal';
import { ClusterNode } from '@weir/metadata';
import type { SimulatedProcess } from '@weir/metadata/testing';
import { dropMemoryBucket, openStore } from '@weir/storage';
import { type FaultyStore, faultyStore } from '@weir/storage/testing';
import { backupMetrics } from '../src/backup/backup-metrics.ts';
import { ClusterBackup } from '../src/backup/cluster-backup.ts';
import type { RestoreAdvance } from '../src/backup/read-backup.ts';
import { restoreCluster } from '../src/backup/restore-cluster.ts';
import { oneBatchFile } from './one-batch-file.ts';

export const clusterId = 'vci_test';
export const intervalMs = 5_000;

type BackedUpJournal = ConstructorParameters<typeof ClusterBackup>[0]['journal'];

/** One bucket and the databases around it, in virtual time. */
export class BackupStage {
  readonly clock: HandClock;
  readonly metrics = new Metrics();
  readonly store: FaultyStore;
  #fileNumber = 0;

  private constructor(clock: HandClock, store: FaultyStore) {
    this.clock = clock;
    this.store = store;
  }

  static async open(t: TestContext): Promise<BackupStage> {
    const name = randomUUID();
    const clock = new HandClock();
    const deps = { clock, random: systemRandom, environment: {}, log: silentLog, metrics: new Metrics() };
    const store = await openStore(`mem://${name}`, deps);
    t.after(() => dropMemoryBucket(name));
    return new BackupStage(clock, faultyStore(store, {}, deps));
  }

  hub(databaseUrl: string) {
    return openJournals(databaseUrl, { clock: this.clock, log: silentLog });
  }

  /** A control-plane process of a database, with backups. */
  async serve(
    t: TestContext,
    databaseUrl: string,
    id = 'one',
    snapshotBytesMin = 1e9,
    journalOf = (journal: Journal): BackedUpJournal => journal,
    process?: Pick<SimulatedProcess, 'clock' | 'journal'>,
    backupMs = intervalMs,
  ) {
    const hub = this.hub(databaseUrl);
    const journal = hub.journal(clusterId);
    const node = new ClusterNode({
      clusterId,
      journal: process === undefined ? journal : process.journal(journal),
      self: { id, url: `http://${id}` },
      clock: process?.clock ?? this.clock,
      log: silentLog,
      metrics: this.metrics,
      snapshotBytesMin,
    });
    const backup = new ClusterBackup({
      clusterId,
      node,
      journal: journalOf(journal),
      store: this.store,
      intervalMs: backupMs,
      clock: process?.clock ?? this.clock,
      log: silentLog,
      metrics: backupMetrics(this.metrics, clusterId),
    });
    node.start();
    const stop = async () => {
      await this.clock.until(backup.end().then(() => node.stop()));
    };
    t.after(() => hub.close());
    return { node, stop };
  }

  async leader(t: TestContext, databaseUrl: string, id?: string, snapshotBytesMin?: number) {
    const served = await this.serve(t, databaseUrl, id, snapshotBytesMin);
    assert.ok(await this.clock.pass(60_000, () => served.node.role === 'leader'));
    return served;
  }

  async createTopic(node: ClusterNode, name: string): Promise<string> {
    const [made] = await node.createTopics([{ name, partitionCount: 1, configs: {} }], {
      validateOnly: false,
    });
    assert.equal(made!.error, 'NONE');
    return made!.topic!.topicId;
  }

  async commit(node: ClusterNode, topicId: string, count = 1): Promise<void> {
    for (let left = count; left > 0; left--)
      await node.commitFiles([oneBatchFile(++this.#fileNumber, topicId, 0, 10)]);
  }

  /** Restores into a new database, while time passes. */
  async restore(databaseUrl: string, steps: string[] = [], advances: RestoreAdvance[] = []) {
    const hub = this.hub(databaseUrl);
    const { clock, store } = this;
    const restored = restoreCluster({
      clusterId,
      store,
      hub,
      clock,
      fenceMs: 4 * intervalMs,
      onStep: (line) => steps.push(line),
      onAdvance: (advance) => advances.push(advance),
    });
    return clock.until(restored.finally(() => hub.close()));
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const page of this.store.list('')) for (const { key } of page) keys.push(key);
    return keys;
  }
}

export const freshDatabase = () => `memory://${randomUUID()}`;

export async function endOffset(node: ClusterNode, topicId: string): Promise<number> {
  const [found] = await node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
  assert.equal(found!.error, 'NONE');
  return found!.nextOffset;
}
