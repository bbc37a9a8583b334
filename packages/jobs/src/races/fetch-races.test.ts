import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Actor, everyChoice, runInterleaved } from '@weir/core/testing';
import { deleteDelayMs, noTopicCode, offsetOutOfRangeCode, RaceStage } from '../../testing/race-stage.ts';

const everything = ['0 record 0', '1 record 1', '2 record 2'];

async function deleteFiles(stage: RaceStage): Promise<void> {
  const before = stage.fileKeys.length;
  await stage.pass(deleteDelayMs);
  assert.ok(await stage.delete(), 'files are deleted');
  assert.ok(stage.fileKeys.length < before);
}

interface Rival {
  readonly steps: readonly ((stage: RaceStage) => Promise<unknown>)[];
  /** What a reader of all records may get, apart from all of them. */
  readonly outcomes: readonly (number | readonly string[])[];
}

const rivals: Readonly<Record<string, Rival>> = {
  'files are merged and deleted': {
    steps: [(stage) => stage.merge(), deleteFiles],
    outcomes: [],
  },
  'files are merged and deleted, and the agent learns of it late': {
    steps: [
      async (stage) => {
        stage.cluster.holdChanges();
        await stage.merge();
      },
      deleteFiles,
      async (stage) => stage.cluster.releaseChanges(),
    ],
    outcomes: [],
  },
  'records and their files are deleted': {
    steps: [
      async (stage) => {
        for (const topic of ['orders', 'payments'] as const)
          for (const partition of [0, 1]) await stage.deleteRecords(topic, partition, 3);
      },
      deleteFiles,
    ],
    outcomes: [offsetOutOfRangeCode],
  },
  'topics and their files are removed': {
    steps: [(stage) => stage.removeTopic('orders'), (stage) => stage.removeTopic('payments'), deleteFiles],
    outcomes: [noTopicCode],
  },
  'a topic is deleted, its files are merged and deleted, and it is restored': {
    steps: [
      (stage) => stage.deleteTopic('orders'),
      (stage) => stage.merge(),
      (stage) => stage.restoreTopic('orders'),
      deleteFiles,
    ],
    outcomes: [noTopicCode],
  },
};

for (const [what, { steps, outcomes }] of Object.entries(rivals)) {
  test(`${what} while a client reads, in every order`, async () => {
    const seen = new Set<string>();
    let waits = 0;
    await everyChoice(async (choose) => {
      const stage = await RaceStage.open();
      for (let file = 0; file < 3; file++) await stage.write();
      const allowed = [everything, ...outcomes].map((outcome) => JSON.stringify(outcome));
      let waitsNow = 0;
      const reader: Actor = async (gate) => {
        stage.beforeRead = () => {
          // Pages that are read ahead wait together with the first.
          if (++waitsNow > 1) return;
          return gate('getRange');
        };
        stage.cluster.around = async (name, proceed) => {
          if (name === 'findBatches') await gate('findBatches');
          return proceed();
        };
        const found = JSON.stringify(await stage.read('orders', 0, 0));
        stage.beforeRead = () => {};
        stage.cluster.around = (_, proceed) => proceed();
        assert.ok(allowed.includes(found), found);
        seen.add(found);
      };
      const rival: Actor = async (gate) => {
        for (const [index, step] of steps.entries()) {
          if (index > 0) await gate('goes on');
          await step(stage);
        }
      };
      await runInterleaved({ reader, rival }, choose);
      await stage.checkEnd();
      waits = Math.max(waits, waitsNow);
    });
    for (const outcome of [everything, ...outcomes])
      assert.ok(seen.has(JSON.stringify(outcome)), `${JSON.stringify(outcome)} was never seen`);
    assert.ok(waits > 0);
  });
}
