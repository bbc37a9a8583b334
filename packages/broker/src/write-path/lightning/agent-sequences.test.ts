import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileSequenceIntervalMs, fileSequenceLeaseMs, type SequenceToKeep } from '@weir/cluster';
import { seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { ObjectStore } from '@weir/storage';
import { brokerLimits } from '../../limits.ts';
import { AgentSequences } from './agent-sequences.ts';
import { BucketLeases } from './bucket-leases.ts';

/** The sequences of an agent with ripcord, with a leader and a bucket that the test can hold. */
async function stage() {
  const clock = new HandClock();
  const calls: { readonly atMs: number; readonly sequences: readonly SequenceToKeep[] }[] = [];
  const heads: { readonly atMs: number; readonly signal: AbortSignal }[] = [];
  const state = { hasLeader: true, head: async (): Promise<undefined> => undefined };
  const store: Pick<ObjectStore, 'head'> = {
    head(_key, { signal } = {}) {
      heads.push({ atMs: clock.monotonicMs(), signal: signal! });
      return state.head();
    },
  };
  const sequences = new AgentSequences({
    agentId: 'a',
    port: () => ({
      async keepFileSequences(_agentId, wanted) {
        if (!state.hasLeader) throw new Error('there is no leader');
        assert.ok(wanted.length <= brokerLimits.sequencesPerCallMax, `${wanted.length} sequences in a call`);
        calls.push({ atMs: clock.monotonicMs(), sequences: wanted });
        return wanted.map(() => true);
      },
      async closeFileSequences() {},
    }),
    clock,
    random: seededRandom(1),
    log: silentLog,
    ripcord: {
      leases: new BucketLeases({ clusterId: 'vci_test', store, clock, log: silentLog }),
      onLeaving() {},
      onCommitted() {},
      onRenewal() {},
    },
  });
  /** Writes a file, and returns whether it may be acknowledged before its commit. */
  const write = () => {
    const own = sequences.begin();
    const isEarly = sequences.mayAcknowledge(own);
    sequences.uploaded(own);
    return { own, isEarly };
  };
  /** Writes a file in each second. Returns the times at which one could not be acknowledged. */
  const lateMs = async (seconds: number) => {
    const late: number[] = [];
    for (let left = seconds; left > 0; left--) {
      const { own, isEarly } = write();
      if (!isEarly) late.push(clock.monotonicMs());
      sequences.ended(own);
      await clock.pass(1_000);
    }
    return late;
  };
  await clock.pass(10_000);
  return { clock, calls, heads, state, sequences, write, lateMs };
}

test('an agent that waits for 150 left sequences keeps that of new files open, and asks about all', async () => {
  const { clock, calls, sequences, write, lateMs } = await stage();
  const left = new Set<string>();
  for (let n = 0; n < 150; n++) {
    const { own } = write();
    left.add(own.sequenceId);
    sequences.leave(own);
    await clock.pass(fileSequenceIntervalMs);
  }
  assert.equal(left.size, 150);
  assert.deepEqual(await lateMs(60), []);
  const sinceMs = clock.monotonicMs() - 2 * fileSequenceIntervalMs;
  const late = calls.filter(({ atMs }) => atMs > sinceMs).flatMap((call) => call.sequences);
  const asked = new Set(late.filter(({ isLeft }) => isLeft).map(({ sequenceId }) => sequenceId));
  assert.deepEqual(asked, left);
  const { own } = write();
  const inUse = late.findIndex(({ sequenceId }) => sequenceId === own.sequenceId);
  assert.equal(inUse, 0, 'the first call names it');
});

test('a request to the bucket that is never answered does not end acknowledgements', async () => {
  const { clock, heads, state, lateMs } = await stage();
  state.hasLeader = false;
  await lateMs(30);
  let hanging = 3;
  state.head = () => (hanging-- > 0 ? new Promise(() => {}) : Promise.resolve(undefined));
  const before = heads.length;
  assert.deepEqual(await lateMs(60), []);
  assert.ok(hanging < 0);
  const stuck = heads.slice(before, before + 4);
  assert.deepEqual(
    stuck.map(({ atMs }) => atMs - stuck[0]!.atMs),
    [0, 1_000, 2_000, 3_000],
  );
  assert.ok(
    stuck.every(({ signal }) => signal.aborted),
    'those that hang are given up after the answer',
  );
  const { length } = heads;
  await clock.pass(60_000);
  assert.ok(heads.length - length < 31, `${heads.length - length} requests in a minute`);
});

test('a lease lasts from the request that was answered, and none begins without an answer', async () => {
  const { clock, heads, state, sequences, write, lateMs } = await stage();
  state.hasLeader = false;
  await lateMs(30);
  const answers: (() => void)[] = [];
  state.head = () => new Promise((resolve) => answers.push(() => resolve(undefined)));
  const before = heads.length;
  await clock.pass(3 * fileSequenceLeaseMs);
  const { own, isEarly } = write();
  assert.equal(isEarly, false);
  // The oldest that still runs.
  const running = heads.findIndex(({ signal }, index) => index >= before && !signal.aborted);
  answers[running - before]!();
  await clock.pass(0);
  const untilMs = heads[running]!.atMs + fileSequenceLeaseMs;
  const leftMs = untilMs - clock.monotonicMs();
  assert.ok(leftMs > 0 && leftMs < fileSequenceLeaseMs);
  await clock.pass(leftMs - 1);
  assert.equal(sequences.mayAcknowledge(own), true);
  await clock.pass(1);
  assert.equal(sequences.mayAcknowledge(own), false);
});

test('an agent does not wait for a slow bucket longer than before', async () => {
  const { clock, state, lateMs } = await stage();
  state.hasLeader = false;
  await lateMs(30);
  // Each answer takes longer than the time after which another request follows.
  state.head = () =>
    new Promise((resolve) => {
      clock.after(2_500, () => resolve(undefined));
    });
  assert.deepEqual(await lateMs(60), []);
});
