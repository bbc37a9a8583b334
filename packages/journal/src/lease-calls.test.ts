import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { LeaseCalls } from './lease-calls.ts';
import { MemoryDatabase, MemoryTables } from './memory-tables.ts';

/** Tables in memory that know which processes are gone, and count calls. */
class WatchedTables extends MemoryTables {
  headCalls = 0;
  renewalCalls = 0;
  lookups: string[] = [];
  readonly gone = new Set<string>();

  override heads(clusterIds: readonly string[]) {
    this.headCalls++;
    return super.heads(clusterIds);
  }

  override renewLeases(leases: Parameters<MemoryTables['renewLeases']>[0]) {
    this.renewalCalls++;
    return super.renewLeases(leases);
  }

  isGone(processId: string): boolean {
    this.lookups.push(processId);
    return this.gone.has(processId);
  }
}

const clusterIds = Array.from({ length: 100 }, (_, number) => `vci_${number}`);

async function held() {
  const tables = new WatchedTables(new MemoryDatabase());
  for (const [number, clusterId] of clusterIds.entries()) {
    const holder = { id: number % 2 === 0 ? 'even' : 'odd', url: 'http://x' };
    await tables.takeLease({ clusterId, epoch: 0, renewal: 0, holder, ttlMs: 3_000 });
  }
  return { tables, calls: new LeaseCalls(tables, new HandClock()) };
}

test('concurrent calls of a hundred clusters are one call', async () => {
  const { tables, calls } = await held();
  const heads = await Promise.all(clusterIds.map((clusterId) => calls.head(clusterId)));
  assert.equal(tables.headCalls, 1);
  assert.equal(heads[1]!.holder!.id, 'odd');
  const renewed = await Promise.all(
    clusterIds.map((clusterId, number) => calls.renew({ clusterId, epoch: number === 5 ? 0 : 1 })),
  );
  assert.equal(tables.renewalCalls, 1);
  assert.deepEqual(
    renewed,
    clusterIds.map((_, number) => number !== 5),
  );
});

test('whether a process is gone is looked up once for all rows of a call, and again with the next', async () => {
  const { tables, calls } = await held();
  const goneOf = async () => {
    const heads = await Promise.all(clusterIds.map((clusterId) => calls.head(clusterId)));
    return heads.filter((head) => head.isHolderGone()).length;
  };
  assert.equal(await goneOf(), 0);
  tables.gone.add('odd');
  assert.equal(await goneOf(), 50);
  assert.deepEqual(tables.lookups, ['even', 'odd', 'even', 'odd']);
  tables.gone.clear();
  assert.equal(await goneOf(), 0, 'it was restarted under its name');
});
