import type { Socket } from 'node:net';
import type { Clock } from '@weir/core';
import { openSocket } from '../component/open-socket.ts';
import type { OutboundAccess } from '../component/outbound-access.ts';
import type { TlsOptions } from '../component/tls-fields.ts';
import { RedisError, type Reply, RespReader } from './resp-reader.ts';

export interface RedisServer {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: number;
  /** Absent for a connection without TLS. */
  readonly tls: TlsOptions | undefined;
}

export type Argument = string | number | Buffer;

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

interface ConnectionOptions {
  readonly server: RedisServer;
  readonly outbound: OutboundAccess;
  readonly clock: Clock;
  /** Messages of channels, which are answers to no command. */
  readonly onMessage?: (reply: readonly Reply[]) => void;
  readonly onClosed: (error: Error) => void;
}

const connectMsMax = 10_000;
const answerMsMax = 10_000;

/** A connection to a server of Redis. Commands are answered in their order. */
export class RedisConnection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  private constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    const reader = new RespReader((reply) => this.#onReply(reply));
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.close(error as Error);
      }
    });
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close(new Error('the connection to Redis was closed')));
  }

  static async open(options: ConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(
      await openSocket({ ...options, ...options.server, connectMsMax, serverName: 'Redis' }),
      options,
    );
    const { username, password, database } = options.server;
    if (password !== '')
      await connection.send(username === '' ? ['AUTH', password] : ['AUTH', username, password]);
    if (database !== 0) await connection.send(['SELECT', database]);
    return connection;
  }

  /** The answer to a command; rejects with a `RedisError` if it was refused. `waitMs` is how long it blocks. */
  async send(command: readonly Argument[], waitMs = 0): Promise<Reply> {
    const reply = await this.#sent(command, waitMs);
    if (reply instanceof RedisError) throw reply;
    return reply;
  }

  /** Pauses reading while a component has enough. */
  setPaused(isPaused: boolean): void {
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  close(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#options.onClosed(error);
  }

  #sent(command: readonly Argument[], waitMs: number): Promise<Reply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after(answerMsMax + waitMs, () =>
        this.close(new Error('Redis does not answer')),
      );
      this.#waiting.push({
        resolve: (reply) => {
          cancel();
          resolve(reply);
        },
        reject: (error) => {
          cancel();
          reject(error);
        },
      });
      this.#socket.write(encoded(command));
    });
  }

  #onReply(reply: Reply): void {
    const { onMessage } = this.#options;
    if (onMessage !== undefined && Array.isArray(reply) && /^p?message$/.test(String(reply[0])))
      onMessage(reply);
    else this.#waiting.shift()?.resolve(reply);
  }
}

function encoded(command: readonly Argument[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${command.length}\r\n`)];
  for (const argument of command) {
    const bytes = Buffer.isBuffer(argument) ? argument : Buffer.from(String(argument));
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}
