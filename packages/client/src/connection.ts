import type { Socket } from 'node:net';
import { type Clock, Failure, formatDurationMs, release } from '@weir/core';
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
  type ReadStruct,
  type ResponseOf,
  type WriteStruct,
} from '@weir/wire';
import type { Address } from './address.ts';
import { type AnswerMemory, AnswerReader, receiveBuffer } from './answer-reader.ts';
import { ConnectionFailed, connectionFailure } from './connection-failed.ts';
import { openSocket, type SocketOptions, type SocketReader, stopped } from './open-socket.ts';
import { KafkaRequestFailed } from './request-failed.ts';
import { authenticate, type LoginChannel } from './sasl/authenticate.ts';
import type { SaslLogin } from './sasl/login.ts';
import type { CallBody, Transport } from './transport.ts';
import { commonVersion, type OfferedVersions } from './versions.ts';

export interface ConnectionOptions extends SocketOptions {
  readonly clientId: string;
  /** Absent for an anonymous connection. */
  readonly login?: SaslLogin | undefined;
  /** Called once if an open connection breaks, and not if it is closed here. */
  readonly onLost?: (() => void) | undefined;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  /** Caps the version, where a higher one needs something that the caller does not have. */
  readonly highestUseful?: number | undefined;
  /** Memory that the answer is received into, and which the caller owns. */
  readonly memory?: AnswerMemory | undefined;
}

/** The body of a request, or a function that builds it for the negotiated version. */
export type RequestBody<Request extends Fields> =
  | WriteStruct<Request>
  | ((version: number) => WriteStruct<Request>);

interface Waiting {
  readonly memory: AnswerMemory | undefined;
  receive(frame: Buffer): void;
  fail(failure: ConnectionFailed): void;
}

/** A login is renewed after this share of its lifetime, because a request after its end closes the connection. */
const renewalShare = 0.9;
/** Without a minimum, a lifetime shorter than the round trip would be renewed forever. */
const renewalEveryMsMin = 100;

