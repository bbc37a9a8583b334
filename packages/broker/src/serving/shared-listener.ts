import { randomBytes, X509Certificate } from 'node:crypto';
import { createServer } from 'node:net';
import { type KafkaTlsOptions, nameInCertificate } from '@weir/security';
import { brokerLimits } from '../limits.ts';
import { AcceptedConnections } from '../net/accepted-connections.ts';
import type { KafkaListener, ListenerOptions } from '../net/listener.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { servingRows } from './serving-metrics.ts';
import { ServingThread } from './serving-thread.ts';
import { slabCounts } from './shared-frames.ts';
import { createAnswerPool, MemoryNumbers } from './shared-memory.ts';
import type { MessageFromThread, ThreadTls } from './thread-messages.ts';

/** Times between restarts of a thread, as of agent processes. */
const restartMsMin = 250;
const restartMsMax = 30_000;
/** A thread that has served for so long counts as healthy. */
const healthyMs = 60_000;

/** How long a thread may take to close its connections when all of them must be closed, before it is ended. */
const closingMs = 5_000;

/**
 * A listener whose connections belong to serving threads, all on one port. The threads accept, read, make handshakes
 * and write; this thread has the sessions, handlers, limits and metrics of all of them.
 */
export async function startSharedListener(
  options: ListenerOptions,
  threadCount: number,
): Promise<KafkaListener> {
  const listener = new SharedListener(options, threadCount);
  await listener.start();
  return listener;
}

