import { type Clock, type Log, type Metrics, type Random, release } from '@weir/core';
import {
  type AgentDescription,
  acceptedSecrets,
  type ClusterMetricsSettings,
  type ClusterPort,
  clusterFacts,
  clusterSecrets,
  type ReportedExpiry,
} from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import { ownConfigsReader } from './cluster/broker-configs.ts';
import { clusterNameIn } from './cluster/cluster-name.ts';
import type { ClusterView } from './cluster/cluster-view.ts';
import { createClusterView } from './cluster/following-view.ts';
import { DamageRechecks } from './damage/damage-rechecks.ts';
import { DamageRegistry } from './damage/damage-registry.ts';
import { createHandlers } from './dispatch/request-dispatch.ts';
import { AgentEvents } from './events/agent-events.ts';
import { FetchSessions } from './fetch/fetch-sessions.ts';
import { produceHandler } from './handlers/00-produce.ts';
import { fetchHandler } from './handlers/01-fetch.ts';
import { listOffsetsHandler } from './handlers/02-list-offsets.ts';
import { shareFetchHandler } from './handlers/78-share-fetch.ts';
import { shareAcknowledgeHandler } from './handlers/79-share-acknowledge.ts';
import { Heartbeats } from './heartbeats.ts';
import { type HttpListener, type Route, startHttpListener } from './http/http-server.ts';
import { metricsRoutes, probeRoutes } from './http/probe-routes.ts';
import { ClusterMetrics, isPublishingAgent } from './metrics-publishing/cluster-metrics.ts';
import { heldUntil } from './net/held-server.ts';
import { defaultListenerLimits, type ListenerLimits } from './net/limits.ts';
import { startKafkaListener } from './net/listener.ts';
import type { ExchangeSecrets } from './page-exchange/exchange-key.ts';
import { createPageExchange, type PageExchange } from './page-exchange/page-exchange.ts';
import type { ZoneOfAddress } from './placement/address-zones.ts';
import type { ListenerProtocol } from './placement/broker-facts.ts';
import { MeasuredLoads } from './placement/measured-loads.ts';
import { claimedNodeId } from './placement/node-id.ts';
import type { PartitionAssignmentStrategy } from './placement/strategies.ts';
import type { LoadSource } from './pressure/load-source.ts';
import { createPressure, type Pressure } from './pressure/pressure.ts';
import { QueryService } from './query/query-service.ts';
import { ClientQuotas } from './quotas/client-quotas.ts';
import { createReadPath } from './read-path/read-path.ts';
import { createAccessOf } from './security/acl/access-of.ts';
import { principalsOf } from './security/principals.ts';
import type { ProxyProtocolOptions } from './security/proxy-protocol/proxied-client.ts';
import { createSasl, type RunningSasl, type SaslSettings } from './security/sasl/create-sasl.ts';
import { bareAddress } from './security/session/client-host.ts';
import type { AgentPeers } from './security/tls/agent-peers.ts';
import { type AgentTls, peersOf } from './security/tls/agent-tls.ts';
import { ShareService } from './share/share-service.ts';
import { ShutdownLock } from './shutdown-lock.ts';
import { AgentStats } from './stats/agent-stats.ts';
import { certificateExpiry } from './stats/certificate-expiry.ts';
import { ClientTelemetry } from './telemetry/client-telemetry.ts';
import { ConnectedClients } from './telemetry/connected-clients.ts';
import { ClientInflation } from './write-path/client-inflation.ts';
import type { FlushLimits } from './write-path/data-file.ts';
import { Impersonation, type ImpersonationOptions } from './write-path/impersonation/impersonation.ts';
import { RecentReaders } from './write-path/recent-readers.ts';
import { createWritePath } from './write-path/write-path.ts';

