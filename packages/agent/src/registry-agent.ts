import {
  claimedNodeId,
  clusterNameIn,
  createClusterView,
  LoadMonitor,
  systemLoad,
  WriteHealth,
} from '@weir/broker';
import { type AgentDescription, clusterFacts, type NamedAgent } from '@weir/cluster';
import { usualTenantAccess } from '@weir/cluster/outbound';
import { type Log, release } from '@weir/core';
import {
  DebugEndpoints,
  debugRoutesOf,
  OwnRegistry,
  type RegistrySettings,
  startAgentRegistry,
} from '@weir/gateway';
import { metricsRoutes, probeRoutes, startHttpListener } from '@weir/http';
import type { JobSettings } from '@weir/jobs';
import { JobRunner, jobMetrics, schemaExport, schemaLinking, takesJobs } from '@weir/jobs';
import { createAccessOf, createLoginChecks, principalsOf } from '@weir/security';
import type { AgentOptions, RunningAgent } from './agent-options.ts';
import { Heartbeats } from './heartbeats.ts';
import { agentLimits } from './limits.ts';
import { Readiness } from './readiness/readiness.ts';
import { ShutdownLock } from './shutdown-lock.ts';
import { inUrl, leaveMsMax, unlessGivenUp, within } from './start-and-stop.ts';
import { AgentStats } from './stats/agent-stats.ts';
import { certificateExpiry } from './stats/certificate-expiry.ts';

/** What an agent needs that serves a schema registry and no records. */
interface RegistryAgentOptions
  extends Pick<
    AgentOptions,
    | 'clusterId'
    | 'agentId'
    | 'group'
    | 'zone'
    | 'roles'
    | 'host'
    | 'httpPort'
    | 'advertisedHost'
    | 'internalHost'
    | 'tls'
    | 'servesMetrics'
    | 'cluster'
    | 'load'
    | 'locksShutdown'
    | 'sasl'
    | 'tenantAccess'
    | 'logsAclDenials'
    | 'hostname'
    | 'cpuCount'
    | 'stats'
    | 'tokens'
    | 'givenUp'
    | 'clock'
    | 'random'
    | 'log'
    | 'metrics'
  > {
  readonly registry: RegistrySettings;
  readonly jobs?: Pick<JobSettings, 'categories'> | undefined;
}

interface RunningRegistryAgent extends Pick<RunningAgent, 'httpPort' | 'stop'> {
  readonly registryPort: number;
}

/**
 * Starts an agent of a schema registry cluster: the registry, probes, metrics, and jobs of schema linking. There is no
 * Kafka listener and no bucket. It is ready when this resolves; if this rejects, everything is cleaned up.
 */
