import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClaimedJob, fileCompactionKind } from '@weir/cluster';
import { type Actor, everyChoice, runInterleaved } from '@weir/core/testing';
import { deleteDelayMs, gatesAt, type Operation, RaceStage, topicTtlMs } from '../../testing/race-stage.ts';

/** A stage with files that wait to be merged, and the task to merge them. */
async function withPlannedMerge(): Promise<{ stage: RaceStage; job: ClaimedJob }> {
  const stage = await RaceStage.open();
  for (let file = 0; file < 3; file++) await stage.write();
  const job = await stage.claim(fileCompactionKind);
  assert.ok(job !== undefined);
  return { stage, job };
}

const merging =
  (stage: RaceStage, job: ClaimedJob, operations: readonly Operation[]): Actor =>
  async (gate) => {
    await stage.run(stage.kinds(gatesAt(operations, gate)).merge, job);
  };

const deleting =
  (stage: RaceStage): Actor =>
  async (gate) => {
    await stage.pass(deleteDelayMs);
    await stage.delete(gatesAt(['deleteMany'], gate));
  };

const scanning =
  (stage: RaceStage): Actor =>
  async (gate) => {
    await stage.scan(gatesAt(['declareFilesDead'], gate));
  };

interface Script {
  readonly steps: readonly ((stage: RaceStage) => Promise<void>)[];
  /** In how many orders they can run beside a merge of three steps. */
  readonly orders: number;
}

const scripts: Readonly<Record<string, Script>> = {
  'records are deleted': {
    steps: [
      (stage) => stage.deleteRecords('orders', 0, 1),
      (stage) => stage.deleteRecords('orders', 0, 3),
      (stage) => stage.deleteRecords('orders', 1, 2),
    ],
    orders: 20,
  },
  'a topic is deleted, restored, and loses records': {
    steps: [
      (stage) => stage.deleteTopic('orders'),
      (stage) => stage.restoreTopic('orders'),
      (stage) => stage.deleteRecords('orders', 0, 2),
    ],
    orders: 20,
  },
  'a topic loses records, is deleted, and expires': {
    steps: [
      (stage) => stage.deleteRecords('orders', 0, 1),
      (stage) => stage.deleteTopic('orders'),
      (stage) => stage.pass(topicTtlMs + 60_000),
    ],
    orders: 20,
  },
  'both topics are removed and their files deleted': {
    steps: [
      (stage) => stage.removeTopic('orders'),
      (stage) => stage.removeTopic('payments'),
      async (stage) => {
        await stage.pass(deleteDelayMs);
        await stage.delete();
      },
    ],
    orders: 20,
  },
  'records are written and the leader fails over': {
    steps: [
      (stage) => stage.write(),
      async (stage) => stage.cluster.failOver(),
      (stage) => stage.deleteRecords('payments', 0, 4),
    ],
    orders: 20,
  },
};

for (const [what, { steps, orders }] of Object.entries(scripts)) {
  test(`${what} while files are merged, in every order`, async () => {
    const runs = await everyChoice(async (choose) => {
      const { stage, job } = await withPlannedMerge();
      const owner: Actor = async (gate) => {
        for (const [index, step] of steps.entries()) {
          if (index > 0) await gate('goes on');
          await step(stage);
        }
      };
      const merge: Actor = async (gate) => {
        const run = merging(stage, job, ['getRange', 'replaceRanges'])(gate);
        // Its input may be gone together with the topics.
        if (what.includes('removed')) await run.catch(() => {});
        else await run;
      };
      await runInterleaved({ merge, owner }, choose, () => stage.checkReads());
      await stage.checkEnd();
    });
    assert.ok(runs >= orders, `${runs} orders`);
  });
}

test('the same files are merged twice, and deleted as soon as they may be, in every order', async () => {
  const levels = new Set<string>();
  const runs = await everyChoice(async (choose) => {
    const { stage, job } = await withPlannedMerge();
    // A late one does not find its input, and leaves everything as it is.
    const orGivesUp =
      (merge: Actor): Actor =>
      (gate) =>
        merge(gate).catch((error: Error) => assert.match(error.message, /ranges stay: /));
    const actors = {
      merge: orGivesUp(merging(stage, job, ['replaceRanges'])),
      again: orGivesUp(merging(stage, job, ['replaceRanges'])),
      deletion: deleting(stage),
    };
    await runInterleaved(actors, choose, () => stage.checkReads());
    await stage.checkEnd();
    levels.add(String((await stage.cluster.fileTotals()).levels.map(({ files }) => files)));
  });
  assert.ok(runs > 30, `${runs} orders`);
  // Whatever happens, one of the merges succeeds, and what it read is gone.
  assert.deepEqual([...levels], ['0,1']);
});

/**
 * The scan takes files that are being written for orphans, as it would with a clock that is hours ahead. Then the merge
 * is in vain, and nothing is lost.
 */
test('the output of a merge is declared dead and deleted before its commit, in every order', async () => {
  const levels = new Set<string>();
  await everyChoice(async (choose) => {
    const { stage, job } = await withPlannedMerge();
    const actors = {
      merge: merging(stage, job, ['finish', 'replaceRanges']),
      scan: scanning(stage),
      deletion: deleting(stage),
    };
    await runInterleaved(actors, choose, () => stage.checkReads());
    await stage.checkEnd();
    levels.add(String((await stage.cluster.fileTotals()).levels.map(({ files }) => files)));
  });
  assert.deepEqual([...levels].sort(), ['0,1', '3'], 'some merges are in vain, and others are not');
});
