import type { Socket } from 'node:net';
import type { Clock, Random } from '@weir/core';
import { openSocket, withTls } from '../component/open-socket.ts';
import type { OutboundAccess } from '../component/outbound-access.ts';
import type { ServerAddress } from '../component/server-address.ts';
import type { TlsOptions } from '../component/tls-fields.ts';
import { headerBlock, type NatsMessage, NatsParser, problemOfSubject } from './nats-parser.ts';

/** What a server says about itself, as far as it matters here. */
interface ServerInfo {
  readonly max_payload?: number;
  readonly headers?: boolean;
  readonly nonce?: string;
  readonly tls_required?: boolean;
  readonly tls_available?: boolean;
}

export interface ConnectionOptions {
  readonly server: ServerAddress;
  readonly name: string;
  /** Absent if the configuration has none; a server may require TLS nevertheless. */
  readonly tls: TlsOptions | undefined;
  readonly login: (nonce: string) => Promise<Readonly<Record<string, string>>>;
  readonly outbound: OutboundAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly onClosed: (error: Error) => void;
}

type Headers = readonly (readonly [key: string, value: string])[];

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

const connectMsMax = 10_000;
const unsubscribeMsMax = 2_000;
const pingEveryMs = 30_000;
const serverName = 'the NATS server';

