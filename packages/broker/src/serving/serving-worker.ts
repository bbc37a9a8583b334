import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type MessagePort, workerData } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import { TlsAcceptor } from '@weir/security/connections';
import { brokerLimits } from '../limits.ts';
import { addressOf, type Greeted, Greeting } from '../net/greeting.ts';
import type { Intake } from '../net/intake.ts';
import { SharedFrames } from './shared-frames.ts';
import { KnownMemory } from './shared-memory.ts';
import type { RingReader } from './shared-ring.ts';
import { ThreadChannel } from './thread-channel.ts';
import { ThreadConnection } from './thread-connection.ts';
import {
  fromThread,
  type MessageFromThread,
  type MessageToThread,
  type ThreadOptions,
  type ThreadTls,
  toThread,
} from './thread-messages.ts';

/** A connection before the main thread lets it be read. */
interface Arrival {
  readonly socket: Socket;
  /** Answers the question whether the client is admitted. */
  admit: ((heldMs: number) => void) | undefined;
  /** After the greeting. */
  intake: Intake | undefined;
  isGreeted: boolean;
  isClosed: boolean;
}

/**
 * A serving thread: accepts connections, makes TLS handshakes, reads frames into shared memory and sends answers. It
 * shares the port with the others (`reusePort`), and leaves every decision to the main thread.
 */
class ServingWorker {
  readonly #options: ThreadOptions;
  readonly #channel: ThreadChannel<MessageToThread, MessageFromThread>;
  readonly #frames: SharedFrames;
  readonly #memory = new KnownMemory();
  readonly #greeting: Greeting;
  readonly #server: Server;
  readonly #arrivals = new Map<number, Arrival>();
  readonly #connections = new Map<number, ThreadConnection>();
  readonly #progressed = new Set<ThreadConnection>();
  readonly #onTls = new Set<() => void>();
  #tls: ThreadTls | undefined;
  #last = 0;
  /** Growth of unfinished frames that the main thread was not woken for. */
  #uncountedBytes = 0;

