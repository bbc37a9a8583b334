import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Actor, everyChoice, runInterleaved } from '@weir/core/testing';
import { deleteDelayMs, gatesAt, RaceStage } from '../../testing/race-stage.ts';

type Fate = 'arrives' | 'is lost' | 'loses its answer';

const fates: readonly Fate[] = ['arrives', 'is lost', 'loses its answer'];

/** The scan takes every file that is not committed for an orphan, however young it is. */
for (const fate of fates) {
  test(`files are committed, declared dead and deleted in every order, and the first commit ${fate}`, async () => {
    const ends = new Set<string>();
    await everyChoice(async (choose) => {
      const stage = await RaceStage.open();
      await stage.write();
      let commits = 0;
      const actors: Record<string, Actor> = {
        producer: async (gate) => {
          stage.gateCommits(async () => {
            if (++commits > 1) return 'arrives';
            await gate('commits');
            return fate;
          });
          await stage.writePatiently('orders');
        },
        scan: (gate) => stage.scan(gatesAt(['declareFilesDead'], gate)),
        deletion: async (gate) => {
          await stage.pass(deleteDelayMs);
          await stage.delete(gatesAt(['deleteMany'], gate));
        },
      };
      await runInterleaved(actors, choose, () => stage.checkReads('one more'));
      await stage.checkEnd();
      ends.add(`${commits} commits`);
    });
    // A file that was declared dead is refused, and its records are written and committed again.
    const usual = fate === 'arrives' ? 1 : 2;
    assert.ok(ends.has(`${usual} commits`) && ends.has(`${usual + 1} commits`), [...ends].join());
  });
}
