import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatabaseWork, LeaderWork } from '@weir/api/capacity';
import {
  type Costs,
  databaseCosts,
  leaderCosts,
  type Measured,
  outlookOf,
  predict,
  sizeAtShare,
} from './scale-out/model.ts';

const leaderOf: LeaderWork = {
  files: 100e-6,
  batches: 2e-6,
  appends: 200e-6,
  pushes: 10e-6,
  pushedPointers: 0.1e-6,
  heartbeats: 50e-6,
  listedAgents: 1e-6,
  seconds: 0.01,
};
const databaseOf: DatabaseWork = { appends: 150e-6, journalMb: 0.01, seconds: 0.005 };

function costs<Kinds extends object>(of: Kinds): Costs<Kinds> {
  return { of, ranges: {}, residual: 0 } as unknown as Costs<Kinds>;
}

const measured: Measured = {
  leader: costs(leaderOf),
  database: costs(databaseOf),
  agentPerGb: 4,
  agentPerPointer: 1e-6,
  appendMs: 2,
  journalBytesPerFile: 40,
  journalBytesPerBatch: 10,
  pushedBytesPerPointer: 50,
  listedPerPair: 1,
};

const cluster = { mbPerSecond: 1_000, agents: 20, partitions: 2_000, fileMs: 250, fileMb: 16, batchKb: 32 };

test('costs of leader and database are found from loads that differ', () => {
  const kinds = Object.keys(leaderOf) as (keyof LeaderWork)[];
  const loads = Array.from({ length: 14 }, (_, load): LeaderWork => {
    const counts = kinds.map((kind, column) => [kind, ((load + 2) ** (column + 2) * 7919) % 1009]);
    return { ...(Object.fromEntries(counts) as unknown as LeaderWork), seconds: 5 };
  });
  const cpu = loads.map((load) => predict(costs(leaderOf), load));
  const found = leaderCosts(loads, cpu);
  for (const kind of kinds) {
    assert.ok(Math.abs(found.of[kind] / leaderOf[kind] - 1) < 1e-3, `${kind}: ${found.of[kind]}`);
    assert.ok(found.ranges[kind][0] <= found.of[kind] * 1.001);
  }
  const database: DatabaseWork[] = [
    { appends: 100, journalMb: 1, seconds: 5 },
    { appends: 1_000, journalMb: 3, seconds: 5 },
    { appends: 50, journalMb: 9, seconds: 5 },
    { appends: 0, journalMb: 0, seconds: 5 },
  ];
  const { of } = databaseCosts(
    database,
    database.map((load) => predict(costs(databaseOf), load)),
  );
  assert.ok(Math.abs(of.journalMb / databaseOf.journalMb - 1) < 1e-6);
});

test('rates follow from the size of a cluster', () => {
  const outlook = outlookOf(cluster, measured);
  // 50 MB/s per agent fit in four files of 12.5 MB.
  assert.equal(outlook.filesPerSecond, 80);
  assert.equal(outlook.batchesPerSecond, 31_250);
  // 391 batches fall on 100 partitions: nearly each has one.
  const pointersPerFile = outlook.pointersPerSecond / outlook.filesPerSecond;
  assert.ok(pointersPerFile > 97 && pointersPerFile < 100, String(pointersPerFile));
  assert.ok(outlook.appendsPerSecond < 80 && outlook.appendsPerSecond > 60);
  assert.equal(outlook.journalMbPerSecond, (80 * 40 + 31_250 * 10) / 1e6);
  assert.ok(Math.abs(outlook.shares['leader thread'] - 0.14) < 0.02, String(outlook.shares['leader thread']));
  assert.equal(outlook.first, 'agent core');
  assert.ok(Math.abs(outlook.pointerGbPerDay / outlook.pointersPerSecond / 86_400 - 37e-9) < 1e-15);
  // Written at all agents, every batch is a pointer of its own.
  const spread = outlookOf({ ...cluster, isSpread: true }, measured);
  assert.ok(spread.pointersPerSecond > 3 * outlook.pointersPerSecond);
  // Files that would become too large are written earlier.
  assert.equal(outlookOf({ ...cluster, fileMs: 1_000 }, measured).filesPerSecond, 1_000 / 16);
  // No more pointers than batches.
  const few = outlookOf({ ...cluster, partitions: 20_000_000 }, measured);
  assert.ok(few.pointersPerSecond <= few.batchesPerSecond);
});

test('group commit bounds the appends by their duration', () => {
  const { appendsPerSecond } = outlookOf({ ...cluster, fileMs: 1 }, measured);
  assert.ok(appendsPerSecond < 500, String(appendsPerSecond));
});

test('the size at which the leader is full takes that share', () => {
  const full = sizeAtShare(cluster, measured, 'leader thread', 0.7);
  assert.ok(Math.abs(outlookOf(full, measured).shares['leader thread'] - 0.7) < 1e-6);
  assert.equal(full.mbPerSecond / full.agents, 50);
  assert.ok(full.agents > 20);
});
