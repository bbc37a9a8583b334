import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestStore } from '@weir/broker/testing';
import type { JobHold } from '@weir/cluster';
import { Metrics, silentLog } from '@weir/core';
import { HandClock, pause } from '@weir/core/testing';
import type { EventTopic } from './engine.ts';
import { SidecarJob } from './sidecar-job.ts';
import { SidecarShelf } from './sidecar-shelf.ts';

/** An agent whose leader the test plays. Its topics are empty, so a round only checks each of them. */
function stage(topics: EventTopic[]) {
  const clock = new HandClock();
  const store = new TestStore();
  const holds: JobHold[] = [];
  const leader = { gives: true, isAway: false };
  let rounds = 0;
  const job = new SidecarJob({
    clusterId: 'vci_1',
    agentId: 'a',
    port: {
      async holdJob(request) {
        if (leader.isAway) throw new Error('away');
        holds.push(request);
        return leader.gives;
      },
    },
    source: {
      topics: async () => topics,
      async offsetAt({ endOffset }) {
        rounds++;
        return endOffset;
      },
      async *read() {},
    },
    shelf: new SidecarShelf({ clusterId: 'vci_1', store, clock }),
    store,
    deletesFiles: true,
    clock,
    log: silentLog,
    metrics: new Metrics(),
  });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(1_000);
      await pause(0);
    }
  };
  return { job, holds, leader, pass, rounds: () => rounds };
}

const topic: EventTopic = { type: 'acl_logs', topicId: 't', startOffset: 0, endOffset: 0 };

test('the holder of the job renews it, and runs rounds at intervals', async () => {
  const { job, holds, pass, rounds } = stage([topic]);
  job.start();
  await pass(60_000);
  assert.equal(holds.length, 12, 'three times per lease');
  assert.deepEqual([holds[0]!.hasIt, holds[1]!.hasIt], [false, true]);
  assert.equal(rounds(), 2);
  await job.stop();
  await pass(60_000);
  assert.equal(holds.length, 12);
});

test('an agent without the job only asks for it again', async () => {
  const { job, holds, leader, pass, rounds } = stage([topic]);
  leader.gives = false;
  job.start();
  await pass(60_000);
  assert.equal(rounds(), 0);
  assert.ok(holds.every(({ hasIt }) => !hasIt));
  leader.gives = true;
  await pass(10_000);
  assert.equal(rounds(), 1, 'the previous holder died');
  await job.stop();
});

test('without events the job is not requested, and without a leader it is requested again', async () => {
  const topics: EventTopic[] = [];
  const { job, holds, leader, pass } = stage(topics);
  job.start();
  await pass(30_000);
  assert.equal(holds.length, 0);
  topics.push(topic);
  leader.isAway = true;
  await pass(10_000);
  leader.isAway = false;
  await pass(5_000);
  assert.equal(holds.length, 1);
  await job.stop();
});