export async function startRegistryAgent(options: RegistryAgentOptions): Promise<RunningRegistryAgent> {
  const started = new AsyncDisposableStack();
  try {
    return await start(options, started);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function start(
  options: RegistryAgentOptions,
  started: AsyncDisposableStack,
): Promise<RunningRegistryAgent> {
  const { cluster, clock, log, metrics, cpuCount, tls, agentId, group } = options;
  const { stats = new AgentStats({ clock, metrics }), tenantAccess = usualTenantAccess } = options;
  let beatNow = () => {};
  const view = createClusterView(cluster, {
    clock,
    log,
    onConnected: () => beatNow(),
  });
  started.defer(() => view.close());
  const monitor = new LoadMonitor({
    thresholdPercent: 0,
    source: options.load ?? systemLoad(clock, cpuCount),
    clock,
    log,
    metrics,
  });
  monitor.start();
  started.defer(() => monitor.stop());
  const readiness = new Readiness({
    writes: new WriteHealth(clock),
    probeKey: '',
    deletes: false,
    clock,
    log,
    metrics,
  });
  let debug: DebugEndpoints | undefined;
  const http = await startHttpListener({
    host: options.host,
    port: options.httpPort,
    routes: [
      ...probeRoutes(readiness),
      ...(options.servesMetrics ? metricsRoutes(metrics, clock) : []),
      ...debugRoutesOf(() => debug),
    ],
    ...(tls?.http === true ? { tls: { certificates: tls.certificates } } : {}),
    clock,
    log,
    metrics,
  });
  started.defer(() => http.close());
  await unlessGivenUp(view.ready(), () => view.close(), options.givenUp);
  const checks = await createLoginChecks({
    ...options,
    oauth: options.sasl?.oauth,
    agentSecrets: view.records('agentSecret'),
    scramCredentials: view.records('scramCredential'),
  });
  started.defer(() => checks.close());
  let registryPort = options.registry.port;
  const principalOf = principalsOf(view.records('credential'));
  const accessOf = createAccessOf({
    cluster: view,
    agent: {
      agentId,
      clusterId: options.clusterId,
      hostname: options.hostname ?? options.advertisedHost,
      clusterName: clusterNameIn(view.records(clusterFacts.name.namespace)),
      listenerAddress: () => `:${registryPort}`,
    },
    logsDenials: options.logsAclDenials ?? true,
    clock,
    log,
    metrics,
  });
  const own = new OwnRegistry({ ...options, tenantAccess, cluster: view.port, changes: view });
  started.defer(() => own.close());
  const registry = await startAgentRegistry({
    ...options,
    own,
    tls,
    settings: options.registry,
    cluster: view.port,
    changes: view,
    checks,
    principalOf,
    accessOf,
    onPasswordLogin: stats.loggedIn,
  });
  let stopEndMs = 0;
  const leftMs = () => Math.max(0, stopEndMs - clock.monotonicMs());
  started.defer(() => registry.stop({ deadlineMs: leftMs() }));
  registryPort = registry.port;
  debug = new DebugEndpoints({
    checks,
    principalOf,
    accessOf,
    requiresLogin: options.registry.requiresLogin,
    isEncrypted: tls?.http === true,
    onPasswordLogin: stats.loggedIn,
    clock,
    log,
    metrics,
  });
  // Otherwise the clients of the first requests wait for it.
  const abandoned = Promise.withResolvers<void>();
  const loading = Promise.race([loaded(own, log), abandoned.promise]);
  await unlessGivenUp(loading, abandoned.resolve, options.givenUp);

  let nodeId = claimedNodeId(agentId);
  const self = (): AgentDescription => ({
    agentId,
    nodeId,
    host: options.advertisedHost,
    kafkaPort: registryPort,
    registryPort,
    internalUrl: `http${tls?.http === true ? 's' : ''}://${inUrl(options.internalHost ?? options.advertisedHost)}:${http.port}`,
    zone: options.zone,
    group,
    roles: options.roles,
    ...(options.jobs?.categories === undefined ? {} : { jobCategories: options.jobs.categories }),
    release,
    cpuCount,
    cpuLoad: monitor.cpu,
  });
  const reports = {
    report: () =>
      stats.report({
        certificates: () => (tls === undefined ? [] : [certificateExpiry(tls.certificates.certificate)]),
        tokens: () => options.tokens?.() ?? [],
      }),
    acknowledged: () => stats.reportReceived(),
  };
  const onHeartbeat = (agents: readonly NamedAgent[]) => {
    nodeId = agents.find((agent) => agent.agentId === agentId)?.nodeId ?? nodeId;
    readiness.heartbeatAnswered();
  };
  const heartbeats = new Heartbeats({ port: cluster, self, onHeartbeat, reports, clock, log, metrics });
  beatNow = () => heartbeats.beatNow();
  started.defer(() => {
    heartbeats.stop();
    const left = cluster.leave(agentId).catch(() => undefined);
    return within(clock, Math.min(leftMs(), leaveMsMax), left);
  });
  await unlessGivenUp(heartbeats.start(), () => heartbeats.stop(), options.givenUp);
  const linking = schemaLinking({
    ...options,
    tenantAccess,
    async destination() {
      const { service, freshState } = await own.open();
      return { service: await service(), state: freshState };
    },
  });
  const exporting = schemaExport({ ...options, tenantAccess, source: () => own.exported() });
  const taker = { roles: options.roles, jobCategories: options.jobs?.categories };
  const jobs = new JobRunner({
    port: cluster,
    agentId,
    kinds: [linking, exporting].filter(({ category }) => takesJobs(taker, category)),
    // One that waits for a slow registry does not keep the others.
    slots: agentLimits.registryJobsMax,
    clock,
    log,
    metrics: jobMetrics(metrics),
  });
  jobs.start();
  started.defer(() => within(clock, Math.min(leftMs(), leaveMsMax), jobs.stop()));
  readiness.start();
  started.defer(() => readiness.stop());
  log.info('started schema registry agent', { registryPort, httpPort: http.port });

  return {
    httpPort: http.port,
    registryPort,
    async stop({ deadlineMs }) {
      stopEndMs = clock.monotonicMs() + deadlineMs;
      readiness.stop();
      const lock = options.locksShutdown
        ? new ShutdownLock({ port: cluster, agentId, group, clock, log })
        : undefined;
      await lock?.take(deadlineMs / 2);
      await started.disposeAsync();
      if (lock !== undefined) await within(clock, leaveMsMax, lock.release());
      log.info('stopped schema registry agent');
    },
  };
}

/** Reads the registry. If that fails, requests try again. */
async function loaded(own: OwnRegistry, log: Log): Promise<void> {
  try {
    const { service } = await own.open();
    await service();
  } catch (error) {
    log.warn('failed to load schema registry at the start', { error: String(error) });
  }
}
