import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TlsAcceptor } from '@weir/security/connections';
import { brokerLimits } from '../limits.ts';
import type { AnswerMemory } from '../pressure/answer-memory.ts';
import { AcceptedConnections, type AcceptedConnectionsOptions } from './accepted-connections.ts';
import { FramePool } from './frame-pool.ts';
import { type Greeted, Greeting } from './greeting.ts';
import { SocketLink } from './socket-link.ts';

export interface ListenerOptions extends AcceptedConnectionsOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Counts the memory of answers. If absent, the listener creates a counter with its own limit. */
  readonly answers?: AnswerMemory;
  /**
   * Called for every new connection. Returns how long the connection is held before it is closed, so that its client
   * does not reconnect at once; 0 accepts it. If absent, all connections are accepted.
   */
  readonly admit?: (remoteAddress: string) => number;
}

export interface KafkaListener {
  readonly host: string;
  readonly port: number;
  readonly connectionCount: number;
  /** Accepts no more connections, finishes requests in flight, and closes; after `deadlineMs` it closes in any case. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

/** Starts a listener whose connections belong to this thread. */
export async function startOwnListener(options: ListenerOptions): Promise<KafkaListener> {
  const { limits, clock, log } = options;
  const frames = new FramePool({
    slabBytes: brokerLimits.frameSlabBytes,
    bytesMax: brokerLimits.framePoolBytesMax,
  });
  const connections = new AcceptedConnections<Socket>(options);
  const tls = options.tls === undefined ? undefined : new TlsAcceptor({ ...options.tls, clock });
  const greeting = new Greeting({
    proxyProtocol: options.proxyProtocol,
    tls,
    admit: options.admit ?? (() => 0),
    greetingMs: limits.greetingMs,
    clock,
  });

  function greeted(accepted: Socket, outcome: Greeted): void {
    if (outcome.kind === 'held') {
      accepted.on('error', () => accepted.destroy());
      connections.hold(accepted, outcome.forMs);
    } else if (outcome.kind === 'refused') {
      connections.refuse(accepted, outcome);
    } else if (outcome.intake.socket.destroyed) {
      // A destroyed socket emits no further close event.
      connections.metrics.closed('peer').add(1);
    } else {
      connections.open(
        accepted,
        outcome.client,
        (frameBytesMax) => new SocketLink(outcome.intake, { frames, clock, frameBytesMax }),
      );
    }
  }

  const server = createServer({ noDelay: true, keepAlive: true, pauseOnConnect: true }, (socket) => {
    if (!connections.enter(socket, socket.remoteAddress ?? '')) return;
    const outcome = greeting.greet(socket);
    if (!(outcome instanceof Promise)) {
      greeted(socket, outcome);
      return;
    }
    connections.arrives(socket);
    void outcome.then((late) => {
      connections.hasArrived(socket);
      greeted(socket, late);
    });
  });

  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: options.host, port: options.port, backlog: brokerLimits.listenBacklog }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    connections.close();
    throw error;
  }
  server.on('error', (error) => log.error('failed to accept Kafka connections', { error: error.message }));
  const address = server.address() as AddressInfo;

  let stopped: Promise<void> | undefined;
  async function stop(deadlineMs: number): Promise<void> {
    const allClosed = new Promise<void>((resolve) => server.close(() => resolve()));
    connections.drain();
    const cancelDeadline = clock.after(deadlineMs, () => connections.closeAll());
    await allClosed;
    cancelDeadline();
    connections.close();
    tls?.close();
  }

  return {
    host: address.address,
    port: address.port,
    get connectionCount() {
      return connections.count;
    },
    stop({ deadlineMs }) {
      stopped ??= stop(deadlineMs);
      return stopped;
    },
  };
}
