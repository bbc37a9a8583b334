import type { ClusterPort } from '@weir/cluster';
import { type Log, Metrics, type Random, seededRandom, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { type Access, fullAccess, openSession, principalsOf } from '@weir/security';
import {
  type CallOptions,
  type FailedDeletion,
  type GetOptions,
  type ObjectInfo,
  ObjectNotFound,
  type ObjectStore,
  type ObjectUpload,
} from '@weir/storage';
import {
  type Api,
  type ApiName,
  type Apis,
  apis,
  buildRecordBatch,
  decodeRequestBody,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  type Fields,
  type ReadStruct,
  type RecordBatchFields,
  type RecordToWrite,
  requestHeaderVersion,
  type WriteStruct,
} from '@weir/wire';
import { createClusterView, type FollowingClusterView } from '../src/cluster/following-view.ts';
import { DamageRegistry } from '../src/damage/damage-registry.ts';
import { FetchSessions } from '../src/fetch/fetch-sessions.ts';
import { produceHandler } from '../src/handlers/00-produce.ts';
import { fetchHandler } from '../src/handlers/01-fetch.ts';
import { listOffsetsHandler } from '../src/handlers/02-list-offsets.ts';
import { createPagePool } from '../src/read-path/page-pool.ts';
import { createReadPath, type PageOptions, type ReadPath } from '../src/read-path/read-path.ts';
import { AnswerHold } from '../src/requests/answer-hold.ts';
import type { Handler, RequestContext } from '../src/requests/handler.ts';
import { RequestQuotas } from '../src/requests/request-quotas.ts';
import type { FlushLimits } from '../src/write-path/data-file.ts';
import type { StoredFile } from '../src/write-path/file-uploads.ts';
import { createWritePath } from '../src/write-path/file-write-path.ts';
import { Impersonation, type ImpersonationOptions } from '../src/write-path/impersonation/impersonation.ts';
import { withLightning } from '../src/write-path/lightning/lightning-writes.ts';
import type { ProducedBatch } from '../src/write-path/produced-batch.ts';
import type { WritePath } from '../src/write-path/write-path.ts';

/** A bucket in memory whose calls a test can delay or fail. */
export class TestStore implements ObjectStore {
  readonly objects = new Map<string, Buffer>();
  /** The clock by which it dates objects; those that a test puts into `objects` itself are as old as can be. */
  nowMs: () => number = () => 0;
  readonly #modifiedMs = new Map<string, number>();
  puts = 0;
  gets = 0;
  runningPuts = 0;
  runningPutsMax = 0;
  runningGets = 0;
  runningGetsMax = 0;
  /** Awaited before the content is copied, as a slow store reads its input late. Throws to fail the call. */
  beforePut: (put: number) => Promise<void> | void = () => {};
  beforeGet: (get: number) => Promise<void> | void = () => {};

  async put(
    key: string,
    content: readonly Uint8Array[],
    options?: Parameters<ObjectStore['put']>[2],
  ): Promise<void> {
    const put = ++this.puts;
    this.runningPutsMax = Math.max(this.runningPutsMax, ++this.runningPuts);
    try {
      await orAborted(this.beforePut(put), options?.signal);
      this.#set(key, content);
    } finally {
      this.runningPuts--;
    }
  }

  /** Whether objects are read into the memory of the caller, as from a disk; else they are returned by reference. */
  readsIntoMemory = true;
  /** The version of its objects, as of a store on this machine; none by default. */
  version: string | undefined;

  async getRange(key: string, start: number, end: number, options: GetOptions = {}): Promise<Buffer> {
    const get = ++this.gets;
    this.runningGetsMax = Math.max(this.runningGetsMax, ++this.runningGets);
    try {
      await this.beforeGet(get);
      const found = this.objects.get(key);
      if (found === undefined) throw new ObjectNotFound(key);
      if (this.version !== undefined) options.onVersion?.(this.version);
      const range = found.subarray(start, end);
      if (!this.readsIntoMemory || options.memory === undefined) return range;
      const copy = options.memory(range.length);
      range.copy(copy);
      return copy;
    } finally {
      this.runningGets--;
    }
  }

  async putIfAbsent(key: string, content: readonly Uint8Array[]): Promise<boolean> {
    if (this.objects.has(key)) return false;
    await this.put(key, content);
    return true;
  }

  async beginUpload(key: string): Promise<ObjectUpload> {
    const parts: Buffer[] = [];
    return {
      putPart: async (index, content, options) => {
        await orAborted(this.beforePut(++this.puts), options?.signal);
        parts[index] = Buffer.concat(content);
      },
      finish: async () => this.#set(key, parts),
      abort: async () => {},
    };
  }

  #set(key: string, content: readonly Uint8Array[]): void {
    this.objects.set(key, Buffer.concat(content));
    this.#modifiedMs.set(key, this.nowMs());
  }

  #infoOf(key: string, { length }: Buffer): ObjectInfo {
    return { key, bytes: length, modifiedMs: this.#modifiedMs.get(key) ?? 0 };
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    const found = this.objects.get(key);
    return found && this.#infoOf(key, found);
  }

  async delete(key: string): Promise<void> {
    this.objects.delete(key);
  }

  async deleteMany(keys: readonly string[]): Promise<readonly FailedDeletion[]> {
    for (const key of keys) this.objects.delete(key);
    return [];
  }

  async *list(
    prefix: string,
    _options?: CallOptions,
  ): AsyncGenerator<readonly ObjectInfo[], void, undefined> {
    const page = [...this.objects]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, content]) => this.#infoOf(key, content));
    if (page.length > 0) yield page;
  }

  async close(): Promise<void> {}
}

