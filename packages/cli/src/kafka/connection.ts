import type { Socket } from 'node:net';
import { type Clock, formatDurationMs, release } from '@weir/core';
import {
  type Api,
  apis,
  DecodeError,
  decodeCorrelationId,
  decodeResponse,
  EncodeError,
  encodeRequest,
  errors,
  type Fields,
  FrameSplitter,
  type ReadStruct,
  type WriteStruct,
} from '@weir/wire';
import { Failure } from '../failure.ts';
import { cliLimits } from '../limits.ts';
import type { Address } from './address.ts';
import { ConnectionFailed, connectionFailure } from './connection-failed.ts';
import { openSocket, type SocketOptions, stopped } from './open-socket.ts';
import { KafkaRequestFailed } from './request-failed.ts';
import { authenticate, type LoginChannel } from './sasl/authenticate.ts';
import type { SaslLogin } from './sasl/login.ts';
import { commonVersion, type OfferedVersions } from './versions.ts';

export interface ConnectionOptions extends SocketOptions {
  readonly clientId: string;
  /** Absent for a connection of nobody in particular. */
  readonly login?: SaslLogin | undefined;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  /** Holds the version below one whose needs cannot be met. */
  readonly highestUseful?: number | undefined;
}

/** The body of a request, or what makes it for the version that both sides have. */
export type RequestBody<Request extends Fields> =
  | WriteStruct<Request>
  | ((version: number) => WriteStruct<Request>);

interface Waiting {
  receive(frame: Buffer): void;
  fail(failure: ConnectionFailed): void;
}

/** A login is renewed when it has so much of its lifetime behind it, for a request that comes too late ends the connection. */
const renewalShare = 0.9;
/** A lifetime that is shorter than the way to the broker would be renewed for ever. */
const renewalEveryMsMin = 100;

/**
 * One connection to one broker. Requests may overlap; an answer finds its request by the correlation id. Whatever breaks the
 * stream (an answer to nothing, bytes that are no frame, a request that is not answered in time) ends the connection, because
 * what comes after has no meaning, and every request that waits hears of it.
 */
export class KafkaConnection {
  readonly address: Address;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #clientId: string;
  readonly #isEncrypted: boolean;
  readonly #login: SaslLogin | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #offered: OfferedVersions = new Map();
  #lastCorrelationId = 0;
  #failure: ConnectionFailed | undefined;
  /** Whether any request but that for the versions was answered. */
  #isServed = false;
  /** When the login has to be renewed, if ever. */
  #renewLoginAtMs: number | undefined;
  #loggingIn: Promise<void> | undefined;
  /** Called when nothing waits for an answer any more. */
  #onIdle: (() => void) | undefined;

  private constructor(socket: Socket, { address, tls, clock, clientId, login, stop }: ConnectionOptions) {
    this.address = address;
    this.#socket = socket;
    this.#clock = clock;
    this.#clientId = clientId;
    this.#isEncrypted = tls !== undefined;
    this.#login = login;
    const splitter = new FrameSplitter(cliLimits.responseFrameBytesMax);
    let isFirst = true;
    socket.on('data', (chunk: Buffer) => {
      // A TLS server that is spoken to without TLS says so in a TLS alert, which would read as a very long frame.
      if (isFirst && chunk[0] === 0x15 && chunk[1] === 0x03) {
        this.#end(new ConnectionFailed(address, 'server speaks TLS', 'the answer is TLS'));
      }
      isFirst = false;
      this.#read(splitter, chunk);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const failure = connectionFailure(address, error);
      this.#end(failure.problem === 'closed' ? this.#closedByPeer() : failure);
    });
    const onStop = () => this.#end(stopped(address));
    socket.on('close', () => {
      stop.removeEventListener('abort', onStop);
      this.#end(this.#closedByPeer());
    });
    stop.addEventListener('abort', onStop);
  }

