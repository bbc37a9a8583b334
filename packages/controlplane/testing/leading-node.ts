import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { ClusterNode } from '@weir/metadata';
import { memoryNode } from '@weir/metadata/testing';
import { until } from './until.ts';

/** A node over a journal in memory. The first one of a database leads. */
export async function startNode(
  t: TestContext,
  databaseUrl = `memory://${randomUUID()}`,
  id = 'one',
  prepare: (node: ClusterNode) => void = () => {},
): Promise<ClusterNode> {
  const self = { id, url: `http://${id}` };
  const { hub, node } = memoryNode({ clusterId: 'vci_test', databaseUrl, self });
  prepare(node);
  node.start();
  t.after(async () => {
    await node.stop();
    await hub.close();
  });
  return node;
}

export async function startLeader(
  t: TestContext,
  databaseUrl?: string,
  prepare?: (node: ClusterNode) => void,
): Promise<ClusterNode> {
  const node = await startNode(t, databaseUrl, undefined, prepare);
  await until(() => node.role === 'leader');
  return node;
}
