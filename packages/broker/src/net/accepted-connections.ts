import type { Clock, Log, Metrics } from '@weir/core';
import { ConnectionShares, Refusals } from '@weir/http';
import type { KafkaTlsOptions, PrincipalOf, ProxyProtocolOptions } from '@weir/security';
import { principalWithoutCredential } from '@weir/security';
import { AnswerMemory } from '../pressure/answer-memory.ts';
import type { RequestServer } from '../requests/request-server.ts';
import { KafkaConnection } from './connection.ts';
import type { ConnectionLink } from './connection-link.ts';
import { type GreetedClient, sessionOf } from './greeted-client.ts';
import type { Greeted } from './greeting.ts';
import type { ListenerLimits } from './limits.ts';
import { ListenerMetrics } from './listener-metrics.ts';
import { RequestMemory } from './request-memory.ts';

export interface AcceptedConnectionsOptions {
  readonly handle: RequestServer;
  readonly limits: ListenerLimits;
  readonly answers?: AnswerMemory;
  readonly proxyProtocol?: ProxyProtocolOptions;
  readonly tls?: KafkaTlsOptions;
  readonly principalOf?: PrincipalOf;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A connection as it was accepted, by this thread or by a serving thread. */
export interface AcceptedPeer {
  destroy(): void;
  /** Calls `run` once when it is closed. */
  once(event: 'close', run: () => void): unknown;
}

/** How often connections are checked for being idle or stuck. */
const sweepIntervalMs = 1000;

/** The connections of a listener with the limits that they share: from the accepted peer to the last answer. */
export class AcceptedConnections<Peer extends AcceptedPeer> {
  readonly metrics: ListenerMetrics;
  readonly memory: RequestMemory;
  readonly #options: AcceptedConnectionsOptions;
  readonly #answers: AnswerMemory;
  readonly #connections = new Set<KafkaConnection>();
  readonly #shares: ConnectionShares<Peer>;
  /** By the peers that were accepted. */
  readonly #opened = new Map<Peer, KafkaConnection>();
  readonly #held = new Map<Peer, () => void>();
  /** Connections that are still in the PROXY header or the TLS handshake. */
  readonly #arriving = new Set<Peer>();
  readonly #refusals: Refusals;
  readonly #beforeSweep: () => void;
  #cancelSweep: () => void;
  #isStopping = false;

  /** `beforeSweep` is called before connections are checked, about once a second. */
  constructor(options: AcceptedConnectionsOptions, beforeSweep: () => void = () => {}) {
    const { limits, clock, log } = options;
    this.#options = options;
    this.#beforeSweep = beforeSweep;
    this.metrics = new ListenerMetrics(options.metrics);
    this.memory = new RequestMemory(limits.requestBytesInFlightMax);
    this.#answers = options.answers ?? new AnswerMemory(limits.responseBytesMax, clock);
    this.#shares = new ConnectionShares({
      max: limits.connectionsMax,
      reserved: limits.reservedConnectionsMax,
    });
    this.#refusals = new Refusals(clock, log);
    this.#cancelSweep = clock.after(sweepIntervalMs, () => this.#sweep());
  }

  /** Connections that may send requests. */
  get count(): number {
    return this.#connections.size;
  }

  /** Takes a new connection into the shares. Returns whether there is room for it; if not, it is closed. */
  enter(peer: Peer, remoteAddress: string): boolean {
    const replaced = this.#shares.enter(peer, remoteAddress);
    if (replaced === 'refused') {
      this.metrics.closed('limit').add(1);
      this.#options.log.debug('refused Kafka connection: too many connections', {
        connectionsMax: this.#options.limits.connectionsMax,
      });
      peer.destroy();
      return false;
    }
    peer.once('close', () => this.#shares.leave(peer));
    if (replaced === undefined) return true;
    const connection = this.#opened.get(replaced);
    if (connection === undefined) replaced.destroy();
    else connection.destroy('limit');
    return true;
  }

  /** The peer sends a PROXY header or makes a TLS handshake. */
  arrives(peer: Peer): void {
    this.#arriving.add(peer);
  }

  hasArrived(peer: Peer): void {
    this.#arriving.delete(peer);
  }

  /** Held connections are not read. They count as connections, so that their number is limited. */
  hold(peer: Peer, forMs: number): void {
    this.#held.set(
      peer,
      this.#options.clock.after(forMs, () => peer.destroy()),
    );
    this.metrics.closed('quota').add(1);
    peer.once('close', () => {
      this.#held.get(peer)?.();
      this.#held.delete(peer);
    });
  }

  refuse(peer: Peer, { reason, problem, peer: address }: Omit<Refused, 'kind'>): void {
    peer.destroy();
    this.metrics.closed(this.#isStopping ? 'stopped' : reason).add(1);
    if (this.#isStopping || reason === 'peer') return;
    this.#refusals.log(reason, 'refused Kafka connection before its first request', {
      peer: address,
      reason,
      error: problem,
    });
  }

  /** Begins to serve a client. The link is created with the largest frame that the client may send next. */
  open(
    peer: Peer,
    client: GreetedClient,
    linkOf: (frameBytesMax: () => number) => ConnectionLink,
  ): KafkaConnection {
    const { handle, limits, clock, log, tls, principalOf, proxyProtocol } = this.#options;
    const { metrics, memory } = this;
    const session = sessionOf(client, {
      proxyProtocol,
      principalOf: principalOf ?? principalWithoutCredential,
      logsCertificates: tls?.logsCertificates ?? false,
      log,
    });
    // Clients that have not logged in get a smaller limit.
    const frameBytesMax = () =>
      Math.min(limits.frameBytesMax, handle.frameBytesMax?.(session) ?? limits.frameBytesMax);
    const connection = new KafkaConnection(linkOf(frameBytesMax), session, {
      server: handle,
      limits,
      memory,
      answers: this.#answers,
      clock,
      log,
      metrics,
      onBusy: (isBusy) => (isBusy ? this.#shares.began(peer) : this.#shares.ended(peer)),
      onClosed: (closed) => {
        if (this.#connections.delete(closed)) metrics.connections.add(-1);
        this.#opened.delete(peer);
      },
    });
    this.#connections.add(connection);
    this.#opened.set(peer, connection);
    metrics.accepted.add(1);
    // Not set: an agent may have several listeners.
    metrics.connections.add(1);
    if (this.#isStopping) connection.drain();
    return connection;
  }

  /** Finishes requests in flight, and closes. */
  drain(): void {
    this.#isStopping = true;
    for (const connection of this.#connections) connection.drain();
    for (const peer of [...this.#held.keys(), ...this.#arriving]) peer.destroy();
  }

  /** Closes all connections at once. */
  closeAll(): void {
    this.#options.log.warn('closed Kafka connections with unfinished requests', {
      connections: this.#connections.size,
    });
    for (const connection of this.#connections) connection.destroy('stopped');
  }

  /** Called when there are no more connections. */
  close(): void {
    this.#cancelSweep();
  }

  #sweep(): void {
    this.#cancelSweep = this.#options.clock.after(sweepIntervalMs, () => this.#sweep());
    this.#beforeSweep();
    const nowMs = this.#options.clock.monotonicMs();
    for (const connection of this.#connections) connection.sweep(nowMs);
  }
}

type Refused = Extract<Greeted, { readonly kind: 'refused' }>;
