import { backOffMs, type Clock } from '@weir/core';
import { apis, errors, type ReadStruct } from '@weir/wire';
import { type Address, printAddress } from './address.ts';
import { KafkaConnection } from './connection.ts';
import { ConnectionFailed, type ConnectionProblem } from './connection-failed.ts';
import type { ClientTls } from './open-socket.ts';
import { KafkaRequestFailed } from './request-failed.ts';
import type { SaslLogin } from './sasl/login.ts';

export interface ClusterOptions {
  readonly bootstrap: Address;
  readonly tls?: ClientTls | undefined;
  readonly login?: SaslLogin | undefined;
  readonly clientId: string;
  /** How long one operation may take, with all that is tried again. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

export interface Broker extends Address {
  readonly nodeId: number;
  readonly rack: string | null;
}

type MetadataAnswer = ReadStruct<typeof apis.Metadata.response.fields>;

export type TopicMetadata = MetadataAnswer['topics'][number];

/** What the cluster says of itself. */
export interface ClusterMetadata {
  readonly clusterId: string | null;
  readonly brokers: readonly Broker[];
  readonly controllerId: number;
  readonly topics: readonly TopicMetadata[];
}

/** A connection takes its time, but not the whole of what an operation has: there may be another broker to try. */
const connectTimeoutMaxMs = 10_000;

const retryBackOff = { firstMs: 100, maxMs: 1_000 };

/**
 * A topic that is not known may just have been created, for metadata may be a second old; a connection that broke may be that
 * of a broker that starts again. A mistyped name stays unknown, and whoever mistyped it should not wait for long.
 */
const shortPatienceMs = 1_500;

/** The connection was there. A broker that hangs up for a reason of its own may be one that starts again. */
const lostConnections: ReadonlySet<ConnectionProblem> = new Set<ConnectionProblem>([
  'closed',
  'closed after TLS',
  'login wanted',
]);

/** A cluster as its clients see it: one connection per broker, made when it is needed. */
export class KafkaCluster {
  readonly #options: ClusterOptions;
  readonly #connections = new Map<string, Promise<KafkaConnection>>();

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get stop(): AbortSignal {
    return this.#options.stop;
  }

  /** The connection to the address that the user gave. */
  bootstrap(): Promise<KafkaConnection> {
    return this.connectionTo(this.#options.bootstrap);
  }

  /** The connection to a broker, which is made at the first call and again after it has broken. */
  async connectionTo(address: Address): Promise<KafkaConnection> {
    const key = printAddress(address);
    // Others may be waiting for the same connection, and only one of them may replace it once it has broken.
    for (;;) {
      const existing = this.#connections.get(key);
      if (existing === undefined) break;
      const connection = await existing;
      if (!connection.isClosed) return connection;
      if (this.#connections.get(key) === existing) this.#connections.delete(key);
    }
    const { tls, login, clientId, clock, stop, timeoutMs } = this.#options;
    const opening = KafkaConnection.open({
      address,
      tls,
      login,
      clientId,
      clock,
      stop,
      timeoutMs: Math.min(timeoutMs, connectTimeoutMaxMs),
    });
    this.#connections.set(key, opening);
    try {
      return await opening;
    } catch (error) {
      this.#connections.delete(key);
      throw error;
    }
  }

  /**
   * Asks the bootstrap broker for the brokers and for some topics. A topic is created by asking for it only where the caller is
   * about to write to it and the cluster allows that. Before v4 a broker does not ask whether it may.
   */
  async metadata(
    topics: readonly string[] | 'all',
    { mayCreate = false }: { readonly mayCreate?: boolean } = {},
  ): Promise<ClusterMetadata> {
    const connection = await this.bootstrap();
    const answer = await connection.request(
      apis.Metadata,
      (version) => ({
        // In v0 the empty list asks for all topics, and there is no way to ask for none.
        topics: topics === 'all' ? (version === 0 ? [] : null) : topics.map((name) => ({ name })),
        ...(version >= 4 ? { allowAutoTopicCreation: mayCreate } : {}),
      }),
      { timeoutMs: this.timeoutMs },
    );
    if (answer.errorCode !== errors.NONE.code) throw new KafkaRequestFailed('Metadata', answer.errorCode);
    return answer;
  }

  /** The connection to whoever creates and deletes topics. */
  async controller(): Promise<KafkaConnection> {
    const { brokers, controllerId } = await this.metadata([]);
    const broker = brokers.find(({ nodeId }) => nodeId === controllerId);
    return broker === undefined ? this.bootstrap() : this.connectionTo(broker);
  }

  /**
   * Runs an operation until it succeeds, fails for good, or has taken its time. Every attempt has to ask for the metadata
   * anew, which is how a client learns of a new leader.
   */
  async retrying<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const startedAt = this.clock.monotonicMs();
    for (let retries = 0; ; retries++) {
      try {
        return await attempt();
      } catch (error) {
        const tookMs = this.clock.monotonicMs() - startedAt;
        const pauseMs = backOffMs(retries, retryBackOff);
        if (this.stop.aborted || tookMs + pauseMs > this.patienceMs(error)) throw error;
        await this.pause(pauseMs);
      }
    }
  }

  /** For how long an error is worth another try; 0 when it is not. */
  patienceMs(error: unknown): number {
    if (error instanceof KafkaRequestFailed) {
      const isUnknownTopic = error.code === errors.UNKNOWN_TOPIC_OR_PARTITION.code;
      if (isUnknownTopic) return Math.min(shortPatienceMs, this.timeoutMs);
      return error.retriable ? this.timeoutMs : 0;
    }
    if (!(error instanceof ConnectionFailed)) return 0;
    // An address that the user gave is right or wrong. One that the cluster gave may be that of a broker that has gone.
    const isBootstrap = printAddress(error.address) === printAddress(this.#options.bootstrap);
    const mayComeBack = lostConnections.has(error.problem) || (error.problem === 'refused' && !isBootstrap);
    return mayComeBack ? Math.min(shortPatienceMs, this.timeoutMs) : 0;
  }

  /** Waits, but no longer than until the user stops the command. */
  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.stop.removeEventListener('abort', finish);
        resolve();
      };
      const cancel = this.clock.after(delayMs, finish);
      this.stop.addEventListener('abort', finish);
    });
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    for (const opening of this.#connections.values()) {
      // One that never opened has told whoever asked for it.
      await opening.then(
        (connection) => connection.close(),
        () => {},
      );
    }
    this.#connections.clear();
  }
}

/** Opens a cluster for as long as `use` takes. */
export async function withCluster<Result>(
  options: ClusterOptions,
  use: (cluster: KafkaCluster) => Promise<Result>,
): Promise<Result> {
  const cluster = new KafkaCluster(options);
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}
