import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '@weir/core';
import type { JournalHub } from '@weir/journal';
import { rendezvousRank } from '../src/leader/load-sharing/rendezvous.ts';
import { until, untilServed } from './real-time.ts';
import { SharingProcess } from './sharing-process.ts';

/** Ten times as fast as in production, so that the test is short. */
const timing = { leaseTtlMs: 600, leaseRenewalMs: 100, standbyPollMs: 50, retryMs: 10 };
const sharing = { graceMs: 200, handoverDelayMs: 500, handoversPerCheckMax: 16 };

/**
 * Two processes over one real database, in real time: the first leads everything, the second gets its part, and when
 * the first is killed the second leads everything.
 */
export async function sharingOverRealTime(open: (clock: Clock) => JournalHub): Promise<void> {
  const suffix = randomUUID();
  const ids = [`a-${suffix}`, `b-${suffix}`] as const;
  const clusterIds = Array.from({ length: 24 }, (_, number) => `${number}-${suffix}`);
  const [a, b] = ids.map(
    (id) =>
      new SharingProcess({ id, clusterIds, world: systemClock, open, announceMs: 100, timing, sharing }),
  ) as [SharingProcess, SharingProcess];
  const partOf = (id: string) =>
    clusterIds.filter((clusterId) => rendezvousRank(clusterId, id, ids) === 0).length;
  try {
    await a.start();
    await until(() => a.led().length === clusterIds.length);
    await b.start();
    await until(() => a.led().length === partOf(ids[0]) && b.led().length === partOf(ids[1]));
    a.kill();
    await until(() => b.led().length === clusterIds.length);
    const topics = [{ name: 't', partitionCount: 1, configs: {} }];
    for (const node of b.nodes.values()) {
      await untilServed(() => node.createTopics(topics, { validateOnly: false }));
      const [created] = await untilServed(() => node.describeTopics([{ name: 't' }]));
      assert.equal(created?.partitionCount, 1);
    }
  } finally {
    await b.stop();
    await Promise.all([a.hub.close(), b.hub.close()]);
  }
}