  constructor(port: MessagePort, options: ThreadOptions) {
    this.#options = options;
    this.#tls = options.tls;
    this.#channel = new ThreadChannel('thread', port, options.channel, {
      onMessage: (message) => this.#onMessage(message),
      onRecord: (reader) => this.#onRecord(reader),
    });
    this.#frames = new SharedFrames({
      counts: new Int32Array(options.slabCounts),
      slabBytes: brokerLimits.frameSlabBytes,
      announce: (id, memory) => this.#channel.post({ kind: 'memory', id, memory, isOnce: false }),
      give: (id, memory) => this.#channel.post({ kind: 'memory', id, memory, isOnce: true }, [memory]),
    });
    this.#greeting = new Greeting({
      proxyProtocol: options.proxyProtocol,
      tls: this.#acceptor(),
      admit: () => 0,
      greetingMs: options.greetingMs,
      clock: systemClock,
    });
    this.#server = createServer({ noDelay: true, keepAlive: true, pauseOnConnect: true }, (socket) =>
      this.#accept(socket),
    );
    this.#channel.post({ kind: 'loaded' });
  }

  /** The main thread finds the user that a certificate names. */
  #acceptor(): TlsAcceptor | undefined {
    const { tls } = this.#options;
    if (tls === undefined) return undefined;
    const current = () => this.#tls!;
    return new TlsAcceptor({
      certificates: {
        get context() {
          return current().context;
        },
        onChange: (run) => {
          this.#onTls.add(run);
          return () => this.#onTls.delete(run);
        },
      },
      ticketKeys: () => Buffer.from(current().ticketKeys),
      clientCertificates: tls.clientCertificates,
      nameOf: () => ({ username: '' }),
      clock: systemClock,
    });
  }

  #onMessage(message: MessageToThread): void {
    if (message.kind === 'listen') {
      this.#listen(message.host, message.port);
    } else if (message.kind === 'tls') {
      this.#tls = message;
      for (const run of this.#onTls) run();
    } else {
      this.#memory.announced(message);
    }
  }

  #listen(host: string, port: number): void {
    const failed = (error: NodeJS.ErrnoException) =>
      this.#channel.post({ kind: 'notListening', code: error.code, problem: error.message });
    this.#server.once('error', failed);
    this.#server.listen({ host, port, backlog: brokerLimits.listenBacklog, reusePort: true }, () => {
      this.#server.off('error', failed);
      this.#server.on('error', (error) =>
        this.#channel.post({ kind: 'acceptFailed', problem: error.message }),
      );
      const address = this.#server.address() as AddressInfo;
      this.#channel.post({ kind: 'listening', host: address.address, port: address.port });
    });
  }

  #accept(socket: Socket): void {
    this.#last = (this.#last + 1) & 0x7fff_ffff;
    const connection = this.#last;
    const { proxyProtocol } = this.#options;
    const arrival: Arrival = {
      socket,
      admit: undefined,
      intake: undefined,
      isGreeted: false,
      isClosed: false,
    };
    this.#arrivals.set(connection, arrival);
    socket.once('close', () => {
      arrival.isClosed = true;
      this.#closeIfGreeted(connection, arrival);
    });
    const isProxied = proxyProtocol !== undefined;
    this.#channel.post({ kind: 'accepted', connection, isProxied, ...addressOf(socket) });
    const greeted = this.#greeting.greetSlowly(socket, (remoteAddress) => {
      // Without a PROXY header the address is the one that the main thread knows.
      if (isProxied) this.#channel.post({ kind: 'proxied', connection, remoteAddress });
      return new Promise((resolve) => {
        arrival.admit = resolve;
      });
    });
    void greeted.then((outcome) => this.#greeted(connection, arrival, outcome));
    this.#channel.flushSoon();
  }

  /** The end of a connection is the last of it: why it was refused comes first. */
  #closeIfGreeted(connection: number, { isGreeted, isClosed }: Arrival): void {
    // A connection that was started says so itself.
    if (isGreeted && isClosed && this.#arrivals.delete(connection))
      this.#channel.write([fromThread.closed, connection]);
  }

  #greeted(connection: number, arrival: Arrival, outcome: Greeted): void {
    arrival.isGreeted = true;
    this.#report(connection, arrival, outcome);
    this.#closeIfGreeted(connection, arrival);
  }

  #report(connection: number, arrival: Arrival, outcome: Greeted): void {
    if (outcome.kind === 'held') return;
    if (outcome.kind === 'refused') {
      const { reason, problem, peer } = outcome;
      this.#channel.post({ kind: 'refused', connection, reason, problem, peer });
    } else if (arrival.isClosed) {
      const { remoteAddress: peer } = outcome.client;
      this.#channel.post({ kind: 'refused', connection, reason: 'peer', problem: 'client has left', peer });
    } else {
      const { remoteAddress, remotePort, isEncrypted = false, proxiedUser, certificate } = outcome.client;
      arrival.intake = outcome.intake;
      this.#channel.post({
        kind: 'greeted',
        connection,
        remoteAddress,
        remotePort,
        isEncrypted,
        proxiedUser,
        certificate: certificate?.raw,
      });
    }
  }

  #onRecord(reader: RingReader): void {
    const kind = reader.word();
    const id = reader.word();
    if (kind === toThread.quiet) this.#beQuiet();
    else if (kind === toThread.admit) this.#arrivals.get(id)?.admit?.(reader.word());
    else if (kind === toThread.start) this.#start(id, reader.word());
    else if (kind === toThread.destroy) this.#destroy(id);
    else if (kind === toThread.write) this.#send(id, reader);
    else this.#steer(this.#connections.get(id), kind, reader);
  }

  #steer(connection: ThreadConnection | undefined, kind: number, reader: RingReader): void {
    if (connection === undefined) return;
    if (kind === toThread.read) connection.read(reader.word());
    else if (kind === toThread.taken) connection.taken(reader.word());
    else if (kind === toThread.frameBytesMax) connection.limitFrames(reader.word());
    else if (kind === toThread.end) connection.end();
  }

  #destroy(id: number): void {
    const arrival = this.#arrivals.get(id);
    // After the greeting, another socket may have taken over the connection.
    const closable = this.#connections.get(id) ?? arrival?.intake?.socket ?? arrival?.socket;
    closable?.destroy();
    // Without an answer about the quota, its greeting would last until it is too slow.
    arrival?.admit?.(1);
  }

  #start(id: number, frameBytesMax: number): void {
    const arrival = this.#arrivals.get(id);
    // It was closed meanwhile, which the main thread learns from its record.
    if (arrival?.intake === undefined) return;
    this.#arrivals.delete(id);
    if (arrival.intake.socket.destroyed) {
      this.#channel.write([fromThread.closed, id]);
      return;
    }
    const channel = this.#channel;
    const connection: ThreadConnection = new ThreadConnection(id, arrival.intake, {
      frames: this.#frames,
      frameBytesMax,
      write: (record) => channel.write(record),
      writeLater: (record) => channel.writeLater(record),
      writeUnfinished: (...words) => this.#writeUnfinished(...words),
      post: (message) => channel.post(message),
      onProgress: (progressed) => {
        if (this.#progressed.size === 0) queueMicrotask(() => this.#reportProgress());
        this.#progressed.add(progressed);
      },
      onClosed: () => this.#connections.delete(id),
    });
    this.#connections.set(id, connection);
  }

  #writeUnfinished(id: number, receivedBytes: number, unfinishedBytes: number): void {
    const record = [fromThread.unfinished, id, receivedBytes, unfinishedBytes];
    this.#uncountedBytes += receivedBytes;
    if (this.#uncountedBytes < this.#options.uncountedBytesMax) {
      this.#channel.writeLater(record);
    } else {
      this.#uncountedBytes = 0;
      this.#channel.write(record);
    }
  }

  #send(id: number, reader: RingReader): void {
    const connection = this.#connections.get(id);
    const slices: Buffer[] = [];
    for (let count = reader.word(); count > 0; count--) {
      const slice = this.#memory.slice(reader.word(), reader.word(), reader.word());
      // The main thread forgets memory of answers only after their connection was closed.
      if (slice !== undefined) slices.push(slice);
    }
    connection?.send(slices);
  }

  #reportProgress(): void {
    for (const connection of this.#progressed) connection.reportProgress();
    this.#progressed.clear();
  }

  #beQuiet(): void {
    this.#server.close();
    this.#channel.write([fromThread.quiet, 0]);
  }
}

const { port, options } = workerData as { readonly port: MessagePort; readonly options: ThreadOptions };
new ServingWorker(port, options);
