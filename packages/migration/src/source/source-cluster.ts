import {
  type Address,
  type Broker,
  type ClusterOptions,
  KafkaCluster,
  type KafkaConnection,
} from '@weir/client';
import { type Clock, Failure } from '@weir/core';
import { apis } from '@weir/wire';
import type { SourceLogin } from './source-login.ts';

export interface SourceOptions extends SourceLogin {
  readonly bootstrap: readonly Address[];
  /** Which addresses may be connected to, those that brokers name included. */
  readonly lookupFor: ClusterOptions['lookupFor'];
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Timeout of one request, including its retries. */
  readonly timeoutMs?: number | undefined;
}

/** Of brokers' logs. */
const clientId = 'weir-migration';
const usualTimeoutMs = 30_000;

/** A cluster that is copied. It is reached as any of its clients. */
export class SourceCluster {
  /** For questions. Brokers answer the requests of a connection in order, so these must not wait behind a fetch. */
  readonly asks: KafkaCluster;
  /** For fetches alone. */
  readonly fetches: KafkaCluster;
  #brokers: ReadonlyMap<number, Broker> = new Map();

  constructor({ bootstrap, tls, login, lookupFor, clock, stop, timeoutMs = usualTimeoutMs }: SourceOptions) {
    const options: ClusterOptions = {
      bootstrap: bootstrap as [Address, ...Address[]],
      tls,
      login,
      clientId,
      timeoutMs,
      clock,
      stop,
      lookupFor,
    };
    this.asks = new KafkaCluster(options);
    this.fetches = new KafkaCluster(options);
  }

  /** The brokers of the last metadata. */
  get brokers(): ReadonlyMap<number, Broker> {
    return this.#brokers;
  }

  /** Learns the brokers anew. Throws what a client throws. */
  async metadata(topics: readonly string[] | 'all') {
    const answer = await this.asks.retrying(() => this.asks.metadata(topics));
    this.#brokers = new Map(answer.brokers.map((broker) => [broker.nodeId, broker]));
    return answer;
  }

  /** A connection to a broker that the last metadata has. */
  async connectionTo(brokerId: number, use: 'asks' | 'fetches'): Promise<KafkaConnection> {
    const broker = this.#brokers.get(brokerId);
    if (broker === undefined) throw new Failure(`the source has no broker ${brokerId} at the moment`);
    return this[use].connectionTo(broker);
  }

  /** Whether brokers can be asked where an epoch of leaders ends. Kafka 2.0 cannot. */
  async knowsEpochs(): Promise<boolean> {
    return (await this.asks.bootstrap()).versionOf(apis.OffsetForLeaderEpoch) !== undefined;
  }

  async close(): Promise<void> {
    await Promise.all([this.asks.close(), this.fetches.close()]);
  }
}
