import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { fileCommit } from '@weir/cluster/testing';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { openJournals } from '@weir/journal';
import { SharingProcess, type SharingProcessOptions } from '../../../testing/sharing-process.ts';
import { rendezvousRank } from './rendezvous.ts';

const clusterIds = Array.from({ length: 24 }, (_, number) => `vci_${number}`);

/** The clusters that a process should lead. */
function partOf(id: string, among: readonly string[]): string[] {
  return clusterIds.filter((clusterId) => rendezvousRank(clusterId, id, among) === 0);
}

/** Processes over one database in memory, on a manual clock. */
function world(t: TestContext) {
  const clock = new HandClock();
  const databaseUrl = `memory://${randomUUID()}`;
  const started: SharingProcess[] = [];
  t.after(() => {
    for (const one of started) one.kill();
  });
  async function start(id: string, options: Partial<SharingProcessOptions> = {}): Promise<SharingProcess> {
    const one = new SharingProcess({
      id,
      clusterIds,
      world: clock,
      open: (own) => openJournals(databaseUrl, { clock: own, log: silentLog }),
      announceMs: 2_000,
      ...options,
    });
    started.push(one);
    await one.start();
    return one;
  }
  return { clock, start };
}

test('a single process leads everything at once', async (t) => {
  const { clock, start } = world(t);
  const a = await start('a');
  await clock.pass(50);
  assert.deepEqual(a.led(), clusterIds);
});

test('a joining process gets its part after a while, a few at a time, and nothing is lost', async (t) => {
  const { clock, start } = world(t);
  const a = await start('a');
  await clock.pass(50);
  const topicIds = new Map<string, string>();
  for (const clusterId of clusterIds) {
    const node = a.nodes.get(clusterId)!;
    const topics = [{ name: 't', partitionCount: 1, configs: {} }];
    const [created] = await node.createTopics(topics, { validateOnly: false });
    const { topicId } = created!.topic!;
    await node.commitFiles([fileCommit(1, topicId, [{ partition: 0, recordCount: 3 }])]);
    topicIds.set(clusterId, topicId);
  }
  const b = await start('b');
  const whole = partOf('b', ['a', 'b']);
  assert.ok(whole.length > 8, 'more than are handed over at once');
  await clock.pass(29_000);
  assert.deepEqual(b.led(), [], 'the new process may leave again in a moment');
  await clock.pass(4_000);
  assert.equal(b.led().length, 8);
  assert.equal(a.led().length, clusterIds.length - 8);
  await clock.pass(60_000);
  assert.deepEqual(b.led(), whole);
  assert.deepEqual(a.led(), partOf('a', ['a', 'b']));
  for (const clusterId of whole) {
    const question = { topicId: topicIds.get(clusterId)!, partition: 0, offset: 0, bytesMax: 1 };
    const [answer] = await b.nodes.get(clusterId)!.findBatches([question]);
    assert.equal(answer!.nextOffset, 3);
  }
});

test('two processes that start together each lead their part from the start', async (t) => {
  const { clock, start } = world(t);
  const [a, b] = await Promise.all([start('a'), start('b')]);
  await clock.pass(100);
  assert.deepEqual(a.led(), partOf('a', ['a', 'b']));
  assert.deepEqual(b.led(), partOf('b', ['a', 'b']));
});

/** Two processes that share the clusters, each with its part. */
async function sharing(t: TestContext) {
  const { clock, start } = world(t);
  const a = await start('a');
  const b = await start('b');
  await clock.pass(120_000);
  assert.deepEqual(a.led(), partOf('a', ['a', 'b']));
  assert.deepEqual(b.led(), partOf('b', ['a', 'b']));
  return { clock, start, a, b };
}

test('the clusters of a killed process are taken over when its leases expire, without grace time for the dead one', async (t) => {
  const { clock, a, b } = await sharing(t);
  a.kill();
  await clock.pass(3_400);
  assert.deepEqual(b.led(), clusterIds);
});

test('the clusters of a stopping process are taken over at once', async (t) => {
  const { clock, a, b } = await sharing(t);
  const stopped = a.stop();
  await clock.pass(100);
  await stopped;
  assert.deepEqual(b.led(), clusterIds);
});

test('the third process takes only what the second does not', async (t) => {
  const { clock, start, a, b } = await sharing(t);
  const c = await start('c');
  await clock.pass(120_000);
  assert.deepEqual(c.led(), partOf('c', ['a', 'b', 'c']));
  a.kill();
  await clock.pass(3_400);
  assert.deepEqual(b.led(), partOf('b', ['b', 'c']));
  assert.deepEqual(c.led(), partOf('c', ['b', 'c']));
});

test('a cluster that the better process does not take returns, and is handed over ever more rarely', async (t) => {
  const { clock, start } = world(t);
  const stray = partOf('b', ['a', 'b'])[0]!;
  const a = await start('a', { clusterIds: [stray] });
  await clock.pass(50);
  // It is alive, and has none of the clusters.
  await start('b', { clusterIds: [] });
  const terms: number[] = [];
  a.nodes.get(stray)!.onRole((role) => {
    if (role === 'leader') terms.push(Math.round(clock.monotonicMs() / 1_000));
  });
  await clock.pass(600_000);
  assert.deepEqual(a.led(), [stray]);
  const pauses = terms.map((term, index) => term - (terms[index - 1] ?? 0));
  assert.equal(terms.length, 4, String(terms));
  for (const [index, pause] of pauses.entries())
    if (index > 0) assert.ok(pause > 1.8 * pauses[index - 1]!, String(pauses));
});

test('clusters are led in the region that they prefer, and return there', async (t) => {
  const { clock, start } = world(t);
  const regionsOf = () => ['east', 'west'];
  const west = await start('w', { region: 'west', regionsOf });
  await clock.pass(50);
  assert.deepEqual(west.led(), clusterIds, 'while no other region has a process');
  const east = await start('e1', { region: 'east', regionsOf });
  const alsoEast = await start('e2', { region: 'east', regionsOf });
  const elsewhere = await start('x', { region: 'south', regionsOf });
  await clock.pass(240_000);
  const inEast = ['e1', 'e2'];
  const spread = () => [east.led(), alsoEast.led(), west.led(), elsewhere.led()];
  assert.deepEqual(spread(), [partOf('e1', inEast), partOf('e2', inEast), [], []]);
  east.kill();
  alsoEast.kill();
  await clock.pass(6_000);
  assert.deepEqual([west.led(), elsewhere.led()], [clusterIds, []], 'the next region of the list');
  const again = await start('e3', { region: 'east', regionsOf });
  await clock.pass(240_000);
  assert.deepEqual([again.led(), west.led()], [clusterIds, []]);
});

test('a process whose neighbour in the region died leads before other regions do', async (t) => {
  const { clock, start } = world(t);
  const regionsOf = () => ['east'];
  const [first, second, west] = await Promise.all([
    start('e1', { region: 'east', regionsOf }),
    start('e2', { region: 'east', regionsOf }),
    start('w', { region: 'west', regionsOf }),
  ]);
  await clock.pass(120_000);
  assert.deepEqual([...first.led(), ...second.led()].sort(), [...clusterIds].sort());
  first.kill();
  await clock.pass(4_000);
  assert.deepEqual([second.led(), west.led()], [clusterIds, []]);
});
