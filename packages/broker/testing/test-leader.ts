import { randomUUID } from 'node:crypto';
import { until } from '@weir/core/testing';
import type { ClusterNode } from '@weir/metadata';
import { memoryNode } from '@weir/metadata/testing';

/** A real leader of one cluster, whose journal is in memory, in real time. */
interface TestLeader {
  readonly clusterId: string;
  readonly node: ClusterNode;
  /** Sets configs of the cluster. */
  set(configs: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

interface TestLeaderOptions {
  /** How the id of the cluster begins. Default: `vci_`. */
  readonly idPrefix?: string;
  readonly configs?: Readonly<Record<string, string>>;
  /** Called before the node starts. */
  readonly prepare?: (node: ClusterNode) => void;
}

export async function startTestLeader({
  idPrefix = 'vci_',
  configs = {},
  prepare = () => {},
}: TestLeaderOptions = {}): Promise<TestLeader> {
  const clusterId = `${idPrefix}${randomUUID().replaceAll('-', '_')}`;
  const { hub, node } = memoryNode({ clusterId });
  prepare(node);
  node.start();
  await until(() => node.role === 'leader');
  const leader: TestLeader = {
    clusterId,
    node,
    async set(changed) {
      const changes = Object.entries(changed).map(
        ([name, value]) => ({ name, operation: 'set', value }) as const,
      );
      const resource = { kind: 'cluster', name: '', replacesAll: false, changes } as const;
      await node.alterConfigs([resource], { validateOnly: false });
    },
    async stop() {
      await node.stop();
      await hub.close();
    },
  };
  await leader.set(configs);
  return leader;
}
