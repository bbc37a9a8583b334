import type { ClusterView } from '@weir/broker';
import { takesJobs } from '@weir/jobs';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { ClusterMetrics, isPublishingAgent } from '../metrics-publishing/cluster-metrics.ts';

interface Needs extends AgentContext {
  readonly view: ClusterView;
}

/** Metrics of the whole cluster, if this agent may be the one that publishes them. */
export const clusterMetrics = {
  name: 'cluster metrics',
  start(context: Needs) {
    const publishing = publishingOf(context);
    publishing?.start();
    return started({}, () => publishing?.stop());
  },
};

function publishingOf({ options, jobSettings, view }: Needs): ClusterMetrics | undefined {
  const { clusterMetrics: settings, roles, agentId, clock, log, metrics } = options;
  const isTaker = takesJobs({ roles, jobCategories: jobSettings.categories }, 'metrics');
  if (settings === undefined || !isTaker) return undefined;
  const isPublisher = () => isPublishingAgent(agentId, view.agents());
  return new ClusterMetrics({ view, settings, isPublisher, clock, log, metrics });
}