class SharedListener implements KafkaListener {
  host = '';
  port = 0;
  readonly #options: ListenerOptions;
  readonly #connections: AcceptedConnections<RemoteConnection>;
  readonly #numbers = new MemoryNumbers((id) => {
    for (const { thread } of this.#places) thread?.forget(id);
  });
  readonly #pool = createAnswerPool(brokerLimits.answerSlabBytes, brokerLimits.answerPoolBytesMax);
  readonly #places: Place[];
  readonly #forgetTls: () => void;
  #tls: ThreadTls | undefined;
  #stopped: Promise<void> | undefined;
  #onChange = () => {};

  constructor(options: ListenerOptions, threadCount: number) {
    this.#options = options;
    this.#connections = new AcceptedConnections<RemoteConnection>(options, () => this.#beforeSweep());
    this.#places = Array.from({ length: threadCount }, (_, index) => ({
      index,
      thread: undefined,
      isQuiet: false,
      startedMs: 0,
      restartMs: restartMsMin,
      cancelRestart: () => {},
    }));
    const { tls } = options;
    this.#tls = tls && tlsOf(tls);
    this.#forgetTls =
      tls?.certificates.onChange(() => {
        this.#tls = tlsOf(tls);
        for (const { thread } of this.#places) thread?.changeTls(this.#tls);
      }) ?? (() => {});
  }

  get connectionCount(): number {
    return this.#connections.count;
  }

  async start(): Promise<void> {
    const { host, port } = this.#options;
    try {
      if (port !== 0) await claimPort(host, port);
      for (const place of this.#places) this.#begin(place);
      // The others join the port that the system has chosen for the first.
      const [first, ...others] = this.#places;
      const opened = await first!.thread!.listen(host, port);
      this.host = opened.host;
      this.port = opened.port;
      await Promise.all(others.map(({ thread }) => thread!.listen(host, opened.port)));
    } catch (error) {
      this.#stopped = this.#end();
      await this.#stopped;
      throw error;
    }
  }

  stop({ deadlineMs }: { readonly deadlineMs: number }): Promise<void> {
    this.#stopped ??= this.#stop(deadlineMs);
    return this.#stopped;
  }

  #begin(place: Place): void {
    const { clock, limits, proxyProtocol, tls } = this.#options;
    const slabsMax = brokerLimits.framePoolBytesMax / brokerLimits.frameSlabBytes;
    place.isQuiet = false;
    place.startedMs = clock.monotonicMs();
    const thread = new ServingThread(
      {
        clock,
        pool: this.#pool,
        numbers: this.#numbers,
        slabCounts: slabCounts(Math.max(2, Math.floor(slabsMax / this.#places.length))),
        greetingMs: limits.greetingMs,
        proxyProtocol,
        tls: this.#tls && tls && { ...this.#tls, clientCertificates: tls.clientCertificates },
        uncountedBytesMax: Math.floor(limits.requestBytesInFlightMax / 256 / this.#places.length),
      },
      {
        onAccepted: (connection, message) => this.#accepted(thread, connection, message),
        onProxied: (connection, address) => this.#admit(thread, connection, address),
        onGreeted: (connection, message) => this.#greeted(connection, message),
        onRefused: (connection, message) => {
          this.#connections.hasArrived(connection);
          this.#connections.refuse(connection, message);
        },
        onAcceptFailed: (problem) =>
          this.#options.log.error('failed to accept Kafka connections', { error: problem }),
        onQuiet: () => {
          place.isQuiet = true;
          this.#onChange();
        },
        onClosed: () => this.#onChange(),
        onExit: (problem) => this.#exited(place, problem),
      },
    );
    place.thread = thread;
  }

  #accepted(thread: ServingThread, connection: RemoteConnection, message: MessageOf<'accepted'>): void {
    if (this.#stopped !== undefined) {
      connection.destroy();
      return;
    }
    if (!this.#connections.enter(connection, message.remoteAddress)) return;
    this.#connections.arrives(connection);
    connection.once('close', () => this.#connections.hasArrived(connection));
    if (!message.isProxied) this.#admit(thread, connection, message.remoteAddress);
  }

  #admit(thread: ServingThread, connection: RemoteConnection, remoteAddress: string): void {
    const heldMs = this.#options.admit?.(remoteAddress) ?? 0;
    thread.admit(connection, heldMs);
    if (heldMs === 0) return;
    this.#connections.hasArrived(connection);
    this.#connections.hold(connection, heldMs);
  }

  #greeted(connection: RemoteConnection, message: MessageOf<'greeted'>): void {
    const { remoteAddress, remotePort, isEncrypted, proxiedUser } = message;
    this.#connections.hasArrived(connection);
    const named = this.#nameIn(message);
    if (named !== undefined && 'problem' in named) {
      const { problem } = named;
      this.#connections.refuse(connection, { reason: 'certificate', problem, peer: remoteAddress });
      return;
    }
    const client = {
      remoteAddress,
      remotePort,
      isEncrypted,
      proxiedUser,
      certificate: named?.certificate,
      certificateUser: named?.username,
    };
    this.#connections.open(connection, client, (frameBytesMax) => connection.withLimit(frameBytesMax));
  }

  #nameIn({ certificate }: MessageOf<'greeted'>) {
    const { tls } = this.#options;
    if (certificate === undefined || tls === undefined) return undefined;
    const der = Buffer.from(certificate);
    const name = nameInCertificate(der, tls.nameOf);
    if ('problem' in name) return name;
    return { username: name.username, certificate: new X509Certificate(der) };
  }

  #exited(place: Place, problem: string): void {
    const { clock, log, metrics } = this.#options;
    place.thread = undefined;
    this.#onChange();
    if (this.#stopped !== undefined || this.port === 0) return;
    const servedMs = clock.monotonicMs() - place.startedMs;
    if (servedMs >= healthyMs) place.restartMs = restartMsMin;
    log.error('lost serving thread with its Kafka connections, restarting it', {
      thread: place.index,
      error: problem,
      restartMs: place.restartMs,
    });
    metrics.series(servingRows.restarts, {}).add(1);
    place.cancelRestart = clock.after(place.restartMs, () => this.#restart(place));
    place.restartMs = Math.min(2 * place.restartMs, restartMsMax);
  }

  #restart(place: Place): void {
    this.#begin(place);
    const thread = place.thread!;
    thread.listen(this.#options.host, this.port).catch((error: Error) => {
      if (place.thread !== thread || this.#stopped !== undefined) return;
      this.#options.log.error('failed to open the Kafka port in a serving thread', {
        thread: place.index,
        error: error.message,
      });
      void thread.terminate();
    });
  }

  #beforeSweep(): void {
    const { metrics } = this.#options;
    for (const { index, thread } of this.#places) {
      const labels = { thread: String(index) };
      metrics.series(servingRows.connections, labels).set(thread?.connectionCount ?? 0);
      metrics.series(servingRows.utilization, labels).set(thread?.takeUtilization() ?? 0);
      thread?.poll();
    }
  }

  async #stop(deadlineMs: number): Promise<void> {
    let cancelEnding = () => {};
    const cancelDeadline = this.#options.clock.after(deadlineMs, () => {
      this.#connections.closeAll();
      // A thread that does not close them does nothing any more.
      cancelEnding = this.#options.clock.after(closingMs, () => void this.#end());
    });
    for (const { thread, cancelRestart } of this.#places) {
      cancelRestart();
      thread?.quiet();
    }
    // No thread accepts a client that another one has just closed.
    await this.#until(() => this.#places.every(({ thread, isQuiet }) => thread === undefined || isQuiet));
    this.#connections.drain();
    await this.#until(() => this.#places.every(({ thread }) => (thread?.connectionCount ?? 0) === 0));
    cancelDeadline();
    cancelEnding();
    await this.#end();
  }

  #until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (isReached()) resolve();
      };
      this.#onChange();
    });
  }

  async #end(): Promise<void> {
    this.#forgetTls();
    this.#connections.close();
    await Promise.all(this.#places.map(({ thread }) => thread?.terminate()));
  }
}

/** One of the serving threads, which is started again if it ends. */
interface Place {
  readonly index: number;
  thread: ServingThread | undefined;
  /** Whether it accepts no more connections. */
  isQuiet: boolean;
  startedMs: number;
  /** The wait before the next restart. */
  restartMs: number;
  cancelRestart: () => void;
}

type MessageOf<Kind extends MessageFromThread['kind']> = Extract<MessageFromThread, { readonly kind: Kind }>;

function tlsOf({ certificates }: KafkaTlsOptions): ThreadTls {
  return { context: certificates.context, ticketKeys: randomBytes(48) };
}

/** Rejects if a process has the port open: another one that shares its port would silently get half of our clients. */
async function claimPort(host: string, port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen({ host, port, exclusive: true }, resolve);
  });
  await new Promise((resolve) => probe.close(resolve));
}
