import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { fileCommit } from '@weir/cluster/testing';
import { type Clock, seededRandom, systemClock } from '@weir/core';
import type { JournalHub } from '@weir/journal';
import type { ClusterNode } from '../src/leader/cluster-node.ts';
import { nodeIn } from './control-planes.ts';
import { sleep, until, untilServed } from './real-time.ts';
import { SimulatedProcess } from './simulated-process.ts';

/** Ten times as fast as in production, so that the test is short. */
const timing = {
  leaseTtlMs: 300,
  leaseRenewalMs: 100,
  standbyPollMs: 50,
  retryMs: 10,
};

/**
 * Two nodes over one real database, in real time: the leader is killed with commits in flight, its callers turn to the
 * other, and every file exists once.
 */
export async function failoverOverRealTime(open: (clock: Clock) => JournalHub): Promise<void> {
  const clusterId = randomUUID();
  const random = seededRandom(1);
  const machines = ['a', 'b'].map((id) => {
    const process = new SimulatedProcess(systemClock, random);
    const hub = open(process.clock);
    const node = nodeIn(process, hub.journal(clusterId), id, { clusterId, timing });
    return { process, hub, node };
  });
  try {
    await killTheLeader(machines);
  } finally {
    for (const { process, node, hub } of machines) {
      if (process.isAlive) await node.stop();
      await hub.close();
    }
  }
}

interface Machine {
  readonly process: SimulatedProcess;
  readonly node: ClusterNode;
}

async function killTheLeader(machines: readonly Machine[]): Promise<void> {
  const [first, second] = machines as [Machine, Machine];
  first.node.start();
  await until(() => first.node.role === 'leader');
  second.node.start();
  const topics = [{ name: 't', partitionCount: 1, configs: {} }];
  await untilServed(() => first.node.createTopics(topics, { validateOnly: false }));
  const [created] = await untilServed(() => first.node.describeTopics([{ name: 't' }]));
  const { topicId } = created!;

  const offsets = new Set<number>();
  let acknowledged = 0;
  const fileCount = 200;
  const commits = Array.from({ length: fileCount }, async (_, number) => {
    const file = fileCommit(number, topicId, [{ partition: 0, recordCount: 1 }]);
    await sleep(number);
    for (;;) {
      for (const { node } of machines) {
        // A killed process never answers.
        const result = await Promise.race([node.commitFiles([file]), sleep(500)]).catch(() => undefined);
        if (result === undefined) continue;
        offsets.add(result[0]!.baseOffset[0]!);
        if (++acknowledged === fileCount / 2) first.process.kill();
        return;
      }
      await sleep(10);
    }
  });
  await Promise.all(commits);
  await until(() => second.node.role === 'leader');
  const [answer] = await untilServed(() =>
    second.node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]),
  );
  assert.equal(answer!.nextOffset, fileCount, 'every file is there once');
  assert.equal(offsets.size, fileCount, 'no offset was given twice');
}
