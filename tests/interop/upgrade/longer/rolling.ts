/**
 * An earlier release is replaced by this one and this one by the earlier one, process by process, while clients write,
 * read, commit offsets and copy in transactions. What they saw is checked as in `npm run test:faults`.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { systemClock } from '@weir/core';
import { journalFormat } from '../../../../packages/journal/src/format.ts';
import { FaultCluster } from '../../../faults/cluster/cluster.ts';
import { ownProgram } from '../../../faults/cluster/weir-process.ts';
import { checkHistory } from '../../../faults/history/check-history.ts';
import { Recorder } from '../../../faults/history/recorder.ts';
import { startStreams, startTransactions, type Workload } from '../../../faults/workloads/workloads.ts';
import { startPostgres } from '../../postgres/server.ts';
import {
  type EarlierRelease,
  formatOf,
  missingHistory,
  releaseOfEarlierFormat,
  releaseOfSameFormat,
} from '../earlier-release.ts';

const skip = missingHistory();
/** How long producers have records for. Transactions go on until the end, so that there is always load. */
const producedMs = 30_000;
const withinMs = 120_000;
/** A process that is killed and started again at once may lead again before the other one does. */
const killedForMs = 20_000;
const agentCount = 3;
const controlPlaneCount = 2;
const seed = 42;

let sameFormat: EarlierRelease;
let earlierFormat: EarlierRelease;
before(() => {
  if (skip !== false) return;
  sameFormat = releaseOfSameFormat();
  earlierFormat = releaseOfEarlierFormat();
});

interface Upgraded {
  readonly cluster: FaultCluster;
  /** Replaces a process, and waits until clients of each kind went on after it. */
  replace(kind: 'agent' | 'control plane', slot: number, program: string): Promise<void>;
  /** Kills the leader, so that another process leads. */
  killLeader(): Promise<void>;
  /** Control planes, standbys first. */
  standbysFirst(): Promise<readonly number[]>;
}

/** Runs clients, does the work, and checks what they saw. */
async function underLoad(
  from: EarlierRelease,
  options: { readonly databaseUrl?: string },
  work: (upgraded: Upgraded) => Promise<void>,
): Promise<void> {
  const cluster = new FaultCluster({
    seed,
    agentCount,
    controlPlaneCount,
    program: from.program,
    ...options,
  });
  const recorder = new Recorder(systemClock);
  const workloads: Workload[] = [];
  let problem: unknown;
  const progress = async (after: string) => {
    const seen = recorder.events.length;
    const has = (type: string) => recorder.events.slice(seen).some((event) => event.type === type);
    // A transaction needs producers, coordinators and commits, its reader files and the change stream.
    await cluster.until(() => has('committed') && has('read'), withinMs, `clients go on after ${after}`);
  };
  const leader = async () => {
    const seen: { slot?: number | undefined } = {};
    const isFound = async () => {
      seen.slot = await cluster.leader();
      return seen.slot !== undefined;
    };
    await cluster.until(isFound, withinMs, 'there is a leader');
    return seen.slot!;
  };
  try {
    await cluster.start();
    for (const start of [startStreams, startTransactions])
      workloads.push(await start({ cluster, recorder, troubleMs: producedMs }));
    await progress('the start');
    await work({
      cluster,
      async replace(kind, slot, program) {
        await cluster.replace(kind, slot, program);
        await progress(`${kind} ${slot} was replaced`);
      },
      async killLeader() {
        const slot = await leader();
        cluster.kill('control plane', slot, killedForMs);
        await cluster.until(
          async () => ![slot, undefined].includes(await cluster.leader()),
          withinMs,
          'another leads',
        );
        await progress(`control plane ${slot} was killed`);
        await cluster.until(() => cluster.isUp('control plane', slot), withinMs, 'it is back');
      },
      async standbysFirst() {
        const leading = await leader();
        const others = Array.from({ length: controlPlaneCount }, (_, slot) => slot);
        return [...others.filter((slot) => slot !== leading), leading];
      },
    });
    await cluster.heal(withinMs);
    for (const workload of workloads) await workload.finish(withinMs);
  } catch (error) {
    problem = error;
  } finally {
    for (const workload of workloads) workload.stop();
  }
  const report = cluster.report();
  await cluster.end();
  const { findings, acknowledged, transactionsCommitted } = checkHistory(
    recorder.events,
    problem === undefined,
  );
  if (problem === undefined && findings.length === 0) {
    assert.ok(acknowledged > 0 && transactionsCommitted > 0);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'weir-upgrade-'));
  writeFileSync(join(folder, 'report.txt'), report);
  writeFileSync(
    join(folder, 'history.jsonl'),
    recorder.events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  );
  const found = findings.slice(0, 10).map(({ defect, detail }) => `${defect}: ${detail}`);
  assert.fail(
    [String(problem ?? 'the history is wrong'), ...found, `logs and history: ${folder}`].join('\n'),
  );
}

const slots = Array.from({ length: agentCount }, (_, slot) => slot);

async function upgrade({ replace, standbysFirst }: Upgraded): Promise<void> {
  for (const slot of await standbysFirst()) await replace('control plane', slot, ownProgram);
  for (const slot of slots) await replace('agent', slot, ownProgram);
}

/** As docs/operate/upgrade.md has it. */
async function rollBack({ replace, standbysFirst }: Upgraded, { program }: EarlierRelease): Promise<void> {
  for (const slot of slots) await replace('agent', slot, program);
  for (const slot of await standbysFirst()) await replace('control plane', slot, program);
}

test('a release with the same format of the journal: there and back, over PostgreSQL', {
  skip,
}, async (t) => {
  assert.equal(formatOf(sameFormat), journalFormat);
  const database = await startPostgres();
  if ('missing' in database) return t.skip(database.missing);
  t.after(() => database.stop());
  await underLoad(sameFormat, { databaseUrl: database.url }, async (upgraded) => {
    await upgrade(upgraded);
    await rollBack(upgraded, sameFormat);
  });
});

test('while releases are mixed, either of them leads after the other', { skip }, async () => {
  await underLoad(sameFormat, {}, async (upgraded) => {
    const [standby] = await upgraded.standbysFirst();
    await upgraded.replace('control plane', standby!, ownProgram);
    await upgraded.replace('agent', 0, ownProgram);
    await upgraded.killLeader();
    await upgraded.killLeader();
  });
});

test('a release with an earlier format: there, and back with agents alone', { skip }, async () => {
  assert.ok(formatOf(earlierFormat) < journalFormat);
  await underLoad(earlierFormat, {}, async (upgraded) => {
    await upgrade(upgraded);
    for (const slot of slots) await upgraded.replace('agent', slot, earlierFormat.program);
    await upgraded.replace('agent', 0, ownProgram);
  });
});
