import { type Clock, type Log, type Metrics, type Random, release } from '@weir/core';
import type { AgentDescription, ClusterPort } from '@weir/metadata';
import type { ObjectStore } from '@weir/storage';
import type { ClusterView } from './cluster/cluster-view.ts';
import { createClusterView } from './cluster/following-view.ts';
import { produceHandler } from './handlers/00-produce.ts';
import { fetchHandler } from './handlers/01-fetch.ts';
import { listOffsetsHandler } from './handlers/02-list-offsets.ts';
import { FetchSessions } from './handlers/fetch-sessions.ts';
import { createHandlers } from './handlers/table.ts';
import { Heartbeats } from './heartbeats.ts';
import { startHttpListener } from './http/http-server.ts';
import { metricsRoutes, probeRoutes } from './http/probe-routes.ts';
import { defaultListenerLimits } from './net/limits.ts';
import { startKafkaListener } from './net/listener.ts';
import { nodeIdOf } from './placement/node-id.ts';
import type { PartitionAssignmentStrategy } from './placement/strategies.ts';
import { createReadPath } from './read-path/read-path.ts';
import type { FlushLimits } from './write-path/data-file.ts';
import { createWritePath } from './write-path/write-path.ts';

export interface AgentOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly group: string;
  readonly zone: string;
  readonly roles: readonly string[];
  /** Where it listens. */
  readonly host: string;
  /** 0 takes any free port, here and below. */
  readonly kafkaPort: number;
  readonly httpPort: number;
  /** Where clients are told to connect; the port is the one that is listened on. */
  readonly advertisedHost: string;
  /** Whether `/metrics` answers. */
  readonly servesMetrics: boolean;
  readonly cluster: ClusterPort;
  readonly store: ObjectStore;
  readonly flush: FlushLimits;
  readonly recordBytesMax: number;
  readonly fetchRequestBytesMax: number;
  readonly fetchPartitionBytesMax: number;
  readonly pageCacheBytesMax: number;
  readonly bufferedBytesMax: number;
  readonly idleConnectionMs: number;
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
  const view = createClusterView(cluster, { log });
  started.defer(() => view.close());
  const { writePath, handlers } = dataPath(options, view);

  let isReady = false;
  const http = await startHttpListener({
    host: options.host,
    port: options.httpPort,
    routes: [...probeRoutes(() => isReady), ...(options.servesMetrics ? metricsRoutes(metrics) : [])],
    log,
  });
  started.defer(() => http.close());

  let kafkaPort = options.kafkaPort;
  const cpuLoad = cpuMeter(clock, cpuCount);
  const self = (): AgentDescription => ({
    agentId: options.agentId,
    nodeId: nodeIdOf(options.agentId),
    host: options.advertisedHost,
    kafkaPort,
    internalUrl: `http://${options.advertisedHost}:${http.port}`,
    zone: options.zone,
    group: options.group,
    roles: options.roles,
    release,
    cpuCount,
    cpuLoad: cpuLoad(),
  });
  await view.ready();
  const kafka = await startKafkaListener({
    host: options.host,
    port: options.kafkaPort,
    handle: createHandlers({
      cluster: view,
      clock,
      log,
      self,
      defaultStrategy: options.defaultStrategy,
      ...handlers,
    }),
    limits: { ...defaultListenerLimits(cpuCount), idleMs: options.idleConnectionMs },
    clock,
    log,
    metrics,
  });
  let stopDeadlineMs = 0;
  // The listener waits for answers that wait for files, which are not to wait for their window.
  started.defer(async () => {
    const drained = within(clock, stopDeadlineMs, writePath.drain());
    await Promise.all([kafka.stop({ deadlineMs: stopDeadlineMs }), drained]);
    writePath.abandon();
  });
  kafkaPort = kafka.port;
  const heartbeats = new Heartbeats({ port: cluster, self, clock, log });
  started.defer(() => heartbeats.stop());
  await heartbeats.start();
  // Whoever cannot be told learns it from the silence.
  started.defer(() => cluster.leave(options.agentId).catch(() => undefined));
  isReady = true;
  log.info('the agent is ready', { kafkaPort, httpPort: http.port });

  return {
    kafkaPort,
    httpPort: http.port,
    async stop({ deadlineMs }) {
      stopDeadlineMs = deadlineMs;
      await started.disposeAsync();
      log.info('the agent has stopped');
    },
  };
}

/** The way of records into files and out of them, and the three APIs that take it. */
function dataPath(options: AgentOptions, view: ClusterView) {
  const { clusterId, store, clock, random, log, metrics, cpuCount } = options;
  const readPath = createReadPath({
    store,
    cluster: view,
    // Frames are slices of chunks that the socket never uses again, so that a file may stay in the cache as it was written.
    pages: { pageBytes, cacheBytesMax: options.pageCacheBytesMax, ownFiles: 'keep' },
    log,
    metrics,
  });
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
    onStored: (file) => readPath.adopt(file),
  });
  const handlers = {
    produce: produceHandler({ writePath, recordBytesMax: options.recordBytesMax }),
    fetch: fetchHandler({
      readPath,
      sessions: new FetchSessions({ clock, random }),
      requestBytesMax: options.fetchRequestBytesMax,
      partitionBytesMax: options.fetchPartitionBytesMax,
    }),
    listOffsets: listOffsetsHandler({ readPath }),
  };
  return { writePath, handlers };
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

/** The share of all processors that this process used since it was asked last. */
function cpuMeter(clock: Clock, cpuCount: number): () => number {
  let lastMs = clock.monotonicMs();
  let last = process.cpuUsage();
  let load = 0;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lastMs < 100) return load;
    const { user, system } = process.cpuUsage(last);
    load = Math.min(1, (user + system) / 1000 / (nowMs - lastMs) / cpuCount);
    last = process.cpuUsage();
    lastMs = nowMs;
    return load;
  };
}