export interface AgentOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly group: string;
  /** Read each time it is needed, since an agent may learn it while it runs. */
  readonly zone: string;
  /** Finds the zone of a client whose client id names none. */
  readonly zoneOfAddress?: ZoneOfAddress;
  readonly roles: readonly string[];
  /** Where it listens. */
  readonly host: string;
  /** 0 takes any free port, here and below. */
  readonly kafkaPort: number;
  readonly httpPort: number;
  /** Where clients are told to connect; the port is the one that is listened on. */
  readonly advertisedHost: string;
  /** Where other agents of the zone reach this one, when that is elsewhere. */
  readonly internalHost?: string;
  /** The listeners that speak TLS. Without it none does. */
  readonly tls?: AgentTls;
  /** Kafka clients come through a proxy, which says so in front of each connection. */
  readonly proxyProtocol?: ProxyProtocolOptions;
  /** Whether `/metrics` answers. */
  readonly servesMetrics: boolean;
  /** What it tells of the whole cluster when it is the agent that does, which takes the role `jobs`. Without it it tells nothing. */
  readonly clusterMetrics?: ClusterMetricsSettings | undefined;
  readonly cluster: ClusterPort;
  /**
   * What admits this agent to its cluster. Without it this agent shares no pages with others. Agents recognise each other by a secret
   * that the cluster tells them, and by the key as long as it does not.
   */
  readonly agentKey?: () => string;
  readonly store: ObjectStore;
  readonly flush: FlushLimits;
  readonly recordBytesMax: number;
  /** Who the principals of records are, and how readers learn of them. */
  readonly impersonation?: ImpersonationOptions;
  readonly fetchRequestBytesMax: number;
  readonly fetchPartitionBytesMax: number;
  readonly pageCacheBytesMax: number;
  /** Whether readers of one partition find the next pages in memory. */
  readonly readahead: boolean;
  readonly bufferedBytesMax: number;
  readonly idleConnectionMs: number;
  /** The load of the processor at which clients are slowed down, from 0 to 100; 0 never does. */
  readonly highCpuPercent: number;
  /** Metadata requests that are worked on at a time, per processor; 0 is no limit. */
  readonly metadataRequestsPerCpu: number;
  /** Where limits of the Kafka listener differ from those that follow from the processors. */
  readonly limits?: Partial<ListenerLimits>;
  /** How busy the process is, for tests that say it. */
  readonly load?: LoadSource;
  /** Whether it waits while another agent of its group stops, before it does. */
  readonly locksShutdown?: boolean;
  readonly defaultStrategy: PartitionAssignmentStrategy;
  /** How clients may log in. Without it they cannot. */
  readonly sasl?: SaslSettings;
  /** Whether it works on queries about events. It does not, unless somebody says so. */
  readonly answersQueries?: boolean;
  /** Whether what ACLs deny is logged; it is, unless somebody says otherwise. */
  readonly logsAclDenials?: boolean;
  /** What the machine is called, for lines that tell where something happened. */
  readonly hostname?: string;
  readonly cpuCount: number;
  /** What is told to the control plane of this agent's work. Whoever opened the store notes its requests there. */
  readonly stats?: AgentStats;
  /** What this agent shows to its control plane and that ends at a time. */
  readonly tokens?: () => readonly ReportedExpiry[];
  /** Aborted when nobody waits for the start any more: an agent whose cluster cannot be reached would wait for ever. */
  readonly givenUp?: AbortSignal;
  /** Given by those whose own lines are to be events too. Without it those of the agent are, and `log` is where they are written. */
  readonly events?: AgentEvents;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface RunningAgent {
  readonly kafkaPort: number;
  readonly httpPort: number;
  /** Where other agents connect, when that is a listener of its own. */
  readonly internalPort: number | undefined;
  /** Takes no new requests, writes what is buffered, answers what is under way, and ends; after `deadlineMs` it ends all the same. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

const pageBytes = 4 * 1024 * 1024;
const inflightFilesPerCpu = 64;
/** A control plane that cannot be reached must not take up the time that is meant for clients. */
const leaveMsMax = 5_000;
/** What is left of the time to stop when an agent has waited for its turn: so much, or half of it. */
const stopMsMin = 30_000;

/** Puts an agent together and starts it. It is ready when this resolves; when it rejects, nothing is left behind. */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const started = new AsyncDisposableStack();
  const events = options.events ?? new AgentEvents({ ...options, agent: emittingAgent(options) });
  try {
    return await start(withLog(options, events.log), started, events);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

/** The same options with another log. Some of them are read each time they are needed, and stay so. */
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
  const loads = new MeasuredLoads(clock);
  let beatNow = () => {};
  const view = createClusterView(cluster, {
    log,
    onChanges: (changes) => loads.observe(changes),
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
  const { writePath, readPath, damage, handlers } = dataPath(options, {
    inflation,
    view,
    exchange,
    pressure,
    stats,
    stopping: stopping.signal,
  });

  let isReady = false;
  const { tls } = options;
  const pageRoutes = exchange?.routes((fileId, index) => readPath.lendPage(fileId, index)) ?? [];
  const http = await startHttpListener({
    host: options.host,
    port: options.httpPort,
    routes: [
      ...probeRoutes(() => isReady),
      ...(options.servesMetrics ? metricsRoutes(metrics) : []),
      ...(tls?.internal === undefined ? pageRoutes : []),
    ],
    ...(tls?.http === true ? { tls: { certificates: tls.certificates, clock } } : {}),
    log,
  });
  started.defer(() => http.close());
  const internal = await internalListener(options, pageRoutes, peers);
  started.defer(() => internal?.close());

  let kafkaPort = options.kafkaPort;
  let nodeId = claimedNodeId(options.agentId);
  const self = (): AgentDescription => ({
    agentId: options.agentId,
    nodeId,
    host: options.advertisedHost,
    kafkaPort,
    internalUrl: `${peers === undefined ? 'http' : 'https'}://${inUrl(options.internalHost ?? options.advertisedHost)}:${internal?.port ?? http.port}`,
    zone: options.zone,
    group: options.group,
    roles: options.roles,
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
  const logins = await saslOf(options, view, stats);
  started.defer(() => logins?.close());
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
    slowDown: pressure.slowDown,
    quotas,
    accessOf: createAccessOf({
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
    }),
    telemetry,
    clients,
    sasl: logins?.sasl,
    ...handlers,
  });
  const known = Promise.withResolvers<void>();
  const kafka = await startKafkaListener({
    host: options.host,
    port: options.kafkaPort,
    handle: heldUntil(known.promise, server),
    limits,
    answers,
    admit: (address) => quotas.connected(bareAddress(address)),
    ...(tls?.kafka === undefined ? {} : { tls: { ...tls.kafka, certificates: tls.certificates } }),
    ...(options.proxyProtocol === undefined ? {} : { proxyProtocol: options.proxyProtocol }),
    principalOf: principalsOf(view.records('credential')),
    clock,
    log,
    metrics,
  });
  let stopEndMs = 0;
  const leftMs = () => Math.max(0, stopEndMs - clock.monotonicMs());
  // The listener waits for answers that wait for files, which are not to wait for their window.
  started.defer(async () => {
    stopping.abort();
    const handedOver = events.stop();
    const drained = within(
      clock,
      leftMs(),
      handedOver.then(() => writePath.drain()),
    );
    await Promise.all([kafka.stop({ deadlineMs: leftMs() }), drained]);
    writePath.abandon();
  });
  kafkaPort = kafka.port;
  const reports = {
    report: () =>
      stats.report({
        certificates: () => (tls === undefined ? [] : [certificateExpiry(tls.certificates.certificate)]),
        tokens: () => options.tokens?.() ?? [],
        damagedFiles: () => damage.report(),
        connected: () => clients.report(),
      }),
    heard: () => stats.heard(),
  };
  const onHeard = (agents: readonly AgentDescription[]) => {
    nodeId = agents.find(({ agentId }) => agentId === options.agentId)?.nodeId ?? nodeId;
    known.resolve();
  };
  const heartbeats = new Heartbeats({ port: cluster, self, onHeard, reports, clock, log, metrics });
  beatNow = () => heartbeats.beatNow();
  // Before anything else, so that the other agents send clients elsewhere. Whoever cannot be told learns it from the silence.
  started.defer(() => {
    heartbeats.stop();
    const left = cluster.leave(options.agentId).catch(() => undefined);
    return within(clock, Math.min(leftMs(), leaveMsMax), left);
  });
  await unlessGivenUp(heartbeats.start(), () => heartbeats.stop(), options.givenUp);
  const queries = new QueryService({
    ...options,
    view,
    readPath,
    damage,
    answersQueries: options.answersQueries ?? false,
    writesSidecars: options.roles.includes('jobs'),
    cpuLoad: () => monitor.cpu,
  });
  queries.start();
  started.defer(() => within(clock, Math.min(leftMs(), leaveMsMax), queries.stop()));
  const rechecks = new DamageRechecks({ damage, port: view.port, readPath, clock, log });
  rechecks.start();
  started.defer(() => rechecks.stop());
  const publishing = clusterMetricsOf(options, view);
  publishing?.start();
  started.defer(() => publishing?.stop());
  isReady = true;
  log.info('started agent', { kafkaPort, httpPort: http.port });

  return {
    kafkaPort,
    httpPort: http.port,
    internalPort: internal?.port,
    async stop({ deadlineMs }) {
      stopEndMs = clock.monotonicMs() + deadlineMs;
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

/** The door for other agents, when it is apart from the one for everybody. */
async function internalListener(
  { tls, host, clock, log }: AgentOptions,
  routes: readonly Route[],
  peers: AgentPeers | undefined,
): Promise<HttpListener | undefined> {
  if (tls?.internal === undefined || peers === undefined) return undefined;
  return await startHttpListener({
    host,
    port: tls.internal.port,
    routes,
    tls: {
      certificates: tls.certificates,
      problemOfCaller: (certificate) => peers.problemOfCaller(certificate),
      clock,
    },
    log,
  });
}

/** Waits for a part of the start, which `end` makes fail. */
async function unlessGivenUp(
  part: Promise<void>,
  end: () => void,
  givenUp: AbortSignal | undefined,
): Promise<void> {
  if (givenUp?.aborted === true) end();
  givenUp?.addEventListener('abort', end, { once: true });
  try {
    await part;
  } finally {
    givenUp?.removeEventListener('abort', end);
  }
}

function clusterMetricsOf(options: AgentOptions, view: ClusterView): ClusterMetrics | undefined {
  const { clusterMetrics: settings, roles, agentId, clock, log, metrics } = options;
  if (settings === undefined || !roles.includes('jobs')) return undefined;
  const isPublisher = () => isPublishingAgent(agentId, view.agents());
  return new ClusterMetrics({ view, settings, isPublisher, clock, log, metrics });
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** What Kafka calls the security of a listener. */
function listenerProtocolOf({ sasl, tls }: AgentOptions): ListenerProtocol {
  const transport = tls?.kafka === undefined ? 'PLAINTEXT' : 'SSL';
  return sasl?.isRequired === true ? `SASL_${transport}` : transport;
}

async function saslOf(
  options: AgentOptions,
  view: ClusterView,
  stats: AgentStats,
): Promise<RunningSasl | undefined> {
  const { sasl: settings } = options;
  return settings === undefined
    ? undefined
    : createSasl({
        ...options,
        settings,
        agentSecrets: view.records('agentSecret'),
        scramCredentials: view.records('scramCredential'),
        onPasswordLogin: stats.loggedIn,
      });
}

/** What this agent has to do with the pages of its zone. */
function pageExchange(
  options: AgentOptions,
  view: ClusterView,
  peers: AgentPeers | undefined,
): PageExchange | undefined {
  const { agentKey } = options;
  if (agentKey === undefined) return undefined;
  const secrets = view.records(clusterSecrets.pageExchange.namespace);
  const accepted = (): ExchangeSecrets =>
    acceptedSecrets(clusterSecrets.pageExchange, ({ key }) => secrets.byKey.get(key)) ?? [agentKey()];
  return createPageExchange({
    ...options,
    secrets: accepted,
    self: options,
    agents: () => view.agents(),
    pageBytes,
    peers,
  });
}

interface DataPathParts {
  readonly view: ClusterView;
  readonly exchange: PageExchange | undefined;
  readonly pressure: Pressure;
  readonly stats: AgentStats;
  readonly inflation: ClientInflation;
  /** Aborted when the agent stops. */
  readonly stopping: AbortSignal;
}

/** The way of records into files and out of them, and the three APIs that take it. */
function dataPath(
  options: AgentOptions,
  { view, exchange, pressure, stats, inflation, stopping }: DataPathParts,
) {
  const { clusterId, roles, store, clock, random, log, metrics, cpuCount } = options;
  const readPath = createReadPath({
    store,
    cluster: view,
    // The memory of frames is used again as soon as their requests are answered, so that the cache needs a copy.
    pages: {
      pageBytes,
      cacheBytesMax: options.pageCacheBytesMax,
      ownFiles: 'copy',
      readahead: options.readahead,
    },
    log,
    metrics,
    ...(exchange === undefined ? {} : { remotePages: exchange.lender }),
  });
  const damage = new DamageRegistry({ view, clock, log });
  const readers = new RecentReaders(clock);
  const writePath = createWritePath({
    clusterId,
    store,
    cluster: view,
    flush: options.flush,
    inflightFilesMax: inflightFilesPerCpu * cpuCount,
    bufferedBytesMax: options.bufferedBytesMax,
    clock,
    random,
    log,
    metrics,
    onStored(file) {
      stats.fileStored(file.fileBytes);
      if (readers.areThere) readPath.adopt(file);
    },
  });
  const ownNodeId = () => view.agents().find(({ agentId }) => agentId === options.agentId)?.nodeId ?? -1;
  const share = new ShareService({
    port: view.port,
    readPath,
    damage,
    requestBytesMax: options.fetchRequestBytesMax,
    answers: pressure.answers,
    stopping,
  });
  const impersonation =
    options.impersonation &&
    new Impersonation(options.impersonation, principalsOf(view.records('credential')));
  const handlers = {
    produce: produceHandler({
      roles,
      writePath,
      recordBytesMax: options.recordBytesMax,
      ownConfigs: ownConfigsReader(ownNodeId),
      impersonation,
      inflation,
      onRequest: stats.produceAsked,
      metrics,
    }),
    fetch: fetchHandler({
      roles,
      readPath,
      damage,
      onFetch: () => readers.came(),
      sessions: new FetchSessions({ clock, random }),
      requestBytesMax: options.fetchRequestBytesMax,
      partitionBytesMax: options.fetchPartitionBytesMax,
      answers: pressure.answers,
      stopping,
    }),
    listOffsets: listOffsetsHandler({ readPath, damage, inflation }),
    shareFetch: shareFetchHandler(share, { roles, onFetch: () => readers.came() }),
    shareAcknowledge: shareAcknowledgeHandler(share),
  };
  return { writePath, readPath, damage, handlers };
}

/** Waits for a promise, but not for ever. */
function within(clock: Clock, ms: number, promise: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    void promise.finally(() => {
      cancel();
      resolve();
    });
  });
}
