import type { ClusterPort, TopicDescription } from '@weir/cluster';
import { type Clock, silentLog, systemClock } from '@weir/core';
import { until } from '@weir/core/testing';
import type { ClusterNode } from '@weir/metadata';
import { createClusterView } from '../src/cluster/following-view.ts';
import { testAgent } from './agent.ts';
import { dataHandlers } from './data-handlers.ts';
import { TestStore } from './data-path.ts';
import { serveCluster, type TestAgent, type TestAgentOptions } from './test-agent-server.ts';
import { startTestLeader } from './test-leader.ts';

export type ServedAgent = Pick<TestAgent, 'view' | 'server' | 'call'>;

/** The handlers of an agent over a real leader whose journal is in memory, and a bucket in memory. */
export interface LeaderAgent extends ServedAgent, AsyncDisposable {
  readonly node: ClusterNode;
  /** The bucket of all agents. */
  readonly store: TestStore;
  /** Starts another agent of the same cluster and bucket, which so far knows only the ends of partitions. */
  another(): Promise<ServedAgent>;
  /** Creates a topic that the agent knows. */
  addTopic(name: string, partitionCount?: number): Promise<TopicDescription>;
}

interface LeaderAgentOptions extends Pick<TestAgentOptions, 'accessOf' | 'session'> {
  /** Wraps the port between the agents and their cluster. */
  readonly port?: (node: ClusterNode) => ClusterPort;
  /** The clock of the agents. */
  readonly clock?: Clock;
}

export async function startLeaderAgent(
  clusterConfigs: Readonly<Record<string, string>> = {},
  { port = (node) => node, clock = systemClock, ...options }: LeaderAgentOptions = {},
): Promise<LeaderAgent> {
  const leader = await startTestLeader({ configs: clusterConfigs });
  const { node } = leader;
  await node.heartbeat(testAgent('agent-1'));
  const [self] = await node.listAgents();
  const store = new TestStore();
  const agents: ServedAgent[] = [];
  const serve = async () => {
    const cluster = port(node);
    const view = createClusterView(cluster, { log: silentLog });
    await view.ready();
    const handlers = dataHandlers(view, store, clock);
    const agent = await serveCluster(cluster, clock, { self: self!, view, ...handlers, ...options });
    agents.push(agent);
    return agent;
  };
  const served = await serve();
  return {
    ...served,
    node,
    store,
    another: serve,
    async addTopic(name, partitionCount = 1) {
      const [result] = await node.createTopics([{ name, partitionCount, configs: {} }], {
        validateOnly: false,
      });
      await until(() => served.view.topicByName(name) !== undefined);
      return result!.topic!;
    },
    async [Symbol.asyncDispose]() {
      for (const { view } of agents) view.close();
      await leader.stop();
    },
  };
}
