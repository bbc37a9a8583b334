import type { Socket } from 'node:net';
import type { Clock } from '@weir/core';
import { openSocket } from '../component/open-socket.ts';
import type { OutboundAccess } from '../component/outbound-access.ts';
import type { ServerAddress } from '../component/server-address.ts';
import type { TlsOptions } from '../component/tls-fields.ts';
import { pipelineLimits } from '../limits.ts';
import {
  type Hello,
  helloPacket,
  idOf,
  PacketReader,
  type Publish,
  packet,
  packetKinds,
  problemOfTopic,
  publishPacket,
  readPublish,
  receiptPacket,
  subscribePacket,
} from './mqtt-packets.ts';

export interface ConnectionOptions {
  readonly server: ServerAddress;
  readonly hello: Hello;
  readonly tls: TlsOptions | undefined;
  readonly connectMsMax: number;
  /** How long the socket may take to send a message. */
  readonly writeMsMax?: number | undefined;
  readonly outbound: OutboundAccess;
  readonly clock: Clock;
  readonly onMessage?: (message: Publish, from: MqttConnection) => void;
  readonly onClosed: (error: Error) => void;
}

interface Waiting {
  resolve(codes: Buffer): void;
  reject(error: Error): void;
}

const serverName = 'the MQTT broker';
const idsMax = 65_535;
const { brokerMessageBytesMax: bytesMax } = pipelineLimits;

/** Why a broker does not accept a client, by the code that it sends. */
const refusals: Readonly<Record<number, string>> = {
  1: 'it does not speak MQTT 3.1.1',
  2: 'it does not accept the client_id',
  3: 'it is not available',
  4: 'the user or the password is wrong',
  5: 'this user may not connect',
};

/** A connection to a broker of MQTT 3.1.1. Messages are acknowledged when the caller says so. */
export class MqttConnection {
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  /** What waits for an answer, by the identifier of its packet. */
  readonly #waiting = new Map<number, Waiting>();
  #welcome: Waiting | undefined;
  #failure: Error | undefined;
  #lastId = 0;
  #isPaused = false;
  #isPinged = false;
  #cancelPing: (() => void) | undefined;

  private constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    const reader = new PacketReader((kind, flags, body) => this.#take(kind, flags, body));
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.close(error as Error);
      }
    });
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close(new Error(`${serverName} closed the connection`)));
  }

  static async open(options: ConnectionOptions): Promise<MqttConnection> {
    const { server, tls, hello, connectMsMax, clock } = options;
    const effective = tls ?? (server.usesTls ? { rejectUnauthorized: true } : undefined);
    const socket = await openSocket({ ...options, ...server, tls: effective, serverName });
    const connection = new MqttConnection(socket, options);
    const welcomed = new Promise<Buffer>((resolve, reject) => {
      connection.#welcome = { resolve, reject };
    });
    socket.write(helloPacket(hello));
    const late = clock.after(connectMsMax, () =>
      connection.close(new Error(`${serverName} does not answer`)),
    );
    try {
      const code = (await welcomed)[1] ?? 255;
      if (code !== 0)
        throw new Error(`${serverName} refuses the connection: ${refusals[code] ?? `code ${code}`}`);
    } catch (error) {
      connection.close(error as Error);
      throw error;
    } finally {
      late();
    }
    connection.#keepAlive();
    return connection;
  }

  /** Messages may come before it resolves. */
  async subscribe(topics: readonly string[], qos: number): Promise<void> {
    const codes = await this.#answered((id) => subscribePacket(id, topics, qos));
    const refused = topics.filter((_, at) => (codes[at] ?? 128) >= 128);
    if (refused.length > 0) throw new Error(`${serverName} refuses to subscribe to ${refused.join(', ')}`);
  }

  /** Resolves when the broker has the message; with QoS 0, when it was sent. */
  async publish(topic: string, payload: Buffer, qos: 0 | 1 | 2, isRetained: boolean): Promise<void> {
    const problem = problemOfTopic(topic);
    if (problem !== undefined) throw new Error(problem);
    if (payload.length > bytesMax)
      throw new Error(`the message has ${payload.length} bytes; the limit is ${bytesMax}`);
    const of = (id: number) => publishPacket({ topic, payload, qos, isRetained, id });
    if (qos === 0) await this.#write(of(0));
    else await this.#answered(of);
  }

  /** Says that a message was taken over. */
  acknowledge({ qos, id }: Pick<Publish, 'qos' | 'id'>): void {
    if (qos === 0 || this.#failure !== undefined) return;
    this.#socket.write(receiptPacket(qos === 1 ? packetKinds.puback : packetKinds.pubrec, id));
  }

  /** Pauses reading while a component has enough. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  /** With `isClean`, the broker does not publish the last will. */
  close(error: Error, { isClean = false } = {}): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#cancelPing?.();
    if (isClean && this.#socket.writable)
      this.#socket.end(packet(packetKinds.disconnect, 0), () => this.#socket.destroy());
    else this.#socket.destroy();
    this.#welcome?.reject(error);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#options.onClosed(error);
  }

  #take(kind: number, flags: number, body: Buffer): void {
    switch (kind) {
      case packetKinds.connack:
        this.#welcome?.resolve(body);
        return;
      case packetKinds.publish:
        this.#options.onMessage?.(readPublish(flags, body), this);
        return;
      case packetKinds.pubrec:
        // The second half of QoS 2; the message is there already.
        this.#socket.write(receiptPacket(packetKinds.pubrel, idOf(body)));
        return;
      case packetKinds.pubrel:
        this.#socket.write(receiptPacket(packetKinds.pubcomp, idOf(body)));
        return;
      case packetKinds.puback:
      case packetKinds.pubcomp:
      case packetKinds.suback:
        this.#waiting.get(idOf(body))?.resolve(body.subarray(2));
        return;
      case packetKinds.pingresp:
        this.#isPinged = false;
        return;
      default:
        throw new Error(`${serverName} does not speak the protocol of MQTT`);
    }
  }

  #answered(packetOf: (id: number) => Buffer): Promise<Buffer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#waiting.size >= idsMax)
      return Promise.reject(new Error('too many messages wait for an answer'));
    do this.#lastId = (this.#lastId % idsMax) + 1;
    while (this.#waiting.has(this.#lastId));
    const id = this.#lastId;
    return new Promise<Buffer>((resolve, reject) => {
      const bytes = packetOf(id);
      this.#waiting.set(id, {
        resolve: (codes) => {
          this.#waiting.delete(id);
          resolve(codes);
        },
        reject,
      });
      this.#write(bytes).catch(() => undefined);
    });
  }

  /** Resolves when the socket has sent the bytes. */
  #write(bytes: Buffer): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { writeMsMax = Number.POSITIVE_INFINITY, clock } = this.#options;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(writeMsMax, () =>
        this.close(new Error(`${serverName} does not read what is sent`)),
      );
      this.#socket.write(bytes, (error) => {
        cancel();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** A connection that is dead without having been closed is noticed, unless it is not read anyway. */
  #keepAlive(): void {
    const { hello, clock } = this.#options;
    if (hello.keepAliveSeconds === 0 || this.#failure !== undefined) return;
    this.#cancelPing = clock.after(hello.keepAliveSeconds * 500, () => {
      if (this.#isPinged && !this.#isPaused) {
        this.close(new Error(`${serverName} does not answer`));
        return;
      }
      this.#isPinged = true;
      this.#socket.write(packet(packetKinds.pingreq, 0));
      this.#keepAlive();
    });
  }
}
