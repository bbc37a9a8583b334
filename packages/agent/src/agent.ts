import { usualTenantAccess } from '@weir/cluster/outbound';
import { usualJobSettings } from '@weir/jobs';
import type { AgentContext } from './agent-context.ts';
import type { AgentOptions, RunningAgent } from './agent-options.ts';
import { compose } from './component.ts';
import { clients } from './components/clients.ts';
import { clusterMetrics } from './components/cluster-metrics.ts';
import { clusterView, firstSnapshot } from './components/cluster-view.ts';
import { damageRechecks } from './components/damage-rechecks.ts';
import { dataPath } from './components/data-path.ts';
import { eventEmission } from './components/event-emission.ts';
import { firstHeartbeat, heartbeats } from './components/heartbeats.ts';
import { httpData } from './components/http-data.ts';
import { httpListener } from './components/http-listener.ts';
import { internalListener } from './components/internal-listener.ts';
import { jobs } from './components/jobs.ts';
import { kafkaListener } from './components/kafka-listener.ts';
import { migrations } from './components/migrations.ts';
import { optionalRegistry } from './components/own-registry.ts';
import { pageExchange } from './components/page-exchange.ts';
import { pipelineListener } from './components/pipeline-listener.ts';
import { pipelines } from './components/pipelines.ts';
import { pressure } from './components/pressure.ts';
import { queries } from './components/queries.ts';
import { readiness, serving } from './components/readiness.ts';
import { registryListener } from './components/registry-listener.ts';
import { requests } from './components/requests.ts';
import { emittingAgent, security } from './components/security.ts';
import { AgentEvents } from './events/agent-events.ts';
import { OwnDescription } from './own-description.ts';
import { shutDown } from './shutdown.ts';
import { AgentStats } from './stats/agent-stats.ts';
import { StopDeadline } from './stop-deadline.ts';
import { withOptions } from './with-options.ts';

/** Time to stop that is reserved while the agent waits for the shutdown lock: this, or half of the deadline. */
const stopMsMin = 30_000;

const components = compose<AgentContext>()
  .with(clusterView)
  .with(pageExchange)
  .with(pressure)
  .with(readiness)
  .with(optionalRegistry)
  .with(dataPath)
  .with(httpListener)
  .with(internalListener)
  .with(firstSnapshot)
  .with(eventEmission)
  .with(clients)
  .with(security)
  .with(requests)
  .with(kafkaListener)
  .with(registryListener)
  .with(httpData)
  .with(heartbeats)
  .with(firstHeartbeat)
  .with(queries)
  .with(jobs)
  .with(migrations)
  .with(damageRechecks)
  .with(clusterMetrics)
  .with(pipelineListener)
  .with(pipelines)
  .with(serving);

/** Composes and starts an agent. It is ready when this resolves; if this rejects, everything is cleaned up. */
export async function startAgent(given: AgentOptions): Promise<RunningAgent> {
  const events =
    given.events ??
    new AgentEvents({ ...given, jobCategories: given.jobs?.categories, agent: emittingAgent(given) });
  const options = withOptions(given, { log: events.log });
  const { clock, log, metrics } = options;
  const self = new OwnDescription(options, { kafkaPort: options.kafkaPort });
  const stop = new StopDeadline(clock);
  const running = await components.start({
    options,
    events,
    self,
    stop,
    stats: options.stats ?? new AgentStats({ clock, metrics }),
    jobSettings: options.jobs ?? usualJobSettings,
    tenantAccess: options.tenantAccess ?? usualTenantAccess,
  });
  const { kafkaPort, httpPort, internalPort } = running.context;
  const { registryPort } = self;
  log.info('started agent', { kafkaPort, httpPort, registryPort });
  return {
    kafkaPort,
    httpPort,
    registryPort,
    internalPort,
    async stop({ deadlineMs }) {
      const lockMsMax = deadlineMs - Math.min(stopMsMin, deadlineMs / 2);
      await shutDown({ ...running.context, running, deadlineMs, lockMsMax });
      log.info('stopped agent');
    },
  };
}