/**
 * One connection to one broker. Requests may overlap; an answer is matched to its request by the correlation id.
 * Anything that breaks the stream (an answer without a request, bytes that are no frame, a request timeout) closes the
 * connection, because the following bytes have no meaning, and fails all pending requests.
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
  #onLost: (() => void) | undefined;
  /** Whether any request but ApiVersions was answered. */
  #isServed = false;
  /** When the login has to be renewed, if ever. */
  #renewLoginAtMs: number | undefined;
  #loggingIn: Promise<void> | undefined;
  /** Called when no request is pending any more. */
  #onIdle: (() => void) | undefined;

  private constructor(
    socket: Socket,
    incoming: IncomingBytes,
    { address, tls, clock, clientId, login, stop }: ConnectionOptions,
  ) {
    this.address = address;
    this.#socket = socket;
    this.#clock = clock;
    this.#clientId = clientId;
    this.#isEncrypted = tls !== undefined;
    this.#login = login;
    const reader = new AnswerReader({
      memoryFor: (correlationId) => this.#waiting.get(correlationId)?.memory,
      onAnswer: (frame) => this.#receive(frame),
    });
    let isFirst = true;
    incoming.begin({
      place: () => reader.place,
      received: (bytes) => {
        // A TLS server answers plain text with a TLS alert, which would parse as a very long frame.
        if (isFirst && receiveBuffer[0] === 0x15 && receiveBuffer[1] === 0x03)
          this.#end(new ConnectionFailed(address, 'server speaks TLS', 'the response is TLS'));
        isFirst = false;
        this.#read(reader, bytes);
      },
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const failure = connectionFailure(address, error);
      this.#end(failure.problem === 'closed' ? this.#closedByPeer() : failure);
    });
    if (incoming.isEarly)
      this.#end(new ConnectionFailed(address, 'not Kafka', 'the server sent bytes before it was asked'));
    const onStop = () => this.#end(stopped(address));
    socket.on('close', () => {
      stop.removeEventListener('abort', onStop);
      this.#end(this.#closedByPeer());
    });
    stop.addEventListener('abort', onStop);
  }

  /** Connects, negotiates versions, and logs in. Throws `ConnectionFailed` and `LoginFailed`. */
  static async open(options: ConnectionOptions): Promise<KafkaConnection> {
    const incoming = new IncomingBytes();
    const connection = new KafkaConnection(await openSocket(options, incoming), incoming, options);
    try {
      connection.#offered = await connection.#negotiate(options.timeoutMs);
      await connection.#logIn(options.timeoutMs);
      if (connection.#failure !== undefined) throw connection.#failure;
      const { onLost, stop } = options;
      connection.#onLost = onLost && (() => stop.aborted || onLost());
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  /** How many APIs the broker offers. */
  get offeredCount(): number {
    return this.#offered.size;
  }

  /** Whether the broker offers an API at all. */
  offers(api: Pick<Api, 'key'>): boolean {
    return this.#offered.has(api.key);
  }

  /** The version that a request would be sent in; absent if there is none that both have. */
  versionOf(api: Api): number | undefined {
    const range = this.#offered.get(api.key);
    const isCommon =
      range !== undefined &&
      Math.min(range.highest, api.highestStableVersion) >= Math.max(range.lowest, api.versions.lowest);
    return isCommon ? commonVersion(api, this.#offered) : undefined;
  }

  /** Sends a request in the highest common version, and returns the body of the answer. */
  async request<Request extends Fields, Response extends Fields>(
    api: Api<Request, Response>,
    body: RequestBody<Request>,
    { timeoutMs, highestUseful, memory }: RequestOptions,
  ): Promise<ReadStruct<Response>> {
    const version = commonVersion(api as unknown as Api, this.#offered, highestUseful);
    await this.#untilLoggedIn(timeoutMs);
    const answer = await this.#exchange(
      api,
      version,
      bodyFor(body, version),
      timeoutMs,
      (frame) => decodeResponse(api, version, frame).body,
      memory,
    );
    this.#isServed = true;
    return answer;
  }

  /** This broker for calls that take no longer than a timeout. */
  transport(timeoutMs: number): Transport {
    return {
      call: <A extends Api>(api: A, highestUseful: number, body: CallBody<A>) =>
        this.request(api, body as RequestBody<Fields>, { timeoutMs, highestUseful }) as Promise<
          ResponseOf<A>
        >,
    };
  }

  /** Sends a request that gets no answer: Produce with acks 0. Resolves once the kernel has taken the bytes. */
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

  /** Flushes written bytes, and closes the connection. */
  close(): void {
    this.#failure ??= new ConnectionFailed(this.address, 'closed', 'connection closed');
    this.#socket.destroySoon();
  }

  /**
   * Renews a login that ends soon, before the next request. Requests in flight are answered first and new ones wait,
   * because until a login is complete a broker accepts only the messages of the login.
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
      // A connection whose login could not be renewed is unusable.
      if (this.#failure === undefined) this.#onLost?.();
      this.close();
      throw error;
    }
  }

  async #logIn(timeoutMs: number): Promise<void> {
    if (this.#login === undefined) return;
    const channel: LoginChannel = {
      address: this.address,
      offers: (api) => this.offers(api),
      request: (api, body) =>
        this.#send(api, commonVersion(api as unknown as Api, this.#offered), body, timeoutMs),
    };
    const lifetimeMs = await authenticate(channel, this.#login);
    this.#renewLoginAtMs =
      lifetimeMs === 0
        ? undefined
        : this.#clock.monotonicMs() + Math.max(lifetimeMs * renewalShare, renewalEveryMsMin);
  }

  /**
   * Why the peer closed the connection. Every broker answers ApiVersions, but a client learns only after the handshake
   * that its certificate was rejected; and a broker that requires a login closes anonymous connections without an
   * answer.
   */
  #closedByPeer(): ConnectionFailed {
    const isNegotiating = this.#offered.size === 0;
    if (isNegotiating && this.#isEncrypted) {
      const what = 'the broker closed the connection right after the TLS handshake';
      return new ConnectionFailed(this.address, 'closed after TLS', what);
    }
    const isStranger = this.#login === undefined && !isNegotiating && !this.#isServed;
    if (isStranger && this.#waiting.size > 0) {
      return new ConnectionFailed(
        this.address,
        'login wanted',
        'the broker closed the connection at the first request',
      );
    }
    return new ConnectionFailed(this.address, 'closed', 'the broker closed the connection');
  }

  /** Negotiates the versions, in a version of ApiVersions that the broker has. */
  async #negotiate(timeoutMs: number): Promise<OfferedVersions> {
    const api = apis.ApiVersions;
    let answer = await this.#requestVersions(api.highestStableVersion, timeoutMs);
    if (answer.errorCode === errors.UNSUPPORTED_VERSION.code) {
      // The answer contains the range of this API; a broker that omits it has at least v0.
      const range = answer.apiKeys.find(({ apiKey }) => apiKey === api.key);
      answer = await this.#requestVersions(
        Math.min(range?.maxVersion ?? 0, api.highestStableVersion),
        timeoutMs,
      );
    }
    if (answer.errorCode !== errors.NONE.code) throw new KafkaRequestFailed(api.name, answer.errorCode);
    return new Map(
      answer.apiKeys.map(({ apiKey, minVersion, maxVersion }) => [
        apiKey,
        { lowest: minVersion, highest: maxVersion },
      ]),
    );
  }

  #requestVersions(version: number, timeoutMs: number) {
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
      // User input may not fit into the protocol, such as a name of a hundred thousand letters.
      if (error instanceof EncodeError) throw new Failure(error.message);
      throw error;
    }
  }

  #send<Request extends Fields, Response extends Fields>(
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
    memory?: AnswerMemory | undefined,
  ): Promise<Answer> {
    const correlationId = this.#nextCorrelationId();
    const slices = this.#encode(api, version, correlationId, body);
    return new Promise<Answer>((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const cancelTimeout = this.#clock.after(timeoutMs, () => {
        const what = `no response to ${api.name} within ${formatDurationMs(timeoutMs)}`;
        this.#end(new ConnectionFailed(this.address, 'timeout', what));
      });
      this.#waiting.set(correlationId, {
        memory,
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
    // Ids are int32 and wrap around long after any request with the same id was answered.
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

  #read(reader: AnswerReader, bytes: number): void {
    if (this.#failure !== undefined) return;
    try {
      reader.received(bytes);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      this.#end(new ConnectionFailed(this.address, 'not Kafka', `invalid response: ${error.message}`));
    }
  }

  #receive(frame: Buffer): void {
    const correlationId = decodeCorrelationId(frame);
    const waiting = this.#waiting.get(correlationId);
    if (waiting === undefined) {
      const what = `received a response to unknown request ${correlationId}`;
      this.#end(new ConnectionFailed(this.address, 'not Kafka', what));
      return;
    }
    // The request stays pending until its answer is decoded: an unreadable answer fails it too.
    waiting.receive(frame);
    this.#waiting.delete(correlationId);
    if (this.#waiting.size === 0) this.#onIdle?.();
  }

  #end(failure: ConnectionFailed): void {
    if (this.#failure === undefined) this.#onLost?.();
    this.#failure ??= failure;
    for (const waiting of this.#waiting.values()) waiting.fail(failure);
    this.#waiting.clear();
    this.#onIdle?.();
    this.#socket.destroy();
  }
}

/** What a socket reads before its connection exists. */
class IncomingBytes implements SocketReader {
  #reader: SocketReader | undefined;
  #isEarly = false;

  begin(reader: SocketReader): void {
    this.#reader = reader;
  }

  /** Whether the server spoke first, as no broker does. */
  get isEarly(): boolean {
    return this.#isEarly;
  }

  place(): Buffer {
    return this.#reader?.place() ?? receiveBuffer;
  }

  received(bytes: number): void {
    if (this.#reader === undefined) this.#isEarly = true;
    else this.#reader.received(bytes);
  }
}

function bodyFor<Request extends Fields>(body: RequestBody<Request>, version: number): WriteStruct<Request> {
  return typeof body === 'function' ? body(version) : body;
}
