import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestStore } from '@weir/broker/testing';
import { fileSequenceSilenceMsMax } from '@weir/cluster';
import { die, LightningStage, noPause, openSequences } from '../../testing/lightning-stage.ts';

test('an agent that dies at any moment loses nothing that it acknowledged, and nothing is doubled', async () => {
  let replayed = 0;
  for (let seed = 1; seed <= 30; seed++) {
    const stage = new LightningStage(seed);
    await stage.open();
    await stage.write(stage.random.below(20));
    stage.cut = (['no', 'calls are lost', 'answers are lost'] as const)[stage.random.below(3)]!;
    await stage.write(stage.random.below(30));
    await die(stage);
    const message = await stage.replay(await stage.claim(), noPause);
    replayed += Number(/^committed (\d+)/.exec(message)![1]);
    await stage.check();
    const sequences = await openSequences(stage);
    assert.deepEqual(sequences, [], `seed ${seed}`);
  }
  assert.ok(replayed > 50, `only ${replayed} files were replayed`);
});

test('a replay that ends at any of its operations is done again, and nothing is doubled', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    for (let failing = 1; ; failing++) {
      const stage = new LightningStage(seed);
      await stage.open();
      stage.cut = 'calls are lost';
      await stage.write(10);
      await stage.finishPuts(1);
      await die(stage);
      let operations = 0;
      const isDone = await stage
        .replay(await stage.claim(), async () => {
          if (++operations === failing) throw new Error('the job ends here');
        })
        .then(
          () => true,
          () => false,
        );
      if (!isDone) await stage.replay(await stage.claim(), noPause);
      await stage.check();
      assert.ok(stage.sent.some(({ isAcknowledged }) => isAcknowledged));
      if (isDone) break;
    }
  }
});

test('files in a bucket that was taken out are committed in their order, and once', async () => {
  const stage = new LightningStage(1);
  await stage.open();
  stage.cut = 'calls are lost';
  await stage.write(30);
  await stage.finishPuts(1);
  await die(stage);
  const { objects } = stage.path.store;
  const retired = new TestStore();
  stage.retired.push(retired);
  for (const [index, key] of [...objects.keys()].entries()) {
    if (index % 3 === 0) continue;
    retired.objects.set(key, objects.get(key)!);
    // Others are there twice.
    if (index % 3 === 1) objects.delete(key);
  }
  await stage.replay(await stage.claim(), noPause);
  for (const [key, content] of retired.objects) objects.set(key, content);
  await stage.check();
  assert.ok(retired.objects.size > 3);
});

test('an agent that was cut off and comes back during the replay commits beside it', async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const stage = new LightningStage(seed);
    await stage.open();
    await stage.write(5);
    stage.cut = stage.random.below(2) === 0 ? 'calls are lost' : 'answers are lost';
    await stage.write(stage.random.below(30));
    await stage.pass(stage.random.below(30_000));
    await stage.write(stage.random.below(10));
    // While its calls arrive, the leader does not take it for silent.
    stage.cut = 'calls are lost';
    await stage.pass(fileSequenceSilenceMsMax);
    const comesBackAt = stage.random.below(8);
    let operations = 0;
    const job = await stage.claim();
    await stage.replay(job, async () => {
      if (++operations === comesBackAt) stage.cut = 'no';
      await stage.write(stage.random.below(3));
      await stage.pass(stage.random.below(6_000));
    });
    stage.cut = 'no';
    await stage.write(5);
    for (let left = 12; left > 0; left--) {
      await stage.finishPuts(1);
      await stage.pass(5_000);
    }
    await stage.check();
  }
});
