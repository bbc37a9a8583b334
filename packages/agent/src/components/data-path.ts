import type { ClusterView, PageExchange, Pressure, WriteHealth } from '@weir/broker';
import {
  ClientInflation,
  createCopyPath,
  createReadPath,
  createWritePath,
  DamageRegistry,
  FetchSessions,
  fetchHandler,
  Impersonation,
  listOffsetsHandler,
  ManagedWrites,
  ownConfigsReader,
  produceHandler,
  RecentReaders,
  SchemaValidation,
  ShareService,
  type StoredFile,
  shareAcknowledgeHandler,
  shareFetchHandler,
  TopicDistribution,
  topicDistributionRows,
  withLightning,
} from '@weir/broker';
import { migrationRows, openWrittenSource, SourceWrites } from '@weir/jobs';
import type { RecordSchemas } from '@weir/registry/decoding';
import { principalsOf } from '@weir/security';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { pageBytes } from './page-exchange.ts';

const inflightFilesPerCpu = 64;

interface Needs extends AgentContext {
  readonly view: ClusterView;
  readonly exchange: PageExchange | undefined;
  readonly pressure: Pressure;
  readonly health: WriteHealth;
  /** Schemas that records must fit where their topic demands it. */
  readonly schemas: RecordSchemas | undefined;
}

/** Write path, read path, and the handlers of the APIs that use them. They stop with the listener. */
export const dataPath = {
  name: 'data path',
  start(context: Needs) {
    const stopping = new AbortController();
    const inflation = new ClientInflation();
    return started({ stopping, inflation, ...createDataPath(context, inflation, stopping.signal) });
  },
};

function createDataPath(
  { options, view, exchange, pressure, stats, health, schemas, tenantAccess }: Needs,
  inflation: ClientInflation,
  stopping: AbortSignal,
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
  const writeOptions = {
    clusterId,
    store,
    cluster: view,
    flush: options.flush,
    bucket: () => options.buckets?.ingestion ?? 0,
    usesFileIdRanges: options.usesFileIdRanges,
    inflightFilesMax: inflightFilesPerCpu * cpuCount,
    bufferedBytesMax: options.bufferedBytesMax,
    clock,
    random,
    log,
    metrics,
    health,
    onStored(file: StoredFile) {
      stats.fileStored(file.fileBytes);
      if (readers.hasAny) readPath.adopt(file);
    },
  };
  const { hedgesUploads, commitsContent } = options;
  const classicWrites = createWritePath({ ...writeOptions, hedgesUploads, commitsContent });
  // Where a commit stores the file, nothing is stored before it.
  const ownWrites =
    commitsContent === undefined
      ? withLightning(classicWrites, {
          ...writeOptions,
          agentId: options.agentId,
          hasRipcord: options.hasRipcord,
        })
      : classicWrites;
  const sourceWrites = new SourceWrites({
    port: view.port,
    open: (source, stop) => openWrittenSource(source, stop, { tenantAccess, clock }),
    clock,
    log,
    stopping,
  });
  const managedWrites = new ManagedWrites({
    view,
    source: sourceWrites,
    onPassedOn: (topic, { recordCount, byteLength, isStored }) => {
      if (!isStored) metrics.series(migrationRows.failedForwards, { topic }).add(1);
      else {
        metrics.series(migrationRows.forwardedRecords, { topic }).add(recordCount);
        metrics.series(migrationRows.forwardedBytes, { topic }).add(byteLength);
      }
    },
    clock,
  });
  const writePath = managedWrites.around(ownWrites);
  const copyPath = createCopyPath({
    clusterId,
    store,
    cluster: view,
    bucket: () => options.buckets?.ingestion ?? 0,
    clock,
    random,
    log,
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
  const dataHandlers = {
    produce: produceHandler({
      roles,
      writePath,
      recordBytesMax: options.recordBytesMax,
      areAllLightning: options.hasRipcord,
      ownConfigs: ownConfigsReader(ownNodeId),
      impersonation,
      schemaValidation:
        schemas &&
        new SchemaValidation({ cache: schemas.cache, clock, metrics, onInvalid: stats.recordsInvalid }),
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
      hidesOutOfRange:
        options.hidesOutOfRange === true ? (topicId) => managedWrites.isManaged(topicId) : undefined,
      distribution: distributionBy('fetched'),
      answers: pressure.answers,
      stopping,
    }),
    listOffsets: listOffsetsHandler({ readPath, damage, inflation }),
    shareFetch: shareFetchHandler(share, { roles, onFetch: () => readers.came() }),
    shareAcknowledge: shareAcknowledgeHandler(share),
  };
  return { writePath, managedWrites, copyPath, readPath, damage, impersonation, dataHandlers };
}
