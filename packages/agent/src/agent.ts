import type { ClusterView, ListenerProtocol } from '@weir/broker';
import {
  ClientInflation,
  ClientQuotas,
  ClientTelemetry,
  ConnectedClients,
  claimedNodeId,
  clusterNameIn,
  createClusterView,
  createHandlers,
  createPressure,
  DamageRechecks,
  defaultListenerLimits,
  heldUntil,
  MeasuredLoads,
  startKafkaListener,
  WriteHealth,
} from '@weir/broker';
import { type AgentDescription, type ClusterPort, clusterFacts, type NamedAgent } from '@weir/cluster';
import { usualTenantAccess } from '@weir/cluster/outbound';
import { type Log, release } from '@weir/core';
import type { RegistryServer } from '@weir/gateway';
import {
  DebugEndpoints,
  dataRoutes,
  HttpData,
  httpRoutes,
  InflatedMemory,
  intakeRoutes,
  OwnRegistry,
  startAgentRegistry,
  writeAccess,
} from '@weir/gateway';
import { type HttpListener, ownNamesOf, type Route, startHttpListener } from '@weir/http';
import { jobService, QueryService, schemaExport, takesJobs, usualJobSettings } from '@weir/jobs';
import type { AgentPeers } from '@weir/security';
import {
  aclModeOf,
  bareAddress,
  createAccessOf,
  createLoginChecks,
  createSasl,
  peersOf,
  principalsOf,
} from '@weir/security';
import { probesFolder } from '@weir/storage';
import { dataPath, pageExchange } from './agent-data-path.ts';
import type { AgentOptions, RunningAgent } from './agent-options.ts';
import { AgentEvents } from './events/agent-events.ts';
import { Heartbeats } from './heartbeats.ts';
import { ClusterMetrics, isPublishingAgent } from './metrics-publishing/cluster-metrics.ts';
import { Readiness } from './readiness/readiness.ts';
import { ShutdownLock } from './shutdown-lock.ts';
import { inUrl, leaveMsMax, unlessGivenUp, within } from './start-and-stop.ts';
import { AgentStats } from './stats/agent-stats.ts';
import { certificateExpiry } from './stats/certificate-expiry.ts';

/** Time to stop that is reserved while the agent waits for the shutdown lock: this, or half of the deadline. */
const stopMsMin = 30_000;

