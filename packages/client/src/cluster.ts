import { backOffMs, type Clock, pauseUnlessStopped } from '@weir/core';
import { apis, errors, type ReadStruct } from '@weir/wire';
import { type Address, printAddress } from './address.ts';
import { KafkaConnection } from './connection.ts';
import { ConnectionFailed, type ConnectionProblem } from './connection-failed.ts';
import { metadataBody } from './metadata-body.ts';
import type { ClientTls, LookupFor } from './open-socket.ts';
import { KafkaRequestFailed } from './request-failed.ts';
import type { SaslLogin } from './sasl/login.ts';

export interface ClusterOptions {
  /** Brokers of the cluster, any of which can name the others. They are tried in this order. */
  readonly bootstrap: readonly [Address, ...Address[]];
  readonly tls?: ClientTls | undefined;
  readonly login?: SaslLogin | undefined;
  readonly clientId: string;
  /** Timeout of one operation, including all retries. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Which addresses may be connected to, those that brokers name included. Absent if all may. */
  readonly lookupFor?: LookupFor | undefined;
  /** Whether the first bootstrap address serves for every broker, whatever addresses they name. */
  readonly isOneAddress?: boolean | undefined;
  /** Called when a connection was made, could not be made, or broke. */
  readonly onConnection?: ((change: ConnectionChange) => void) | undefined;
}

export type ConnectionChange = 'up' | 'failed' | 'lost';

export interface Broker extends Address {
  readonly nodeId: number;
  readonly rack: string | null;
}

type MetadataAnswer = ReadStruct<typeof apis.Metadata.response.fields>;

export type TopicMetadata = MetadataAnswer['topics'][number];

/** The Metadata response. */
export interface ClusterMetadata {
  readonly clusterId: string | null;
  readonly brokers: readonly Broker[];
  readonly controllerId: number;
  readonly topics: readonly TopicMetadata[];
}

/** Connecting may use only part of the timeout of an operation: there may be another broker to try. */
const connectTimeoutMaxMs = 10_000;

const retryBackOff = { firstMs: 100, maxMs: 1_000 };

/**
 * How long to retry an unknown topic, which may just have been created (metadata may be a second old), and a lost
 * connection, because the broker may be restarting. A mistyped name stays unknown, and its user should not wait for
 * long.
 */
const shortPatienceMs = 1_500;

/** Problems of an established connection. A broker that closes it may be restarting. */
const lostConnections: ReadonlySet<ConnectionProblem> = new Set<ConnectionProblem>([
  'closed',
  'closed after TLS',
  'login wanted',
]);

/** A cluster as its clients see it: one connection per broker, opened on demand. */
export class KafkaCluster {
  readonly #options: ClusterOptions;
  readonly #connections = new Map<string, Promise<KafkaConnection>>();
  /** The index of the bootstrap address that was connected to last. */
  #usedBootstrap = 0;

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

  /** The connection to an address that the user gave: the one used before, or else the first that can be reached. */
  async bootstrap(): Promise<KafkaConnection> {
    const addresses = this.#options.bootstrap;
    const failures: ConnectionFailed[] = [];
    for (let tried = 0; tried < addresses.length; tried++) {
      const index = (this.#usedBootstrap + tried) % addresses.length;
      try {
        const connection = await this.connectionTo(addresses[index]!);
        this.#usedBootstrap = index;
        return connection;
      } catch (error) {
        if (!(error instanceof ConnectionFailed) || this.stop.aborted) throw error;
        failures.push(error);
      }
    }
    const [first, ...others] = failures;
    if (others.length === 0) throw first!;
    throw new ConnectionFailed(first!.address, first!.problem, first!.what, others);
  }

  /** The connection to a broker. It is opened by the first call, and reopened after it broke. */
  async connectionTo(broker: Address): Promise<KafkaConnection> {
    const address = this.#options.isOneAddress === true ? this.#options.bootstrap[0] : broker;
    const key = printAddress(address);
    // Several callers may wait for the same connection, and only one of them may replace it after it broke.
    for (;;) {
      const existing = this.#connections.get(key);
      if (existing === undefined) break;
      const connection = await existing;
      if (!connection.isClosed) return connection;
      if (this.#connections.get(key) === existing) this.#connections.delete(key);
    }
    const { tls, login, clientId, clock, stop, timeoutMs, lookupFor, onConnection } = this.#options;
    const opening = KafkaConnection.open({
      address,
      tls,
      login,
      clientId,
      clock,
      stop,
      timeoutMs: Math.min(timeoutMs, connectTimeoutMaxMs),
      lookupFor,
      onLost: () => onConnection?.('lost'),
    });
    this.#connections.set(key, opening);
    try {
      const connection = await opening;
      onConnection?.('up');
      return connection;
    } catch (error) {
      this.#connections.delete(key);
      if (!stop.aborted) onConnection?.('failed');
      throw error;
    }
  }

  /**
   * Asks the bootstrap broker for the brokers and for some topics. A missing topic is auto-created only if the caller
   * is about to write to it and the cluster allows that.
   */
  async metadata(
    topics: readonly string[] | 'all',
    { mayCreate = false }: { readonly mayCreate?: boolean } = {},
  ): Promise<ClusterMetadata> {
    const connection = await this.bootstrap();
    const answer = await connection.request(apis.Metadata, metadataBody(topics, { mayCreate }), {
      timeoutMs: this.timeoutMs,
    });
    if (answer.errorCode !== errors.NONE.code) throw new KafkaRequestFailed('Metadata', answer.errorCode);
    return answer;
  }

  /** The connection to the controller, which creates and deletes topics. */
  async controller(): Promise<KafkaConnection> {
    const { brokers, controllerId } = await this.metadata([]);
    const broker = brokers.find(({ nodeId }) => nodeId === controllerId);
    return broker === undefined ? this.bootstrap() : this.connectionTo(broker);
  }

  /**
   * Runs an operation until it succeeds, fails for good, or times out. Every attempt has to request the metadata again,
   * because that is how a client learns of a new leader.
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

  /** How long an error is retried; 0 if it is not. */
  patienceMs(error: unknown): number {
    if (error instanceof KafkaRequestFailed) {
      const isUnknownTopic = error.code === errors.UNKNOWN_TOPIC_OR_PARTITION.code;
      if (isUnknownTopic) return Math.min(shortPatienceMs, this.timeoutMs);
      return error.retriable ? this.timeoutMs : 0;
    }
    if (!(error instanceof ConnectionFailed)) return 0;
    // A refused bootstrap address is a mistake of the user. An address from the metadata may belong to a broker that
    // has left.
    const isBootstrap = this.#options.bootstrap.map(printAddress).includes(printAddress(error.address));
    const mayComeBack = lostConnections.has(error.problem) || (error.problem === 'refused' && !isBootstrap);
    return mayComeBack ? Math.min(shortPatienceMs, this.timeoutMs) : 0;
  }

  /** Waits until the delay is over or the user stops the command. */
  pause(delayMs: number): Promise<void> {
    return pauseUnlessStopped(this.clock, delayMs, this.stop);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const opening of this.#connections.values()) {
      // The caller that opened it has already received the error.
      await opening.then(
        (connection) => connection.close(),
        () => {},
      );
    }
    this.#connections.clear();
  }
}

/** Opens a cluster for the duration of `use`. */
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
