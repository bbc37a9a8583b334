import { usualTenantAccess } from '@weir/cluster/outbound';
import { compose } from './component.ts';
import { firstSnapshot, registryClusterView } from './components/cluster-view.ts';
import { firstHeartbeat, registryHeartbeats } from './components/heartbeats.ts';
import { registryHttpListener } from './components/http-listener.ts';
import { loadedRegistry, ownRegistry } from './components/own-registry.ts';
import { loadMonitor } from './components/pressure.ts';
import { registryReadiness, serving } from './components/readiness.ts';
import { registryDebug } from './components/registry-debug.ts';
import { registryJobs } from './components/registry-jobs.ts';
import { registryListener } from './components/registry-listener.ts';
import { security } from './components/security.ts';
import { OwnDescription } from './own-description.ts';
import type {
  RegistryAgentContext,
  RegistryAgentOptions,
  RunningRegistryAgent,
} from './registry-agent-options.ts';
import { shutDown } from './shutdown.ts';
import { AgentStats } from './stats/agent-stats.ts';
import { StopDeadline } from './stop-deadline.ts';

const components = compose<RegistryAgentContext>()
  .with(registryClusterView)
  .with(loadMonitor)
  .with(registryReadiness)
  .with(registryHttpListener)
  .with(firstSnapshot)
  .with(security)
  .with(ownRegistry)
  .with(registryListener)
  .with(registryDebug)
  .with(loadedRegistry)
  .with(registryHeartbeats)
  .with(firstHeartbeat)
  .with(registryJobs)
  .with(serving);

/**
 * Starts an agent of a schema registry cluster: the registry, probes, metrics, and jobs of schema linking. There is no
 * Kafka listener and no bucket. It is ready when this resolves; if this rejects, everything is cleaned up.
 */
export async function startRegistryAgent(options: RegistryAgentOptions): Promise<RunningRegistryAgent> {
  const { clock, log, metrics } = options;
  const self = new OwnDescription(options, { registryPort: options.registry.port });
  const stop = new StopDeadline(clock);
  const running = await components.start({
    options,
    self,
    stop,
    stats: options.stats ?? new AgentStats({ clock, metrics }),
    tenantAccess: options.tenantAccess ?? usualTenantAccess,
  });
  const { httpPort } = running.context;
  const registryPort = self.clientPort;
  log.info('started schema registry agent', { registryPort, httpPort });
  return {
    httpPort,
    registryPort,
    async stop({ deadlineMs }) {
      await shutDown({ ...running.context, running, deadlineMs, lockMsMax: deadlineMs / 2 });
      log.info('stopped schema registry agent');
    },
  };
}
