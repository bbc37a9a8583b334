import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Clock, Log, Metrics } from '@weir/core';
import { ConnectionShares, Refusals } from '@weir/http';
import type { KafkaTlsOptions, PrincipalOf, ProxyProtocolOptions } from '@weir/security';
import { principalWithoutCredential, TlsAcceptor } from '@weir/security';
import { brokerLimits } from '../limits.ts';
import { AnswerMemory } from '../pressure/answer-memory.ts';
import type { RequestServer } from '../requests/request-server.ts';
import { KafkaConnection } from './connection.ts';
import { FramePool } from './frame-pool.ts';
import { type Greeted, Greeting } from './greeting.ts';
import type { ListenerLimits } from './limits.ts';
import { ListenerMetrics } from './listener-metrics.ts';
import { RequestMemory } from './request-memory.ts';

export interface KafkaListenerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly handle: RequestServer;
  readonly limits: ListenerLimits;
  /** Counts the memory of answers. If absent, the listener creates a counter with its own limit. */
  readonly answers?: AnswerMemory;
  /**
   * Called for every new connection. Returns how long the connection is held before it is closed, so that its client
   * does not reconnect at once; 0 accepts it. If absent, all connections are accepted.
   */
  readonly admit?: (remoteAddress: string) => number;
  /** If set, every connection begins with a PROXY header. If absent, none may. */
  readonly proxyProtocol?: ProxyProtocolOptions;
  /** If set, every connection uses TLS. If absent, none does. */
  readonly tls?: KafkaTlsOptions;
  /**
   * Maps the name in a certificate or PROXY header to a principal. If absent, such names have no credentials in the
   * cluster.
   */
  readonly principalOf?: PrincipalOf;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface KafkaListener {
  readonly host: string;
  readonly port: number;
  readonly connectionCount: number;
  /** Accepts no more connections, finishes requests in flight, and closes; after `deadlineMs` it closes in any case. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

/** How often connections are checked for being idle or stuck. */
const sweepIntervalMs = 1000;

/** Resolves when the port is open; rejects if it cannot be opened. */
export async function startKafkaListener(options: KafkaListenerOptions): Promise<KafkaListener> {
  const { handle, limits, clock, log } = options;
  const metrics = new ListenerMetrics(options.metrics);
  const memory = new RequestMemory(limits.requestBytesInFlightMax);
  const answers = options.answers ?? new AnswerMemory(limits.responseBytesMax, clock);
  const frames = new FramePool({
    slabBytes: brokerLimits.frameSlabBytes,
    bytesMax: brokerLimits.framePoolBytesMax,
  });
  const connections = new Set<KafkaConnection>();
  const shares = new ConnectionShares<Socket>({
    max: limits.connectionsMax,
    reserved: limits.reservedConnectionsMax,
  });
  /** By the sockets that were accepted. */
  const opened = new Map<Socket, KafkaConnection>();

  const held = new Map<Socket, () => void>();
  /** Connections that are still in the PROXY header or the TLS handshake. */
  const arriving = new Set<Socket>();
  const refusals = new Refusals(clock, log);
  const tls = options.tls === undefined ? undefined : new TlsAcceptor({ ...options.tls, clock });
  const greeting = new Greeting({
    proxyProtocol: options.proxyProtocol,
    tls,
    logsCertificates: options.tls?.logsCertificates ?? false,
    principalOf: options.principalOf ?? principalWithoutCredential,
    admit: options.admit ?? (() => 0),
    greetingMs: limits.greetingMs,
    clock,
    log,
  });

  /** Held connections are not read. They count as connections, so that their number is limited. */
  function hold(socket: Socket, forMs: number): void {
    held.set(
      socket,
      clock.after(forMs, () => socket.destroy()),
    );
    metrics.closed('quota').add(1);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      held.get(socket)?.();
      held.delete(socket);
    });
  }

  function greeted(accepted: Socket, outcome: Greeted): void {
    if (outcome.kind === 'held') hold(accepted, outcome.forMs);
    else if (outcome.kind === 'refused') refuse(accepted, outcome);
    else open(accepted, outcome);
  }

  function refuse(accepted: Socket, { reason, problem, peer }: Extract<Greeted, { kind: 'refused' }>): void {
    accepted.destroy();
    metrics.closed(stopped === undefined ? reason : 'stopped').add(1);
    if (stopped !== undefined || reason === 'peer') return;
    refusals.log(reason, 'refused Kafka connection before its first request', {
      peer,
      reason,
      error: problem,
    });
  }

  function open(accepted: Socket, { intake, session }: Extract<Greeted, { kind: 'client' }>): void {
    // A destroyed socket emits no further close event.
    if (intake.socket.destroyed) {
      metrics.closed('peer').add(1);
      return;
    }
    const connection = new KafkaConnection(intake, session, {
      server: handle,
      limits,
      memory,
      answers,
      frames,
      clock,
      log,
      metrics,
      onBusy: (isBusy) => (isBusy ? shares.began(accepted) : shares.ended(accepted)),
      onClosed(closed) {
        connections.delete(closed);
        opened.delete(accepted);
        metrics.connections.set(connections.size);
      },
    });
    connections.add(connection);
    opened.set(accepted, connection);
    metrics.accepted.add(1);
    metrics.connections.set(connections.size);
    if (stopped !== undefined) connection.drain();
  }

  /** Takes a new connection into the shares. */
  function enter(socket: Socket): boolean {
    const replaced = shares.enter(socket, socket.remoteAddress ?? '');
    if (replaced === 'refused') {
      metrics.closed('limit').add(1);
      log.debug('refused Kafka connection: too many connections', {
        connectionsMax: limits.connectionsMax,
      });
      socket.destroy();
      return false;
    }
    socket.once('close', () => shares.leave(socket));
    if (replaced === undefined) return true;
    const connection = opened.get(replaced);
    if (connection === undefined) replaced.destroy();
    else connection.destroy('limit');
    return true;
  }

  const server = createServer({ noDelay: true, keepAlive: true, pauseOnConnect: true }, (socket) => {
    if (!enter(socket)) return;
    const outcome = greeting.greet(socket);
    if (!(outcome instanceof Promise)) {
      greeted(socket, outcome);
      return;
    }
    arriving.add(socket);
    void outcome.then((late) => {
      arriving.delete(socket);
      greeted(socket, late);
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => log.error('failed to accept Kafka connections', { error: error.message }));
  const address = server.address() as AddressInfo;

  let stopped: Promise<void> | undefined;
  let cancelSweep = clock.after(sweepIntervalMs, sweep);
  function sweep(): void {
    cancelSweep = clock.after(sweepIntervalMs, sweep);
    const nowMs = clock.monotonicMs();
    for (const connection of connections) connection.sweep(nowMs);
  }

  async function stop(deadlineMs: number): Promise<void> {
    const allClosed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of connections) connection.drain();
    for (const socket of [...held.keys(), ...arriving]) socket.destroy();
    const cancelDeadline = clock.after(deadlineMs, () => {
      log.warn('closed Kafka connections with unfinished requests', {
        connections: connections.size,
      });
      for (const connection of connections) connection.destroy('stopped');
    });
    await allClosed;
    cancelDeadline();
    cancelSweep();
    tls?.close();
  }

  return {
    host: address.address,
    port: address.port,
    get connectionCount() {
      return connections.size;
    },
    stop({ deadlineMs }) {
      stopped ??= stop(deadlineMs);
      return stopped;
    },
  };
}