/** A connection to a server of NATS. Other servers that it names are not used: the operator has not allowed them. */
export class NatsConnection {
  readonly #options: ConnectionOptions;
  readonly #parser: NatsParser;
  readonly #subscriptions = new Map<number, (message: NatsMessage) => void>();
  /** For each `PING` that has no `PONG` yet. */
  readonly #pongs: Waiting[] = [];
  readonly #answers = new Map<string, (message: NatsMessage) => void>();
  readonly #onBroken = new Set<(error: Error) => void>();
  readonly #inbox: string;
  #socket: Socket | undefined;
  #info: ServerInfo = {};
  #onInfo: (() => void) | undefined;
  #failure: Error | undefined;
  #lastId = 0;
  #isPaused = false;
  #isPinged = false;
  #cancelPing: (() => void) | undefined;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#inbox = inboxOf(options.random);
    this.#parser = new NatsParser({
      info: (json) => this.#takeInfo(json),
      message: (message) => this.#subscriptions.get(message.subscription)?.(message),
      ping: () => this.#send('PONG\r\n'),
      pong: () => this.#pongs.shift()?.resolve(),
      error: (reason) => this.#takeError(reason),
    });
  }

  static async open(options: ConnectionOptions): Promise<NatsConnection> {
    const connection = new NatsConnection(options);
    const { clock } = options;
    const late = clock.after(connectMsMax, () =>
      connection.close(new Error(`${serverName} does not answer`)),
    );
    try {
      await connection.#handshake();
    } catch (error) {
      connection.close(error as Error);
      throw connection.#failure ?? error;
    } finally {
      late();
    }
    connection.#keepAlive();
    return connection;
  }

  /** Where answers can be sent to. */
  newInbox(): string {
    return inboxOf(this.#options.random);
  }

  /** Resolves with its number when the server has accepted it. Messages may come before. */
  async subscribe(
    subject: string,
    queue: string,
    onMessage: (message: NatsMessage) => void,
  ): Promise<number> {
    if (/\s/.test(`${subject}${queue}`) || subject === '')
      throw new Error(`${JSON.stringify(subject)} is no subject`);
    const id = ++this.#lastId;
    this.#subscriptions.set(id, onMessage);
    this.#send(`SUB ${subject} ${queue === '' ? '' : `${queue} `}${id}\r\n`);
    await this.flush();
    return id;
  }

  /** Resolves when all messages have arrived that the server sent before it knew, or after a while. */
  async unsubscribe(id: number): Promise<void> {
    this.setPaused(false);
    this.#send(`UNSUB ${id}\r\n`);
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(unsubscribeMsMax, resolve);
    });
    await Promise.race([this.flush().catch(() => undefined), late]);
    cancel();
    this.#subscriptions.delete(id);
  }

  /** Throws if the server would refuse the message. */
  publish(subject: string, payload: Buffer, { reply = '', headers = [] as Headers } = {}): void {
    const problem = problemOfSubject(subject);
    if (problem !== undefined) throw new Error(problem);
    if (this.#failure !== undefined) throw this.#failure;
    const { max_payload: bytesMax = 1024 * 1024, headers: hasHeaders = false } = this.#info;
    const block = hasHeaders && headers.length > 0 ? headerBlock(headers) : Buffer.alloc(0);
    const total = block.length + payload.length;
    if (total > bytesMax)
      throw new Error(
        `the message has ${total} bytes, and ${serverName} takes ${bytesMax}: see its max_payload`,
      );
    const target = reply === '' ? subject : `${subject} ${reply}`;
    const line =
      block.length === 0 ? `PUB ${target} ${total}\r\n` : `HPUB ${target} ${block.length} ${total}\r\n`;
    this.#send(Buffer.concat([Buffer.from(line), block, payload, Buffer.from('\r\n')]));
  }

  /** Resolves when the server has processed all that was sent before; rejects if it refused something of it. */
  flush(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#pongs.push({ resolve, reject });
      this.#send('PING\r\n');
    });
  }

  /** Sends a message and waits for the answer. */
  async request(
    subject: string,
    payload: Buffer,
    { headers = [] as Headers, timeoutMs = 5_000 } = {},
  ): Promise<NatsMessage> {
    if (this.#failure !== undefined) throw this.#failure;
    const token = String(++this.#lastId);
    return new Promise((resolve, reject) => {
      const done = (result: NatsMessage | Error) => {
        cancel();
        this.#answers.delete(token);
        this.#onBroken.delete(done);
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      const cancel = this.#options.clock.after(timeoutMs, () =>
        done(new Error(`${serverName} has not answered a request to ${subject} in time`)),
      );
      this.#answers.set(token, done);
      this.#onBroken.add(done);
      try {
        this.publish(subject, payload, { reply: `${this.#inbox}.${token}`, headers });
      } catch (error) {
        done(error as Error);
      }
    });
  }

  /** Pauses reading while a component has enough. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#socket?.pause();
    else this.#socket?.resume();
  }

  close(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#cancelPing?.();
    // What was published before is still sent.
    if (this.#socket?.writable) this.#socket.end(() => this.#socket?.destroy());
    else this.#socket?.destroy();
    this.#onInfo?.();
    for (const { reject } of this.#pongs.splice(0)) reject(error);
    for (const broken of [...this.#onBroken]) broken(error);
    this.#options.onClosed(error);
  }

  async #handshake(): Promise<void> {
    const { server, outbound, clock, login, name } = this.#options;
    const { host, port } = server;
    const timing = { clock, connectMsMax, serverName };
    const plain = await openSocket({ host, port, tls: undefined, outbound, ...timing });
    const greeted = new Promise<void>((resolve) => {
      this.#onInfo = resolve;
    });
    this.#listen(plain);
    await greeted;
    if (this.#failure !== undefined) throw this.#failure;
    const tls = this.#tlsOptions();
    if (tls !== undefined) {
      plain.removeAllListeners('data');
      this.#listen(await withTls(plain, { host, tls, ...timing }));
    }
    const { nonce = '' } = this.#info;
    const hello = {
      verbose: false,
      pedantic: false,
      tls_required: tls !== undefined,
      name,
      lang: 'node',
      version: '1.0.0',
      protocol: 1,
      headers: true,
      no_responders: true,
      ...(await login(nonce)),
    };
    this.#send(`CONNECT ${JSON.stringify(hello)}\r\n`);
    await this.subscribe(`${this.#inbox}.*`, '', (message) => {
      this.#answers.get(message.subject.slice(this.#inbox.length + 1))?.(message);
    });
  }

  #tlsOptions(): TlsOptions | undefined {
    const { tls, server } = this.#options;
    const { tls_required: isRequired = false, tls_available: isAvailable = false } = this.#info;
    const isWanted = tls !== undefined || server.usesTls;
    if (isWanted && !isRequired && !isAvailable) throw new Error(`${serverName} offers no TLS`);
    return isWanted || isRequired ? (tls ?? { rejectUnauthorized: true }) : undefined;
  }

  #listen(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#parser.push(chunk);
      } catch (error) {
        this.close(error as Error);
      }
    });
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close(new Error(`${serverName} closed the connection`)));
  }

  #takeInfo(json: string): void {
    try {
      this.#info = JSON.parse(json) as ServerInfo;
    } catch {
      throw new Error(`${serverName} does not speak the protocol of NATS`);
    }
    this.#onInfo?.();
    this.#onInfo = undefined;
  }

  /** The server goes on after it refused a subject, and closes the connection after everything else. */
  #takeError(reason: string): void {
    const error = new Error(`${serverName} refuses: ${reason}`);
    if (!/^(?:permissions violation|invalid subject)/i.test(reason)) {
      this.close(error);
      return;
    }
    // What it refused was sent before the first `PING` without `PONG`.
    const [first] = this.#pongs;
    first?.reject(error);
    if (first !== undefined) this.#pongs[0] = { resolve() {}, reject() {} };
  }

  #send(bytes: string | Buffer): void {
    const socket = this.#socket;
    if (this.#failure !== undefined || socket === undefined) return;
    // In one write: if a server closes after the first part, the second fails, and the reason is lost with it.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(bytes);
  }

  /** A connection that is dead without having been closed is noticed, unless it is not read anyway. */
  #keepAlive(): void {
    if (this.#failure !== undefined) return;
    this.#cancelPing = this.#options.clock.after(pingEveryMs, () => {
      if (this.#isPinged && !this.#isPaused) {
        this.close(new Error(`${serverName} does not answer`));
        return;
      }
      if (!this.#isPinged) {
        this.#isPinged = true;
        this.flush().then(
          () => {
            this.#isPinged = false;
          },
          () => undefined,
        );
      }
      this.#keepAlive();
    });
  }
}

function inboxOf(random: Random): string {
  return `_INBOX.${Array.from({ length: 22 }, () => random.below(36).toString(36)).join('')}`;
}
