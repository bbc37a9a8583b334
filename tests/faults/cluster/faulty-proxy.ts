import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '@weir/core';

/** Current faults of the network between two sides. */
interface NetworkFaults {
  readonly delayMs: number;
  /** Bytes in this direction wait until the fault ends, as with TCP retransmission. */
  readonly holdsRequests: boolean;
  readonly holdsAnswers: boolean;
}

export const wellNetwork: NetworkFaults = { delayMs: 0, holdsRequests: false, holdsAnswers: false };

/** One direction between two sockets. Bytes keep their order. */
class Lane {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #clock: Clock;
  readonly #delayMs: () => number;
  #dueMs = 0;

  constructor(from: Socket, to: Socket, clock: Clock, delayMs: () => number) {
    this.#from = from;
    this.#to = to;
    this.#clock = clock;
    this.#delayMs = delayMs;
    from.on('data', (chunk) => this.#later(() => to.write(chunk)));
    from.on('end', () => this.#later(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => this.#later(() => to.destroy()));
  }

  set isHeld(isHeld: boolean) {
    if (isHeld) this.#from.pause();
    else this.#from.resume();
  }

  #later(carry: () => void): void {
    const nowMs = this.#clock.monotonicMs();
    this.#dueMs = Math.max(this.#dueMs, nowMs + this.#delayMs());
    if (this.#dueMs === nowMs) carry();
    else
      this.#clock.after(this.#dueMs - nowMs, () => {
        if (!this.#to.destroyed) carry();
      });
  }
}

/** A proxy between clients and servers that injects faults. */
export class FaultyProxy {
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();
  readonly #lanes = new Set<{ readonly requests: Lane; readonly answers: Lane }>();
  readonly #server: Server;
  #faults: NetworkFaults = wellNetwork;
  cuts = 0;

  private constructor(clock: Clock, server: Server) {
    this.#clock = clock;
    this.#server = server;
  }

  /** Forwards every connection to one port, which may change. It listens on loopback, unless `host` is given. */
  static async toPort(clock: Clock, port: () => number, host?: string): Promise<FaultyProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new FaultyProxy(clock, server);
    server.on('connection', (client) => {
      const upstream = connect({ port: port(), host: '127.0.0.1', allowHalfOpen: true });
      proxy.#join(client, upstream);
    });
    return proxy.#listen(host);
  }

  /** Forwards each connection to the target of its HTTP CONNECT. */
  static async tunnels(clock: Clock): Promise<FaultyProxy> {
    const server = createHttpServer((_request, response) => response.writeHead(405).end());
    const proxy = new FaultyProxy(clock, server);
    server.on('connection', (socket: Socket) => proxy.#keep(socket));
    server.on('connect', (request, stream, head) => {
      const client = stream as Socket;
      const { hostname, port } = new URL(`http://${request.url}`);
      const upstream = connect({ port: Number(port), host: hostname }, () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        upstream.write(head);
        proxy.#join(client, upstream);
      });
      upstream.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
      client.once('error', () => upstream.destroy());
    });
    return proxy.#listen();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get faults(): NetworkFaults {
    return this.#faults;
  }

  set faults(faults: NetworkFaults) {
    this.#faults = faults;
    for (const pair of this.#lanes) this.#hold(pair);
  }

  /** Breaks all connections; data in flight is lost. */
  cut(): void {
    this.cuts += this.#lanes.size;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(host = '127.0.0.1'): Promise<this> {
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
    return this;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #join(client: Socket, upstream: Socket): void {
    this.#keep(client);
    this.#keep(upstream);
    const delayMs = () => this.#faults.delayMs;
    const pair = {
      requests: new Lane(client, upstream, this.#clock, delayMs),
      answers: new Lane(upstream, client, this.#clock, delayMs),
    };
    this.#lanes.add(pair);
    client.once('close', () => this.#lanes.delete(pair));
    this.#hold(pair);
  }

  #hold({ requests, answers }: { readonly requests: Lane; readonly answers: Lane }): void {
    requests.isHeld = this.#faults.holdsRequests;
    answers.isHeld = this.#faults.holdsAnswers;
  }
}
