import { type Clock, seededRandom, silentLog } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import type { TableName } from '../src/catalogs/catalog.ts';
import { ObjectStoreCatalog } from '../src/catalogs/object-store-catalog.ts';
import { commitChange } from '../src/changes/commit-change.ts';
import { createTable, type NewTable } from '../src/changes/create-table.ts';
import { FileChange, type FileChangeParts } from '../src/changes/file-change.ts';
import type { ChangeDeps, TableChange } from '../src/changes/table-change.ts';
import { storeFiles } from '../src/files/store-files.ts';
import { snapshotOfRef } from '../src/metadata/table-metadata.ts';
import { planFiles } from '../src/scan/plan-files.ts';
import { column } from './schemas.ts';

export const root = 's3://lake/warehouse';
export const orders: TableName = { namespace: ['shop'], name: 'orders' };
export const ordersPath = `${root}/shop/orders`;

/** A clock that moves by a second whenever it is read, and whose pauses take no time; no timeout ever fires. */
function steppingClock(): Clock {
  let nowMs = Date.UTC(2026, 0, 1);
  return {
    nowMs: () => {
      nowMs += 1000;
      return nowMs;
    },
    monotonicMs: () => nowMs,
    after(delayMs, run) {
      if (delayMs >= 60_000) return () => {};
      nowMs += Math.ceil(delayMs);
      let isCancelled = false;
      queueMicrotask(() => {
        if (!isCancelled) run();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}

/** A catalog over a bucket in memory, or over another store, with what changes need. */
export class TestLake {
  readonly store: ObjectStore;
  readonly catalog: ObjectStoreCatalog;
  readonly deps: ChangeDeps;

  constructor(store: ObjectStore = emptyMemoryStore(), seed = 1, clock: Clock = steppingClock()) {
    this.store = store;
    const files = storeFiles(store, root);
    this.deps = { files, clock, random: seededRandom(seed) };
    this.catalog = new ObjectStoreCatalog({ files, root, clock, log: silentLog });
  }

  /** Another process on the same bucket. */
  another(seed: number, store: ObjectStore = this.store): TestLake {
    return new TestLake(store, seed, this.deps.clock);
  }

  create(table: Partial<NewTable> = {}) {
    const columns = [column(1, 'id!', 'long'), column(2, 'ts', 'timestamptz'), column(3, 'note', 'string')];
    return createTable(this.catalog, orders, { columns, ...table }, this.deps);
  }

  commit(change: TableChange, attemptsMax?: number) {
    return commitChange(this.catalog, orders, change, { ...this.deps, log: silentLog, attemptsMax });
  }

  change(parts: FileChangeParts) {
    return new FileChange(parts, this.deps);
  }

  /** Paths of the live data files, by their last name, in order. */
  async liveFiles(branch?: string): Promise<string[]> {
    const { metadata } = await this.catalog.load(orders);
    const { data } = await planFiles(this.deps.files, metadata, snapshotOfRef(metadata, branch));
    return data.map(({ file }) => file.path.split('/').at(-1)!).sort();
  }

  /** Keys of all objects. */
  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const page of this.store.list('')) keys.push(...page.map(({ key }) => key));
    return keys;
  }
}
