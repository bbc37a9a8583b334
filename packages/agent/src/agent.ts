import { type Clock, type Log, type Metrics, type Random, release } from '@weir/core';
import type { AgentDescription, ClusterPort } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import type { ClusterView } from './cluster/cluster-view.ts';
import { createClusterView } from './cluster/following-view.ts';
import { produceHandler } from './handlers/00-produce.ts';
import { fetchHandler } from './handlers/01-fetch.ts';
import { listOffsetsHandler } from './handlers/02-list-offsets.ts';
import { shareFetchHandler } from './handlers/78-share-fetch.ts';
import { shareAcknowledgeHandler } from './handlers/79-share-acknowledge.ts';
import { bareAddress } from './handlers/client-host.ts';
import { FetchSessions } from './handlers/fetch-sessions.ts';
import { countingOutcomes } from './handlers/produce-outcomes.ts';
import { createHandlers } from './handlers/table.ts';
import { Heartbeats } from './heartbeats.ts';
import { startHttpListener } from './http/http-server.ts';
import { metricsRoutes, probeRoutes } from './http/probe-routes.ts';
import { defaultListenerLimits, type ListenerLimits } from './net/limits.ts';
import { startKafkaListener } from './net/listener.ts';
import { createPageExchange, type PageExchange } from './page-exchange/page-exchange.ts';
import type { ZoneOfAddress } from './placement/address-zones.ts';
import { MeasuredLoads } from './placement/measured-loads.ts';
import { nodeIdOf } from './placement/node-id.ts';
import type { PartitionAssignmentStrategy } from './placement/strategies.ts';
import type { LoadSource } from './pressure/load-source.ts';
import { createPressure, type Pressure } from './pressure/pressure.ts';
import { ClientQuotas } from './quotas/client-quotas.ts';
import { createReadPath } from './read-path/read-path.ts';
import { ShareService } from './share/share-service.ts';
import { ShutdownLock } from './shutdown-lock.ts';
import { ClientTelemetry } from './telemetry/client-telemetry.ts';
import type { FlushLimits } from './write-path/data-file.ts';
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
  /** Whether `/metrics` answers. */
  readonly servesMetrics: boolean;
  readonly cluster: ClusterPort;
  /** The key of the cluster's agents, by which they recognise each other. Without it this agent shares no pages with others. */
  readonly agentKey?: () => string;
  readonly store: ObjectStore;
  readonly flush: FlushLimits;
  readonly recordBytesMax: number;
  readonly fetchRequestBytesMax: number;
  readonly fetchPartitionBytesMax: number;
  readonly pageCacheBytesMax: number;
  /** Whether readers of one partition find the next pages in memory. */
  readonly readsOn: boolean;
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
  readonly cpuCount: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface RunningAgent {
  readonly kafkaPort: number;
  readonly httpPort: number;
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
  try {
    return await start(options, started);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function start(options: AgentOptions, started: AsyncDisposableStack): Promise<RunningAgent> {
  const { cluster, clock, log, metrics, cpuCount } = options;
  const loads = new MeasuredLoads(clock);
  const view = createClusterView(cluster, { log, onChanges: (changes) => loads.observe(changes) });
  started.defer(() => view.close());
  const exchange = pageExchange(options, view);
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
  const { writePath, readPath, handlers } = dataPath(options, {
    view,
    exchange,
    pressure,
    stopping: stopping.signal,
  });

  let isReady = false;
  const http = await startHttpListener({
    host: options.host,
    port: options.httpPort,
    routes: [
      ...probeRoutes(() => isReady),
      ...(options.servesMetrics ? metricsRoutes(metrics) : []),
      ...(exchange?.routes((fileId, index) => readPath.lendPage(fileId, index)) ?? []),
    ],
    log,
  });
  started.defer(() => http.close());

  let kafkaPort = options.kafkaPort;
  const self = (): AgentDescription => ({
    agentId: options.agentId,
    nodeId: nodeIdOf(options.agentId),
    host: options.advertisedHost,
    kafkaPort,
    internalUrl: `http://${inUrl(options.internalHost ?? options.advertisedHost)}:${http.port}`,
    zone: options.zone,
    group: options.group,
    roles: options.roles,
    release,
    cpuCount,
    cpuLoad: monitor.cpu,
  });
  await view.ready();
  const quotas = new ClientQuotas({ records: view.records('clientQuota'), clock, metrics });
  const telemetry = new ClientTelemetry({ records: view.records('clientMetrics'), clock, log, metrics });
  const kafka = await startKafkaListener({
    host: options.host,
    port: options.kafkaPort,
    handle: createHandlers({
      cluster: view,
      clock,
      log,
      self,
      agentConfigs: { 'message.max.bytes': String(options.recordBytesMax) },
      defaultStrategy: options.defaultStrategy,
      zoneOfAddress: options.zoneOfAddress,
      loads,
      metadataTurns: pressure.metadataTurns,
      slowDown: pressure.slowDown,
      quotas,
      telemetry,
      ...handlers,
    }),
    limits,
    answers,
    admit: (address) => quotas.connected(bareAddress(address)),
    clock,
    log,
    metrics,
  });
  let stopEndMs = 0;
  const leftMs = () => Math.max(0, stopEndMs - clock.monotonicMs());
  // The listener waits for answers that wait for files, which are not to wait for their window.
  started.defer(async () => {
    stopping.abort();
    const drained = within(clock, leftMs(), writePath.drain());
    await Promise.all([kafka.stop({ deadlineMs: leftMs() }), drained]);
    writePath.abandon();
  });
  kafkaPort = kafka.port;
  const heartbeats = new Heartbeats({ port: cluster, self, clock, log, metrics });
  // Before anything else, so that the other agents send clients elsewhere. Whoever cannot be told learns it from the silence.
  started.defer(() => {
    heartbeats.stop();
    const left = cluster.leave(options.agentId).catch(() => undefined);
    return within(clock, Math.min(leftMs(), leaveMsMax), left);
  });
  await heartbeats.start();
  isReady = true;
  log.info('the agent is ready', { kafkaPort, httpPort: http.port });

  return {
    kafkaPort,
    httpPort: http.port,
    async stop({ deadlineMs }) {
      stopEndMs = clock.monotonicMs() + deadlineMs;
      const { agentId, group } = options;
      const lock = options.locksShutdown
        ? new ShutdownLock({ port: cluster, agentId, group, clock, log })
        : undefined;
      await lock?.take(deadlineMs - Math.min(stopMsMin, deadlineMs / 2));
      await started.disposeAsync();
      if (lock !== undefined) await within(clock, leaveMsMax, lock.release());
      log.info('the agent has stopped');
    },
  };
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** What this agent has to do with the pages of its zone. */
function pageExchange(options: AgentOptions, view: ClusterView): PageExchange | undefined {
  const { agentKey } = options;
  if (agentKey === undefined) return undefined;
  return createPageExchange({ ...options, agentKey, self: options, agents: () => view.agents(), pageBytes });
}

interface DataPathParts {
  readonly view: ClusterView;
  readonly exchange: PageExchange | undefined;
  readonly pressure: Pressure;
  /** Aborted when the agent stops. */
  readonly stopping: AbortSignal;
}

/** The way of records into files and out of them, and the three APIs that take it. */
function dataPath(options: AgentOptions, { view, exchange, pressure, stopping }: DataPathParts) {
  const { clusterId, store, clock, random, log, metrics, cpuCount } = options;
  const readPath = createReadPath({
    store,
    cluster: view,
    // The memory of frames is used again as soon as their requests are answered, so that the cache needs a copy.
    pages: {
      pageBytes,
      cacheBytesMax: options.pageCacheBytesMax,
      ownFiles: 'copy',
      readsOn: options.readsOn,
    },
    log,
    metrics,
    ...(exchange === undefined ? {} : { remotePages: exchange.lender }),
  });
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
      if (readers.areThere) readPath.adopt(file);
    },
  });
  const share = new ShareService({
    port: view.port,
    readPath,
    requestBytesMax: options.fetchRequestBytesMax,
    answers: pressure.answers,
    stopping,
  });
  const handlers = {
    produce: countingOutcomes(produceHandler({ writePath, recordBytesMax: options.recordBytesMax }), metrics),
    fetch: fetchHandler({
      readPath,
      onFetch: () => readers.came(),
      sessions: new FetchSessions({ clock, random }),
      requestBytesMax: options.fetchRequestBytesMax,
      partitionBytesMax: options.fetchPartitionBytesMax,
      answers: pressure.answers,
      stopping,
    }),
    listOffsets: listOffsetsHandler({ readPath }),
    shareFetch: shareFetchHandler(share, () => readers.came()),
    shareAcknowledge: shareAcknowledgeHandler(share),
  };
  return { writePath, readPath, handlers };
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
