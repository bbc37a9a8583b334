import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { openJournals } from '@weir/journal';
import { ClusterNode } from '@weir/metadata';
import { until } from './until.ts';

/** A node over a journal in memory. The first one of a database leads. */
export async function startNode(
  t: TestContext,
  databaseUrl = `memory://${randomUUID()}`,
  id = 'one',
): Promise<ClusterNode> {
  const hub = openJournals(databaseUrl, { clock: systemClock, log: silentLog });
  const node = new ClusterNode({
    clusterId: 'vci_test',
    journal: hub.journal('vci_test'),
    self: { id, url: `http://${id}` },
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  node.start();
  t.after(async () => {
    await node.stop();
    await hub.close();
  });
  return node;
}

export async function startLeader(t: TestContext, databaseUrl?: string): Promise<ClusterNode> {
  const node = await startNode(t, databaseUrl);
  await until(() => node.role === 'leader');
  return node;
}
