import { usualTenantAccess } from '@weir/cluster/outbound';
import { usualJobSettings } from '@weir/jobs';
import { compose } from './component.ts';
import { clients } from './components/clients.ts';
import { clusterMetrics } from './components/cluster-metrics.ts';
import { clusterView, firstSnapshot } from './components/cluster-view.ts';
import { damageRechecks } from './components/damage-rechecks.ts';
import { dataPath } from './components/data-path.ts';
import { eventEmission } from './components/event-emission.ts';
import { firstHeartbeat, heartbeats } from './components/heartbeats.ts';
import { httpDebug } from './components/http-data.ts';
import { httpListener } from './components/http-listener.ts';
import { internalListener } from './components/internal-listener.ts';
import { jobs } from './components/jobs.ts';
import { ownWrites } from './components/kafka-listener.ts';
import { optionalRegistry } from './components/own-registry.ts';
import { pageExchange } from './components/page-exchange.ts';
import { pressure } from './components/pressure.ts';
import { queries } from './components/queries.ts';
import { readiness, serving } from './components/readiness.ts';
import { requests } from './components/requests.ts';
import { emittingAgent, security } from './components/security.ts';
import { tableProcess, tables } from './components/tables.ts';
import { tablesListener, tablesRoute } from './components/tables-listener.ts';
import type {
  DataLakeAgentContext,
  DataLakeAgentOptions,
  RunningDataLakeAgent,
  ShownTables,
} from './data-lake-agent-options.ts';
import { AgentEvents } from './events/agent-events.ts';
import { OwnDescription } from './own-description.ts';
import { shutDown } from './shutdown.ts';
import { AgentStats } from './stats/agent-stats.ts';
import { StopDeadline } from './stop-deadline.ts';
import { withOptions } from './with-options.ts';

const components = compose<DataLakeAgentContext>()
  .with(clusterView)
  .with(pageExchange)
  .with(pressure)
  .with(readiness)
  .with(optionalRegistry)
  .with(dataPath)
  .with(httpListener)
  .with(internalListener)
  .with(tablesListener)
  .with(firstSnapshot)
  .with(eventEmission)
  .with(clients)
  .with(security)
  .with(requests)
  .with(ownWrites)
  .with(httpDebug)
  .with(heartbeats)
  .with(firstHeartbeat)
  .with(tableProcess)
  .with(queries)
  .with(jobs)
  .with(damageRechecks)
  .with(clusterMetrics)
  .with(tables)
  .with(serving);

/**
 * Starts an agent of a data lake cluster. It writes tables, and has the events, queries, jobs and metrics of every
 * agent; it serves no Kafka clients, no records over HTTP and no schema registry, and runs no pipelines. It is ready
 * when this resolves; if this rejects, everything is cleaned up.
 */
export async function startDataLakeAgent(given: DataLakeAgentOptions): Promise<RunningDataLakeAgent> {
  const events =
    given.events ??
    new AgentEvents({ ...given, jobCategories: given.jobs?.categories, agent: emittingAgent(given) });
  // No component of such an agent listens there.
  const options = withOptions(given, { log: events.log, kafkaPort: 0 });
  const { clock, log, metrics } = options;
  const self = new OwnDescription(options, {});
  const stop = new StopDeadline(clock);
  const shownTables: ShownTables = { list: () => [] };
  const running = await components.start({
    options,
    shownTables,
    furtherRoutes: options.tables.httpPort === undefined ? [tablesRoute(shownTables)] : [],
    events,
    self,
    stop,
    stats: options.stats ?? new AgentStats({ clock, metrics }),
    jobSettings: options.jobs ?? usualJobSettings,
    tenantAccess: options.tenantAccess ?? usualTenantAccess,
    tableSettings: options.tables,
  });
  const { httpPort, internalPort, tablesPort } = running.context;
  log.info('started data lake agent', { httpPort, tablesPort });
  return {
    httpPort,
    internalPort,
    tablesPort,
    async stop({ deadlineMs }) {
      await shutDown({ ...running.context, running, deadlineMs, lockMsMax: deadlineMs / 2 });
      log.info('stopped data lake agent');
    },
  };
}
