import { type AddressInfo, createServer } from 'node:net';
import type { Clock, Log, Metrics } from '@weir/core';
import { KafkaConnection } from './connection.ts';
import type { ListenerLimits } from './limits.ts';
import { ListenerMetrics } from './listener-metrics.ts';
import { RequestMemory } from './request-memory.ts';
import type { RequestServer } from './request-server.ts';

export interface KafkaListenerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly handle: RequestServer;
  readonly limits: ListenerLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface KafkaListener {
  readonly host: string;
  readonly port: number;
  readonly connectionCount: number;
  /** Accepts nothing more, finishes the requests that are under way, and closes; after `deadlineMs` it closes all the same. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

/** How often connections are looked over for being idle or stuck. */
const sweepIntervalMs = 1000;

/** Resolves when the port is open; rejects when it cannot be opened. */
export async function startKafkaListener(options: KafkaListenerOptions): Promise<KafkaListener> {
  const { handle, limits, clock, log } = options;
  const metrics = new ListenerMetrics(options.metrics);
  const memory = new RequestMemory(limits.requestBytesInFlightMax);
  const connections = new Set<KafkaConnection>();

  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const connection = new KafkaConnection(socket, {
      server: handle,
      limits,
      memory,
      clock,
      log,
      metrics,
      onClosed(closed) {
        connections.delete(closed);
        metrics.connections.set(connections.size);
      },
    });
    connections.add(connection);
    metrics.connections.set(connections.size);
    if (stopped !== undefined) connection.drain();
  });
  server.maxConnections = limits.connectionsMax;
  server.on('drop', () => {
    metrics.closed('limit').add(1);
    log.debug('turned away a Kafka connection because there are too many', {
      connectionsMax: limits.connectionsMax,
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => log.error('the Kafka listener has a problem', { error: error.message }));
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
    const cancelDeadline = clock.after(deadlineMs, () => {
      log.warn('closing Kafka connections whose requests are not finished', {
        connections: connections.size,
      });
      for (const connection of connections) connection.destroy('stopped');
    });
    await allClosed;
    cancelDeadline();
    cancelSweep();
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
