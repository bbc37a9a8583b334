import { randomUUID } from 'node:crypto';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { ClusterNode, openJournals, type TopicDescription } from '@weir/metadata';
import { testAgent } from './agent.ts';
import { serveCluster, type TestAgent } from './test-agent-server.ts';
import { until } from './until.ts';

/** The handlers of an agent over a real leader whose journal is in memory. */
export interface LeaderAgent extends Pick<TestAgent, 'view' | 'server' | 'call'>, AsyncDisposable {
  readonly node: ClusterNode;
  /** Makes a topic that the agent knows. */
  addTopic(name: string, partitionCount?: number): Promise<TopicDescription>;
}

export async function startLeaderAgent(
  clusterConfigs: Readonly<Record<string, string>> = {},
): Promise<LeaderAgent> {
  const clusterId = `vci_${randomUUID()}`;
  const hub = openJournals(`memory://${clusterId}`, { clock: systemClock, log: silentLog });
  const node = new ClusterNode({
    clusterId,
    journal: hub.journal(clusterId),
    self: { id: 'leader', url: '' },
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  node.start();
  await until(() => node.role === 'leader');
  const changes = Object.entries(clusterConfigs).map(
    ([name, value]) => ({ name, operation: 'set', value }) as const,
  );
  await node.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
  const self = testAgent('agent-1');
  await node.heartbeat(self);
  const served = await serveCluster(node, systemClock, { self });
  return {
    ...served,
    node,
    async addTopic(name, partitionCount = 1) {
      const [result] = await node.createTopics([{ name, partitionCount, configs: {} }], {
        validateOnly: false,
      });
      await until(() => served.view.topicByName(name) !== undefined);
      return result!.topic!;
    },
    async [Symbol.asyncDispose]() {
      served.view.close();
      await node.stop();
      await hub.close();
    },
  };
}