  /** Connects, learns which versions the broker has, and logs in. Throws `ConnectionFailed` and `LoginFailed`. */
  static async open(options: ConnectionOptions): Promise<KafkaConnection> {
    const connection = new KafkaConnection(await openSocket(options), options);
    try {
      connection.#offered = await connection.#negotiate(options.timeoutMs);
      await connection.#logIn(options.timeoutMs);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  /** How many APIs the broker has. */
  get offeredCount(): number {
    return this.#offered.size;
  }

  /** Whether the broker has an API at all. */
  offers(api: Pick<Api, 'key'>): boolean {
    return this.#offered.has(api.key);
  }

  /** Sends a request in the highest version that both sides have, and gives the body of the answer. */
  async request<Request extends Fields, Response extends Fields>(
    api: Api<Request, Response>,
    body: RequestBody<Request>,
    { timeoutMs, highestUseful }: RequestOptions,
  ): Promise<ReadStruct<Response>> {
    const version = commonVersion(api as unknown as Api, this.#offered, highestUseful);
    await this.#untilLoggedIn(timeoutMs);
    const answer = await this.#ask(api, version, bodyFor(body, version), timeoutMs);
    this.#isServed = true;
    return answer;
  }

  /** Sends a request that gets no answer: Produce with acks 0. Resolves once the system has taken the bytes. */
  async post<Request extends Fields, Response extends Fields>(
    api: Api<Request, Response>,
    body: RequestBody<Request>,
    { timeoutMs, highestUseful }: RequestOptions,
  ): Promise<void> {
    const version = commonVersion(api as unknown as Api, this.#offered, highestUseful);
    await this.#untilLoggedIn(timeoutMs);
    const slices = this.#encode(api, version, this.#nextCorrelationId(), bodyFor(body, version));
    await new Promise<void>((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure);
      else {
        this.#write(slices, (error) => {
          if (error) reject(this.#failure ?? connectionFailure(this.address, error));
          else resolve();
        });
      }
    });
  }

  /** Lets the bytes out that were written, and ends the connection. */
  close(): void {
    this.#failure ??= new ConnectionFailed(this.address, 'closed', 'closed by this side');
    this.#socket.destroySoon();
  }

  /**
   * A login that will soon be over is renewed before the next request. What is on its way is answered first, and what comes
   * meanwhile waits, because a broker takes nothing but the messages of a login until it is complete.
   */
  async #untilLoggedIn(timeoutMs: number): Promise<void> {
    for (;;) {
      const dueAtMs = this.#failure === undefined ? this.#renewLoginAtMs : undefined;
      const isDue = dueAtMs !== undefined && this.#clock.monotonicMs() >= dueAtMs;
      if (this.#loggingIn === undefined && isDue) {
        this.#loggingIn = this.#renewLogin(timeoutMs).finally(() => {
          this.#loggingIn = undefined;
        });
      }
      if (this.#loggingIn === undefined) return;
      await this.#loggingIn;
    }
  }

