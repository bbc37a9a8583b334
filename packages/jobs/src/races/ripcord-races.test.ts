import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileSequenceLeaseMs, fileSequenceSilenceMsMax } from '@weir/cluster';
import { die, LightningStage, noPause } from '../../testing/lightning-stage.ts';

/**
 * Agents with ripcord while no control plane leads, in virtual time (ADR 0231). What was acknowledged is there in the
 * end, in the order of each connection, and nothing twice.
 */

/** A few, so that the agent leaves files to jobs. */
const fewFiles = { sealedFilesMax: 4 };

/** The leader goes, for agents and jobs alike. */
function lose(stage: LightningStage): void {
  stage.cut = stage.random.below(2) === 0 ? 'calls are lost' : 'answers are lost';
}

/** Another leader, which knows what is durable. */
function comeBack(stage: LightningStage): void {
  stage.path.cluster.failOver();
  stage.cut = 'no';
}

/** Clients write for some seconds. */
async function writeFor(stage: LightningStage, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    await stage.write(1 + stage.random.below(4));
    await stage.pass(1_000);
  }
}

/** Runs all jobs that the leader plans, until there are no more. Returns how many there were. */
async function runJobs(stage: LightningStage, before = noPause): Promise<number> {
  for (let count = 0; ; count++) {
    await stage.finishPuts(1);
    const job = await stage.claimIfAny(12);
    if (job === undefined) return count;
    await stage.replay(job, before);
  }
}

test('an agent acknowledges for as long as there is no leader, and all of it is committed in order', async () => {
  let jobs = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const stage = new LightningStage(seed, seed % 3 === 0 ? { sealedFilesMax: 1_000 } : fewFiles);
    await stage.open();
    await stage.write(stage.random.below(10));
    lose(stage);
    await stage.pass(2 * fileSequenceLeaseMs);
    const before = stage.sent.length;
    await writeFor(stage, 10 + stage.random.below(30));
    await stage.finishPuts(1);
    await stage.pass(100);
    await stage.finishPuts(1);
    const late = stage.sent.slice(before);
    const share = late.filter(({ isAcknowledged }) => isAcknowledged).length / late.length;
    assert.ok(share > 0.9, `seed ${seed}: only ${share} of ${late.length} was acknowledged without a leader`);
    comeBack(stage);
    await writeFor(stage, stage.random.below(20));
    jobs += await runJobs(stage);
    assert.equal(stage.outstanding, 0, `seed ${seed}`);
    await stage.check();
  }
  assert.ok(jobs > 10, `only ${jobs} jobs`);
});

test('requests for leases that are never answered end no acknowledgements, and nothing is lost', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const stage = new LightningStage(seed, fewFiles);
    await stage.open();
    const { store } = stage.path;
    const head = store.head.bind(store);
    store.head = (key) => (stage.random.below(3) === 0 ? new Promise(() => {}) : head(key));
    lose(stage);
    await stage.pass(2 * fileSequenceLeaseMs);
    const before = stage.sent.length;
    await writeFor(stage, 60);
    await stage.finishPuts(1);
    await stage.pass(100);
    const late = stage.sent.slice(before);
    const share = late.filter(({ isAcknowledged }) => isAcknowledged).length / late.length;
    assert.ok(share > 0.9, `seed ${seed}: only ${share} of ${late.length} was acknowledged`);
    if (seed % 2 === 0) await die(stage);
    comeBack(stage);
    if (seed % 2 === 1) await writeFor(stage, 5);
    await runJobs(stage);
    await stage.check();
  }
});

test('an outage may last longer than files are committed without a sequence', async () => {
  const stage = new LightningStage(1, fewFiles);
  await stage.open();
  lose(stage);
  for (let hours = 0; hours < 3; hours++) {
    await writeFor(stage, 5);
    await stage.finishPuts(1);
    for (let minutes = 0; minutes < 60; minutes++) await stage.pass(60_000);
  }
  comeBack(stage);
  await writeFor(stage, 5);
  assert.ok((await runJobs(stage)) > 0);
  assert.equal(stage.outstanding, 0);
  await stage.check();
});

test('an agent that dies at any of its operations, with or without a leader, loses nothing', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    for (let dying = 1; ; dying++) {
      const stage = new LightningStage(100 * seed + dying, fewFiles);
      await stage.open();
      let operations = 0;
      stage.onOperation = async () => {
        if (++operations === dying) stage.isDead = true;
      };
      lose(stage);
      await writeFor(stage, 14);
      comeBack(stage);
      await writeFor(stage, 6);
      const hasDied = stage.isDead;
      if (hasDied) await die(stage);
      await runJobs(stage);
      await stage.check();
      assert.ok(stage.sent.some(({ isAcknowledged }) => isAcknowledged));
      if (!hasDied) {
        assert.ok(dying > 40, `only ${dying} operations`);
        break;
      }
      // The later ones are alike.
      if (dying > 60) dying += stage.random.below(12);
    }
  }
});

test('a replay that ends at any of its operations is done again, and nothing is doubled', async () => {
  for (const isDead of [true, false]) {
    for (let failing = 1; ; failing++) {
      const stage = new LightningStage(failing, fewFiles);
      await stage.open();
      lose(stage);
      await writeFor(stage, 12);
      if (isDead) await die(stage);
      comeBack(stage);
      let operations = 0;
      const before = async () => {
        if (++operations === failing) throw new Error('the job ends here');
      };
      await runJobs(stage, before).catch(() => {});
      await runJobs(stage);
      await stage.check();
      if (operations < failing) break;
    }
  }
});

test('an agent that alone reaches no leader stops when its sequence is given to a job', async () => {
  let acknowledged = 0;
  for (let seed = 1; seed <= 10; seed++) {
    const stage = new LightningStage(seed, fewFiles);
    await stage.open();
    stage.cut = 'calls are lost';
    await writeFor(stage, Math.ceil(fileSequenceSilenceMsMax / 1_000));
    const job = await stage.claim();
    const before = stage.sent.length;
    await stage.replay(job, async () => {
      await stage.write(3);
      await stage.finishPuts(1);
    });
    acknowledged += stage.sent.slice(before).filter(({ isAcknowledged }) => isAcknowledged).length;
    const after = stage.sent.length;
    await stage.write(5);
    await stage.finishPuts(1);
    assert.ok(!stage.sent.slice(after).some(({ isAcknowledged }) => isAcknowledged), `seed ${seed}`);
    if (seed % 2 === 0) {
      await die(stage);
    } else {
      stage.cut = 'no';
      await writeFor(stage, 3);
    }
    await runJobs(stage);
    await stage.check();
  }
  assert.ok(acknowledged > 0, 'nothing was acknowledged while jobs ended leases');
});
