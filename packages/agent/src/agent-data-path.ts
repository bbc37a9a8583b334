import type { ClientInflation, ClusterView, ExchangeSecrets, Pressure, WriteHealth } from '@weir/broker';
import {
  createPageExchange,
  createReadPath,
  createWritePath,
  DamageRegistry,
  FetchSessions,
  fetchHandler,
  Impersonation,
  listOffsetsHandler,
  ownConfigsReader,
  type PageExchange,
  produceHandler,
  RecentReaders,
  SchemaValidation,
  ShareService,
  shareAcknowledgeHandler,
  shareFetchHandler,
  TopicDistribution,
  topicDistributionRows,
} from '@weir/broker';
import { acceptedSecrets, clusterSecrets } from '@weir/cluster';
import type { SchemaCache } from '@weir/registry/decoding';
import type { AgentPeers } from '@weir/security';
import { principalsOf } from '@weir/security';
import type { AgentOptions } from './agent-options.ts';
import type { AgentStats } from './stats/agent-stats.ts';

const pageBytes = 4 * 1024 * 1024;
const inflightFilesPerCpu = 64;
/** The part of this agent in the page cache of its zone. If it has no agent key, there is none. */
export function pageExchange(
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
  readonly health: WriteHealth;
  /** Schemas that records must fit where their topic demands it. */
  readonly schemas: SchemaCache | undefined;
  /** Aborted when the agent stops. */
  readonly stopping: AbortSignal;
}

/** Write path, read path, and the handlers of the APIs that use them. */
export function dataPath(
  options: AgentOptions,
  { view, exchange, pressure, stats, inflation, health, schemas, stopping }: DataPathParts,
) {
  const { clusterId, roles, store, clock, random, log, metrics, cpuCount } = options;
  const readPath = createReadPath({
    store,
    cluster: view,
    // Frames are reused as soon as their requests are answered, so the cache needs a copy.
    pages: {
      pageBytes,
      cacheBytesMax: options.pageCacheBytesMax,
      ownFiles: 'copy',
      readahead: options.readahead,
    },
    clock,
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
    bucket: () => options.buckets?.ingestion ?? 0,
    hedgesUploads: options.hedgesUploads,
    usesFileIdRanges: options.usesFileIdRanges,
    inflightFilesMax: inflightFilesPerCpu * cpuCount,
    bufferedBytesMax: options.bufferedBytesMax,
    clock,
    random,
    log,
    metrics,
    health,
    onStored(file) {
      stats.fileStored(file.fileBytes);
      if (readers.hasAny) readPath.adopt(file);
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
  const distributionBy = (row: keyof typeof topicDistributionRows) =>
    options.countsPerTopic === true ? new TopicDistribution(metrics, topicDistributionRows[row]) : undefined;
  const handlers = {
    produce: produceHandler({
      roles,
      writePath,
      recordBytesMax: options.recordBytesMax,
      ownConfigs: ownConfigsReader(ownNodeId),
      impersonation,
      schemaValidation:
        schemas && new SchemaValidation({ cache: schemas, clock, metrics, onInvalid: stats.recordsInvalid }),
      inflation,
      onRequest: stats.produceRequested,
      onWritten: stats.produceWritten,
      metrics,
      distribution: distributionBy('produced'),
    }),
    fetch: fetchHandler({
      roles,
      readPath,
      damage,
      onFetch: () => readers.came(),
      sessions: new FetchSessions({ clock, random }),
      requestBytesMax: options.fetchRequestBytesMax,
      partitionBytesMax: options.fetchPartitionBytesMax,
      returnsSingleBatch: options.fetchesSingleBatch === true,
      distribution: distributionBy('fetched'),
      answers: pressure.answers,
      stopping,
    }),
    listOffsets: listOffsetsHandler({ readPath, damage, inflation }),
    shareFetch: shareFetchHandler(share, { roles, onFetch: () => readers.came() }),
    shareAcknowledge: shareAcknowledgeHandler(share),
  };
  return { writePath, readPath, damage, impersonation, handlers };
}