/** Settles at the latest when the signal is aborted. */
async function orAborted(waiting: Promise<void> | void, signal: AbortSignal | undefined): Promise<void> {
  if (waiting === undefined || signal === undefined) return waiting;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([waiting, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export interface DataPathOptions {
  readonly flush?: Partial<FlushLimits>;
  readonly hedgesUploads?: boolean;
  readonly commitsContent?: (bucket: number) => boolean;
  /** Whether there are lightning topics, and under which id the agent registers its sequences of files. */
  readonly lightningAgentId?: string;
  /** Whether that agent accepts records without a leader. */
  readonly hasRipcord?: boolean;
  readonly sealedFilesMax?: number;
  readonly inflightFilesMax?: number;
  readonly bufferedBytesMax?: number;
  readonly pages?: Partial<PageOptions>;
  readonly store?: TestStore;
  /** Of the write path. */
  readonly log?: Log;
  /** Memory of pages that is taken, and poisoned, at a time. */
  readonly poolSlabBytes?: number;
  readonly fetchRequestBytesMax?: number;
  readonly fetchPartitionBytesMax?: number;
  readonly fetchesSingleBatch?: boolean;
  readonly hidesOutOfRange?: (topicId: string) => boolean;
  readonly recordBytesMax?: number;
  readonly impersonation?: ImpersonationOptions;
  readonly clusterConfigs?: Readonly<Record<string, string>>;
  /** The clock of the leader, if it differs. */
  readonly clusterClock?: HandClock;
  readonly seed?: number;
  /** Wraps the port between the agent and its cluster. */
  readonly port?: (cluster: TestCluster) => ClusterPort;
}

/**
 * An agent without sockets: both paths and their handlers, over a cluster and a bucket in memory, and a clock that the
 * test advances.
 */
export class DataPath {
  readonly clock = new HandClock();
  readonly metrics = new Metrics();
  readonly store: TestStore;
  readonly pool: ReturnType<typeof createPagePool>;
  readonly random: Random;
  readonly cluster: TestCluster;
  readonly view: FollowingClusterView;
  readonly readPath: ReadPath;
  readonly damage: DamageRegistry;
  readonly writePath: WritePath;
  readonly sessions: FetchSessions;
  readonly closed = new AbortController();
  readonly #handlers: Partial<Record<ApiName, unknown>>;

  constructor(options: DataPathOptions = {}) {
    const { clock, metrics } = this;
    const { store = new TestStore() } = options;
    this.store = store;
    this.random = seededRandom(options.seed ?? 1);
    const { poolSlabBytes: slabBytes = 4 << 20 } = options;
    this.pool = createPagePool({ slabBytes, bytesMax: 128 << 20, poisons: true });
    const { clusterConfigs = {}, clusterClock } = options;
    this.cluster = new TestCluster({ clusterConfigs, ...(clusterClock && { clock: clusterClock }) });
    this.view = createClusterView(options.port?.(this.cluster) ?? this.cluster, {
      log: silentLog,
      ...(options.hasRipcord === true && { clock, servesWithoutLeader: true }),
    });
    this.readPath = createReadPath({
      store,
      cluster: this.view,
      pages: { pageBytes: 4 << 20, cacheBytesMax: 64 << 20, ownFiles: 'keep', ...options.pages },
      pool: this.pool,
      clock,
      log: silentLog,
      metrics,
    });
    this.damage = new DamageRegistry({ view: this.view, clock, log: silentLog });
    const writeOptions = {
      clusterId: this.cluster.clusterId,
      store,
      cluster: this.view,
      flush: { windowMs: 0, uncompressedBytesMax: 64 << 20, compressedBytesMax: 1 << 20, ...options.flush },
      inflightFilesMax: options.inflightFilesMax ?? 64,
      bufferedBytesMax: options.bufferedBytesMax ?? 64 << 20,
      clock,
      random: this.random,
      log: options.log ?? silentLog,
      metrics,
      onStored: (file: StoredFile) => this.readPath.adopt(file),
    };
    const { hedgesUploads, commitsContent, lightningAgentId: agentId, hasRipcord, sealedFilesMax } = options;
    const classic = createWritePath({ ...writeOptions, hedgesUploads, commitsContent });
    this.writePath =
      agentId === undefined
        ? classic
        : withLightning(classic, { ...writeOptions, agentId, hasRipcord, sealedFilesMax });
    this.sessions = new FetchSessions({ clock, random: this.random });
    this.#handlers = {
      Produce: produceHandler({
        roles: ['proxy'],
        metrics,
        writePath: this.writePath,
        recordBytesMax: options.recordBytesMax ?? 32 << 20,
        areAllLightning: hasRipcord,
        impersonation:
          options.impersonation &&
          new Impersonation(options.impersonation, principalsOf(this.view.records('credential'))),
      }),
      Fetch: fetchHandler({
        roles: ['proxy'],
        readPath: this.readPath,
        damage: this.damage,
        sessions: this.sessions,
        requestBytesMax: options.fetchRequestBytesMax ?? 256 << 20,
        partitionBytesMax: options.fetchPartitionBytesMax ?? 256 << 20,
        returnsSingleBatch: options.fetchesSingleBatch ?? false,
        hidesOutOfRange: options.hidesOutOfRange,
      }),
      ListOffsets: listOffsetsHandler({ readPath: this.readPath, damage: this.damage }),
    };
  }

  /** Waits until the agent knows what the test has set up. */
  async ready(): Promise<void> {
    await this.view.ready();
    await settle();
  }

  /** Permissions of clients. */
  access: Access = fullAccess();

  context(api: Api, apiVersion: number): RequestContext {
    return {
      api,
      apiVersion,
      clientId: 'test',
      remoteAddress: '127.0.0.1',
      remotePort: 40_000,
      session: openSession({ remoteAddress: '127.0.0.1', remotePort: 40_000 }),
      access: this.access,
      origin: { connection: 'test', request: 0 },
      quotas: new RequestQuotas(undefined, { user: 'test', clientId: 'test' }),
      cluster: this.view,
      clock: this.clock,
      log: silentLog,
      closed: this.closed.signal,
      left: this.closed.signal,
    };
  }

  /** Sends a request through both codecs, as a client would see it. */
  async call<Name extends 'Produce' | 'Fetch' | 'ListOffsets'>(
    name: Name,
    apiVersion: number,
    body: RequestBody<Name>,
  ): Promise<ResponseBody<Name> | 'noReply' | 'close'> {
    const api = apis[name] as unknown as Api;
    const frame = Buffer.concat(
      encodeRequest(api, apiVersion, { correlationId: 7, clientId: null }, body as WriteStruct<Fields>),
    ).subarray(4);
    const headerBytes = requestHeaderVersion(api, apiVersion) === 2 ? 11 : 10;
    const { body: request } = decodeRequestBody(api, apiVersion, frame, headerBytes);
    const handler = this.#handlers[name] as Handler<Fields, Fields>;
    const hold = new AnswerHold();
    const response = await handler(request, { ...this.context(api, apiVersion), hold });
    if (response === 'noReply' || response === 'close') return response;
    const bytes = Buffer.concat(encodeResponse(api, apiVersion, 7, response)).subarray(4);
    hold.release();
    return decodeResponse(api, apiVersion, bytes).body as ResponseBody<Name>;
  }
}

type RequestBody<Name extends ApiName> =
  Apis[Name] extends Api<infer Request, Fields> ? WriteStruct<Request> : never;
export type ResponseBody<Name extends ApiName> =
  Apis[Name] extends Api<Fields, infer Response> ? ReadStruct<Response> : never;

export function record(value: string | Buffer, timestamp = 1_000n, key: string | null = null): RecordToWrite {
  return { timestamp, key: key === null ? null : Buffer.from(key), value: Buffer.from(value) };
}

/** A Produce request with batches for the first partitions of a topic. */
export function produceRequest(
  name: string,
  batches: readonly Buffer[],
  transactionalId: string | null = null,
) {
  const partitionData = batches.map((batch, index) => ({ index, records: [batch] }));
  return { transactionalId, acks: -1, timeoutMs: 30_000, topicData: [{ name, partitionData }] };
}

export function batchOf(values: readonly (string | Buffer)[], fields: RecordBatchFields = {}): Buffer {
  return buildRecordBatch(
    values.map((value) => record(value)),
    fields,
  );
}

/** Returns an unvalidated batch in the form that the write path takes. */
export function produced(
  topicId: string,
  partition: number,
  bytes: Buffer,
  producer: { producerId?: number; producerEpoch?: number; baseSequence?: number } = {},
): ProducedBatch {
  return {
    topicId,
    partition,
    bytes,
    uncompressedBytes: bytes.length,
    recordCount: bytes.readInt32BE(57),
    maxTimestampMs: Number(bytes.readBigInt64BE(35)),
    producerId: producer.producerId ?? -1,
    producerEpoch: producer.producerEpoch ?? (producer.producerId === undefined ? -1 : 0),
    baseSequence: producer.baseSequence ?? -1,
  };
}
