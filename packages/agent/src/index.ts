export { startAgent } from './agent.ts';
export type { AgentOptions, RunningAgent } from './agent-options.ts';

export { startDataLakeAgent } from './data-lake-agent.ts';

export { AgentEvents } from './events/agent-events.ts';

export { AgentKeyFile } from './identity/agent-key-file.ts';
export { AgentToken } from './identity/agent-token.ts';
export { platformToken } from './identity/platform-token.ts';

export { agentMetricRows } from './metric-rows.ts';
export { publishIntervalMs } from './metrics-publishing/cluster-metrics.ts';
export { startMetricsPublisher } from './metrics-publishing/metrics-publisher.ts';
export {
  type MetricsPush,
  type MetricsPushSettings,
  startMetricsPush,
} from './metrics-publishing/push/metrics-push.ts';

export { startRegistryAgent } from './registry-agent.ts';

export { AgentStats } from './stats/agent-stats.ts';