  async #renewLogin(timeoutMs: number): Promise<void> {
    if (this.#waiting.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    try {
      await this.#logIn(timeoutMs);
    } catch (error) {
      // Whoever could not prove again who he is has no connection any more.
      this.close();
      throw error;
    }
  }

  async #logIn(timeoutMs: number): Promise<void> {
    if (this.#login === undefined) return;
    const channel: LoginChannel = {
      address: this.address,
      offers: (api) => this.offers(api),
      ask: (api, body) =>
        this.#ask(api, commonVersion(api as unknown as Api, this.#offered), body, timeoutMs),
    };
    const lifetimeMs = await authenticate(channel, this.#login);
    this.#renewLoginAtMs =
      lifetimeMs === 0
        ? undefined
        : this.#clock.monotonicMs() + Math.max(lifetimeMs * renewalShare, renewalEveryMsMin);
  }

  /**
   * What it means that the other side hung up. Every broker answers the request for its versions, but the client hears only
   * after the handshake that its certificate is not taken; and a broker that wants a login says nothing to whoever has none.
   */
  #closedByPeer(): ConnectionFailed {
    const isNegotiating = this.#offered.size === 0;
    if (isNegotiating && this.#isEncrypted) {
      const what = 'the broker hung up right after the TLS handshake';
      return new ConnectionFailed(this.address, 'closed after TLS', what);
    }
    const isStranger = this.#login === undefined && !isNegotiating && !this.#isServed;
    if (isStranger && this.#waiting.size > 0) {
      return new ConnectionFailed(this.address, 'login wanted', 'the broker hung up at the first request');
    }
    return new ConnectionFailed(this.address, 'closed', 'the other side closed the connection');
  }

  /** Which versions the broker offers, asked in a version that it has. */
  async #negotiate(timeoutMs: number): Promise<OfferedVersions> {
    const api = apis.ApiVersions;
    let answer = await this.#askVersions(api.highestStableVersion, timeoutMs);
    if (answer.errorCode === errors.UNSUPPORTED_VERSION.code) {
      // The answer names the range of this API; a broker that leaves it out has v0 at least.
      const range = answer.apiKeys.find(({ apiKey }) => apiKey === api.key);
      answer = await this.#askVersions(Math.min(range?.maxVersion ?? 0, api.highestStableVersion), timeoutMs);
    }
    if (answer.errorCode !== errors.NONE.code) throw new KafkaRequestFailed(api.name, answer.errorCode);
    return new Map(
      answer.apiKeys.map(({ apiKey, minVersion, maxVersion }) => [
        apiKey,
        { lowest: minVersion, highest: maxVersion },
      ]),
    );
  }

  #askVersions(version: number, timeoutMs: number) {
    const api = apis.ApiVersions;
    const body = { clientSoftwareName: 'weir', clientSoftwareVersion: release };
    return this.#exchange(api, version, body, timeoutMs, (frame) => {
      // A version that is too high is answered in the format of v0. The error is the first field in every format.
      const isRefused = frame.length >= 6 && frame.readInt16BE(4) === errors.UNSUPPORTED_VERSION.code;
      return decodeResponse(api, isRefused ? 0 : version, frame).body;
    });
  }

  #encode<Request extends Fields, Response extends Fields>(
    api: Api<Request, Response>,
    version: number,
    correlationId: number,
    body: WriteStruct<Request>,
  ): Buffer[] {
    try {
      return encodeRequest(api, version, { correlationId, clientId: this.#clientId }, body);
    } catch (error) {
      // What a user asks for may not fit into the protocol, such as a name of a hundred thousand letters.
      if (error instanceof EncodeError) throw new Failure(error.message);
      throw error;
    }
  }

  #ask<Request extends Fields, Response extends Fields>(
    api: Api<Request, Response>,
    version: number,
    body: WriteStruct<Request>,
    timeoutMs: number,
  ): Promise<ReadStruct<Response>> {
    return this.#exchange(api, version, body, timeoutMs, (frame) => decodeResponse(api, version, frame).body);
  }

  async #exchange<Request extends Fields, Response extends Fields, Answer>(
    api: Api<Request, Response>,
    version: number,
    body: WriteStruct<Request>,
    timeoutMs: number,
    decode: (frame: Buffer) => Answer,
  ): Promise<Answer> {
    const correlationId = this.#nextCorrelationId();
    const slices = this.#encode(api, version, correlationId, body);
    return new Promise<Answer>((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const cancelTimeout = this.#clock.after(timeoutMs, () => {
        const what = `no answer to ${api.name} within ${formatDurationMs(timeoutMs)}`;
        this.#end(new ConnectionFailed(this.address, 'timeout', what));
      });
      this.#waiting.set(correlationId, {
        receive(frame) {
          cancelTimeout();
          resolve(decode(frame));
        },
        fail(failure) {
          cancelTimeout();
          reject(failure);
        },
      });
      this.#write(slices);
    });
  }

  #nextCorrelationId(): number {
    // Ids are int32 and wrap long after any request of the same id was answered.
    this.#lastCorrelationId = (this.#lastCorrelationId + 1) & 0x7fff_ffff;
    return this.#lastCorrelationId;
  }

  #write(slices: readonly Buffer[], written?: (error?: Error | null) => void): void {
    this.#socket.cork();
    for (const [index, slice] of slices.entries()) {
      this.#socket.write(slice, index === slices.length - 1 ? written : undefined);
    }
    this.#socket.uncork();
  }

  #read(splitter: FrameSplitter, chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    try {
      for (const frame of splitter.push(chunk)) this.#receive(frame);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      this.#end(new ConnectionFailed(this.address, 'not Kafka', `unreadable answer: ${error.message}`));
    }
  }

  #receive(frame: Buffer): void {
    const correlationId = decodeCorrelationId(frame);
    const waiting = this.#waiting.get(correlationId);
    if (waiting === undefined) {
      const what = `received an answer to unknown request ${correlationId}`;
      this.#end(new ConnectionFailed(this.address, 'not Kafka', what));
      return;
    }
    // It stays among those that wait until it was decoded: an answer that cannot be read fails its request too.
    waiting.receive(frame);
    this.#waiting.delete(correlationId);
    if (this.#waiting.size === 0) this.#onIdle?.();
  }

  #end(failure: ConnectionFailed): void {
    this.#failure ??= failure;
    for (const waiting of this.#waiting.values()) waiting.fail(failure);
    this.#waiting.clear();
    this.#onIdle?.();
    this.#socket.destroy();
  }
}

function bodyFor<Request extends Fields>(body: RequestBody<Request>, version: number): WriteStruct<Request> {
  return typeof body === 'function' ? body(version) : body;
}