/** Composes and starts an agent. It is ready when this resolves; if this rejects, everything is cleaned up. */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const started = new AsyncDisposableStack();
  const events =
    options.events ??
    new AgentEvents({ ...options, jobCategories: options.jobs?.categories, agent: emittingAgent(options) });
  try {
    return await start(withLog(options, events.log), started, events);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

/** The same options with another log. Getters stay getters, since some options change. */
function withLog(options: AgentOptions, log: Log): AgentOptions {
  const properties = Object.getOwnPropertyDescriptors(options);
  return Object.defineProperties(
    {},
    { ...properties, log: { value: log, enumerable: true } },
  ) as AgentOptions;
}

function emittingAgent({ agentId, hostname, advertisedHost, clusterId }: AgentOptions) {
  return { agentId, hostname: hostname ?? advertisedHost, clusterId };
}

async function start(
  options: AgentOptions,
  started: AsyncDisposableStack,
  events: AgentEvents,
): Promise<RunningAgent> {
  const { cluster, clock, log, metrics, cpuCount, stats = new AgentStats({ clock, metrics }) } = options;
  const { jobs: jobSettings = usualJobSettings, tenantAccess = usualTenantAccess } = options;
  const loads = new MeasuredLoads(clock);
  let beatNow = () => {};
  const view = createClusterView(cluster, {
    clock,
    log,
    onSnapshot(snapshot) {
      loads.observe([{ kind: 'agents', agents: snapshot.agents }]);
      options.buckets?.restart(snapshot);
    },
    onChanges(changes) {
      loads.observe(changes);
      options.buckets?.observe(changes);
    },
    onConnected: () => beatNow(),
  });
  started.defer(() => view.close());
  const peers = peersOf(options.tls);
  const exchange = pageExchange(options, view, peers);
  started.defer(() => exchange?.close());
  const limits = {
    ...defaultListenerLimits(cpuCount),
    idleMs: options.idleConnectionMs,
    ...options.limits,
  };
  const pressure = createPressure({ ...options, responseBytesMax: limits.responseBytesMax });
  const { monitor, answers } = pressure;
  monitor.start();
  started.defer(() => monitor.stop());
  const stopping = new AbortController();
  const inflation = new ClientInflation();
  const health = new WriteHealth(clock);
  const deletes = jobSettings.deletesFiles;
  const readiness = new Readiness({
    ...options,
    writes: health,
    probeKey: `${probesFolder(options.clusterId)}${deletes ? options.agentId : 'writes'}`,
    deletes,
  });
  const ownRegistry =
    options.registry && new OwnRegistry({ ...options, tenantAccess, cluster: view.port, changes: view });
  started.defer(() => ownRegistry?.close());
  const schemas = options.schemas ?? ownRegistry?.schemas;
  const { writePath, readPath, damage, impersonation, handlers } = dataPath(options, {
    inflation,
    view,
    exchange,
    pressure,
    stats,
    health,
    schemas: schemas?.cache,
    stopping: stopping.signal,
  });

  const { tls } = options;
  const pageRoutes = exchange?.routes((fileId, index) => readPath.lendPage(fileId, index)) ?? [];
  let data: HttpData | undefined;
  let debug: DebugEndpoints | undefined;
  const http = await startHttpListener({
    host: options.host,
    port: options.httpPort,
    routes: [
      ...httpRoutes({
        probed: readiness,
        metrics: options.servesMetrics ? metrics : undefined,
        clock,
        debug: () => debug,
      }),
      ...(tls?.internal === undefined ? pageRoutes : []),
    ],
    answerRest: async (request, response) => (await data?.answer(request, response)) ?? false,
    ...(tls?.http === true ? { tls: { certificates: tls.certificates } } : {}),
    clock,
    log,
    metrics,
  });
  started.defer(() => http.close());
  const internal = await internalListener(options, pageRoutes, peers);
  started.defer(() => internal?.close());

  let kafkaPort = options.kafkaPort;
  let registryPort: number | undefined;
  let nodeId = claimedNodeId(options.agentId);
  const self = (): AgentDescription => ({
    agentId: options.agentId,
    nodeId,
    host: options.advertisedHost,
    kafkaPort,
    ...(registryPort === undefined ? {} : { registryPort }),
    internalUrl: `${peers === undefined ? 'http' : 'https'}://${inUrl(options.internalHost ?? options.advertisedHost)}:${internal?.port ?? http.port}`,
    zone: options.zone,
    group: options.group,
    roles: options.roles,
    ...(jobSettings.categories === undefined ? {} : { jobCategories: jobSettings.categories }),
    release,
    cpuCount,
    cpuLoad: monitor.cpu,
  });
  await unlessGivenUp(view.ready(), () => view.close(), options.givenUp);
  events.start({ view, writePath });
  started.defer(() => events.stop());
  const quotas = new ClientQuotas({ records: view.records('clientQuota'), clock, metrics });
  const clientMetrics = view.records('clientMetrics');
  const telemetry = new ClientTelemetry({ records: clientMetrics, clock, log, metrics, inflation });
  const clients = new ConnectedClients();
  const logins = await createLoginChecks({
    ...options,
    oauth: options.sasl?.oauth,
    agentSecrets: view.records('agentSecret'),
    scramCredentials: view.records('scramCredential'),
  });
  started.defer(() => logins.close());
  const principalOf = principalsOf(view.records('credential'));
  const accessOf = createAccessOf({
    cluster: view,
    agent: {
      ...emittingAgent(options),
      clusterName: clusterNameIn(view.records(clusterFacts.name.namespace)),
      listenerAddress: () => `:${kafkaPort}`,
    },
    logsDenials: options.logsAclDenials ?? true,
    denialLog: events.plainLog,
    events: events.emitter,
    clock,
    log,
    metrics,
  });
  const server = createHandlers({
    cluster: view,
    clock,
    log,
    self,
    agentConfigs: { 'message.max.bytes': String(options.recordBytesMax) },
    listenerProtocol: listenerProtocolOf(options),
    defaultStrategy: options.defaultStrategy,
    zoneOfAddress: options.zoneOfAddress,
    loads,
    metadataQueue: pressure.metadataQueue,
    metadataAsksLeader: options.metadataAsksLeader,
    slowDown: pressure.slowDown,
    quotas,
    accessOf,
    telemetry,
    clients,
    sasl:
      options.sasl &&
      createSasl({ ...options, settings: options.sasl, checks: logins, onPasswordLogin: stats.loggedIn }),
    ...handlers,
  });
  const known = Promise.withResolvers<void>();
  const held = heldUntil(known.promise, server);
  const requiresLogin = options.sasl?.isRequired === true;
  const hasClientCertificates = (tls?.kafka?.clientCertificates ?? 'ignored') !== 'ignored';
  const callers = {
    checks: logins,
    principalOf,
    accessOf,
    isEncrypted: tls?.http === true,
    onPasswordLogin: stats.loggedIn,
    clock,
    log,
    metrics,
  };
  const inflated = new InflatedMemory(answers, clock);
  data = new HttpData({
    ...callers,
    inflated,
    routes: [...dataRoutes, ...intakeRoutes],
    mayWrite: writeAccess({ accessOf, impersonation }),
    quotas,
    server: held,
    ownUrl: `http${tls?.http === true ? 's' : ''}://${inUrl(options.advertisedHost)}:${http.port}`,
    ownNames: ownNamesOf(options),
    answers,
    schemas,
    logTopic: options.logIntakeDefaultTopic,
    requiresLogin,
    hasClientCertificates,
  });
  // Clients that have to show certificates cannot do so over HTTP, and need a password or a token.
  debug = new DebugEndpoints({ ...callers, requiresLogin: requiresLogin || hasClientCertificates });
  const kafka = await startKafkaListener({
    host: options.host,
    port: options.kafkaPort,
    handle: held,
    limits,
    answers,
    admit: (address) => quotas.connected(bareAddress(address)),
    ...(tls?.kafka === undefined ? {} : { tls: { ...tls.kafka, certificates: tls.certificates } }),
    ...(options.proxyProtocol === undefined ? {} : { proxyProtocol: options.proxyProtocol }),
    principalOf,
    clock,
    log,
    metrics,
  });
  let registry: RegistryServer | undefined;
  let stopEndMs = 0;
  const leftMs = () => Math.max(0, stopEndMs - clock.monotonicMs());
  // The listener waits for responses, which wait for files; drain closes files without waiting for their window.
  started.defer(async () => {
    stopping.abort();
    const eventsStopped = events.stop();
    const drained = within(
      clock,
      leftMs(),
      eventsStopped.then(() => writePath.drain()),
    );
    await Promise.all([kafka.stop({ deadlineMs: leftMs() }), drained]);
    writePath.abandon();
  });
  started.defer(() => registry?.stop({ deadlineMs: leftMs() }));
  started.defer(() => within(clock, Math.min(leftMs(), leaveMsMax), data.close()));
  // Only now, so that the Kafka listener stops if the port of the registry is taken.
  registry = await registryOf(options, {
    tls,
    cluster: view.port,
    changes: view,
    own: ownRegistry,
    checks: logins,
    principalOf,
    accessOf,
    onPasswordLogin: stats.loggedIn,
  });
  kafkaPort = kafka.port;
  registryPort = registry?.port;
  const reports = {
    report: () =>
      stats.report({
        certificates: () => (tls === undefined ? [] : [certificateExpiry(tls.certificates.certificate)]),
        tokens: () => options.tokens?.() ?? [],
        damagedFiles: () => damage.report(),
        writeProblem: () => health.problem(),
        bucketProblem: () => options.buckets?.problem,
        namedBucket: () => options.buckets?.tried,
        connected: () => clients.report(),
      }),
    acknowledged: () => stats.reportReceived(),
  };
  const onHeartbeat = (agents: readonly NamedAgent[]) => {
    nodeId = agents.find(({ agentId }) => agentId === options.agentId)?.nodeId ?? nodeId;
    readiness.heartbeatAnswered();
    known.resolve();
  };
  const heartbeats = new Heartbeats({ port: cluster, self, onHeartbeat, reports, clock, log, metrics });
  beatNow = () => heartbeats.beatNow();
  options.buckets?.onTried(() => heartbeats.reportNow());
  // First of all, so that other agents send clients elsewhere. If the call fails, missing heartbeats have the same
  // effect.
  started.defer(() => {
    heartbeats.stop();
    const left = cluster.leave(options.agentId).catch(() => undefined);
    return within(clock, Math.min(leftMs(), leaveMsMax), left);
  });
  await unlessGivenUp(heartbeats.start(), () => heartbeats.stop(), options.givenUp);
  const aclMode = aclModeOf(view);
  const queries = new QueryService({
    ...options,
    view,
    loadRecordQueries: async () => {
      const { RecordBrowser } = await import('@weir/gateway/record-browser');
      const mustLogIn = () => requiresLogin || hasClientCertificates || aclMode() === 'enforced';
      return new RecordBrowser({ ...callers, inflated, server: held, schemas, requiresLogin: mustLogIn });
    },
    readPath,
    damage,
    answersQueries: options.answersQueries ?? false,
    writesSidecars: takesJobs({ roles: options.roles, jobCategories: jobSettings.categories }, 'events'),
    deletesFiles: jobSettings.deletesFiles,
    cpuLoad: () => monitor.cpu,
  });
  queries.start();
  started.defer(() => within(clock, Math.min(leftMs(), leaveMsMax), queries.stop()));
  const jobs = jobService({
    ...options,
    settings: jobSettings,
    view,
    storedBytes: () => stats.storedBytes,
    mergeStats: stats,
    others: ownRegistry && [
      schemaExport({ ...options, tenantAccess, source: () => ownRegistry.exported(), runningMax: 1 }),
    ],
  });
  jobs.start();
  started.defer(() => within(clock, Math.min(leftMs(), leaveMsMax), jobs.stop()));
  const rechecks = new DamageRechecks({ damage, port: view.port, readPath, clock, log });
  rechecks.start();
  started.defer(() => rechecks.stop());
  const publishing = clusterMetricsOf(options, view);
  publishing?.start();
  started.defer(() => publishing?.stop());
  readiness.start();
  started.defer(() => readiness.stop());
  log.info('started agent', { kafkaPort, httpPort: http.port, registryPort });

  return {
    kafkaPort,
    httpPort: http.port,
    registryPort,
    internalPort: internal?.port,
    async stop({ deadlineMs }) {
      stopEndMs = clock.monotonicMs() + deadlineMs;
      readiness.stop();
      const { agentId, group } = options;
      const lock = options.locksShutdown
        ? new ShutdownLock({ port: cluster, agentId, group, clock, log })
        : undefined;
      await lock?.take(deadlineMs - Math.min(stopMsMin, deadlineMs / 2));
      await started.disposeAsync();
      if (lock !== undefined) await within(clock, leaveMsMax, lock.release());
      log.info('stopped agent');
    },
  };
}

/** The listener for other agents, if it is separate from the HTTP listener. */
async function internalListener(
  { tls, host, clock, log, metrics }: AgentOptions,
  routes: readonly Route[],
  peers: AgentPeers | undefined,
): Promise<HttpListener | undefined> {
  if (tls?.internal === undefined || peers === undefined) return undefined;
  return await startHttpListener({
    name: 'internal',
    host,
    port: tls.internal.port,
    routes,
    tls: {
      certificates: tls.certificates,
      problemOfCaller: (certificate) => peers.problemOfCaller(certificate),
    },
    clock,
    log,
    metrics,
  });
}

function clusterMetricsOf(options: AgentOptions, view: ClusterView): ClusterMetrics | undefined {
  const { clusterMetrics: settings, roles, jobs, agentId, clock, log, metrics } = options;
  const isTaker = takesJobs({ roles, jobCategories: jobs?.categories }, 'metrics');
  if (settings === undefined || !isTaker) return undefined;
  const isPublisher = () => isPublishingAgent(agentId, view.agents());
  return new ClusterMetrics({ view, settings, isPublisher, clock, log, metrics });
}

/** Kafka's name for the security of the listener. */
function listenerProtocolOf({ sasl, tls }: AgentOptions): ListenerProtocol {
  const transport = tls?.kafka === undefined ? 'PLAINTEXT' : 'SSL';
  return sasl?.isRequired === true ? `SASL_${transport}` : transport;
}

async function registryOf(
  { registry: settings, ...options }: AgentOptions,
  parts: Omit<Parameters<typeof startAgentRegistry>[0], 'settings' | keyof AgentOptions> & {
    readonly tls: AgentOptions['tls'];
    readonly cluster: ClusterPort;
    readonly own: OwnRegistry | undefined;
  },
): Promise<RegistryServer | undefined> {
  return settings === undefined ? undefined : startAgentRegistry({ ...options, ...parts, settings });
}
