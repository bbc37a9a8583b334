import type { Socket } from 'node:net';
import type { Clock, Log } from '@weir/core';
import {
  type Api,
  apis,
  DecodeError,
  decodeRequestBody,
  decodeRequestHeader,
  encodeResponse,
  type Fields,
  type RequestEnvelope,
  type WriteStruct,
} from '@weir/wire';
import { agentLimits } from '../limits.ts';
import type { AnswerMemory } from '../pressure/answer-memory.ts';
import type { RequestServer } from '../requests/request-server.ts';
import type { ClientSession } from '../security/session/client-session.ts';
import { FrameAssembler } from './frame-assembler.ts';
import type { Frame, FramePool } from './frame-pool.ts';
import type { Intake, Receiver } from './intake.ts';
import type { ListenerLimits } from './limits.ts';
import type { CloseReason, ListenerMetrics } from './listener-metrics.ts';
import { Outbox } from './outbox.ts';
import type { RequestMemory } from './request-memory.ts';

export interface ConnectionOptions {
  readonly server: RequestServer;
  readonly limits: ListenerLimits;
  readonly memory: RequestMemory;
  readonly answers: AnswerMemory;
  readonly frames: FramePool;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ListenerMetrics;
  readonly onClosed: (connection: KafkaConnection) => void;
}

/** A request that was received and not yet answered. */
interface Pending {
  readonly envelope: RequestEnvelope;
  readonly apiName: string;
  readonly frame: Frame;
  readonly receivedMs: number;
  /** Whether it belongs to a SASL login, whose answer may end the connection. */
  readonly isLogin: boolean;
  outcome: Outcome | undefined;
}

type Outcome =
  | {
      readonly kind: 'reply';
      readonly slices: readonly Buffer[];
      readonly throttleMs: number;
      /** Whether the connection ends after it. */
      readonly isLast?: boolean;
    }
  | { readonly kind: 'noReply' }
  | { readonly kind: 'close'; readonly reason: CloseReason };

/**
 * One Kafka connection.
 *
 * ```
 *  bytes ─► frames ─► pending ─► server, many at a time
 *                         │          │
 *                         ▼ in order ▼
 *                       outbox ─► socket
 * ```
 *
 * Requests run in parallel and are answered in order of arrival. The socket is read only while there is room for the
 * memory that a request may need; frames received before the room ran out wait. Behind the maximum number of requests
 * in flight the connection reads ahead a little: the end of a connection comes after everything that was sent, and the
 * agent should know that a client has left before it writes the client's records. The memory of a frame is released
 * when its request is done. An answer with a throttle time is sent at once, and then the connection is not read for
 * that long (KIP-219).
 *
 * ```
 *  open ──► closing ──► closed       closing: reads nothing; answers what came before, then ends
 * ```
 */
export class KafkaConnection implements Receiver {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #session: ClientSession;
  readonly #assembler: FrameAssembler;
  readonly #intake: Intake;
  readonly #outbox: Outbox;
  readonly #closed = new AbortController();
  readonly #left = new AbortController();
  readonly #pending: Pending[] = [];
  readonly #resume = () => this.#pump();
  /** Frames that were received and not yet processed, and when each was received. */
  readonly #frames: Frame[] = [];
  readonly #framesReceivedMs: number[] = [];
  /** Memory cost of those frames. */
  #aheadBytes = 0;
  /** Why the bytes after those frames cannot be decoded. */
  #broken: Error | undefined;
  #state: 'open' | 'closing' | 'closed' = 'open';
  #closeReason: CloseReason = 'peer';
  #isPumping = false;
  #isReading = true;
  #bytesInFlight = 0;
  /** Bytes of an unfinished frame that are counted in the memory shared by all connections. */
  #partialBytes = 0;
  /** Bytes of answers that wait for earlier ones, and bytes of all answers that are counted in the shared memory. */
  #earlyAnswerBytes = 0;
  #answerBytes = 0;
  #unmute: (() => void) | undefined;
  #mutedUntilMs = 0;
  #lastReadMs: number;
  #lastWrittenMs: number;

  constructor(intake: Intake, session: ClientSession, options: ConnectionOptions) {
    const { socket } = intake;
    this.#intake = intake;
    this.#socket = socket;
    this.#options = options;
    this.#session = session;
    this.#assembler = new FrameAssembler(() => this.#frameBytesMax(), options.frames);
    this.#lastReadMs = options.clock.monotonicMs();
    this.#lastWrittenMs = this.#lastReadMs;
    this.#outbox = new Outbox(socket, () => this.#progressed());
    socket.on('error', (error) => {
      options.log.debug('lost Kafka connection', {
        peer: this.#session.remoteAddress,
        error: error.message,
      });
    });
    // Otherwise Node.js would end this side together with the client's, before everything is served.
    socket.allowHalfOpen = true;
    socket.on('end', () => this.#onEnd());
    socket.on('close', () => this.#onClose());
    intake.start(this);
  }

  /** Stops reading, answers requests in flight, and closes. */
  drain(): void {
    this.#finish('stopped');
  }

  /** Closes at once. */
  destroy(reason: CloseReason): void {
    if (this.#state === 'open') this.#closeReason = reason;
    if (this.#state !== 'closed') this.#socket.destroy();
  }

  /** Called periodically: closes the connection if it made no progress for too long. */
  sweep(nowMs: number): void {
    const { limits, memory, answers } = this.#options;
    const sinceReadMs = nowMs - this.#lastReadMs;
    const sinceWrittenMs = nowMs - this.#lastWrittenMs;
    const isSending = this.#outbox.queuedBytes > 0 || this.#outbox.isEnding;
    const sendProgressMs = answers.isFull ? limits.progressWhenFullMs : limits.progressMs;
    const frameProgressMs = memory.isFull ? limits.progressWhenFullMs : limits.progressMs;
    if (isSending && sinceWrittenMs >= sendProgressMs) {
      this.destroy('slow');
    } else if (this.#assembler.pendingBytes > 0 && this.#isReading && sinceReadMs >= frameProgressMs) {
      this.destroy('slow');
    } else if (this.#pending.length === 0 && Math.min(sinceReadMs, sinceWrittenMs) >= limits.idleMs) {
      this.destroy('idle');
    }
  }

  get place(): Buffer | undefined {
    return this.#state === 'open' ? this.#assembler.place : undefined;
  }

  onPlaced(bytes: number): void {
    if (this.#state !== 'open') return;
    const frame = this.#assembler.placed(bytes);
    if (frame !== undefined) {
      this.#frames.push(frame);
      this.#aheadBytes += costOf(frame);
    }
    this.#noteRead(bytes, frame === undefined ? 0 : 1);
    // TLS delivers 16 KiB at a time, and there is nothing to do until the frame is complete.
    if (frame === undefined) this.#countPartial();
    else this.#pump();
  }

  onChunk(chunk: Buffer): void {
    if (this.#state !== 'open' || this.#broken !== undefined) return;
    const before = this.#frames.length;
    try {
      this.#assembler.push(chunk, this.#frames);
    } catch (error) {
      this.#broken = error as Error;
    }
    for (let at = before; at < this.#frames.length; at++) this.#aheadBytes += costOf(this.#frames[at]!);
    this.#noteRead(chunk.length, this.#frames.length - before);
    this.#pump();
  }

  #noteRead(bytes: number, frames: number): void {
    this.#lastReadMs = this.#options.clock.monotonicMs();
    for (let count = 0; count < frames; count++) this.#framesReceivedMs.push(this.#lastReadMs);
    this.#options.metrics.bytesIn.add(bytes);
  }

  /** Accepts frames while there are any and there is room. A handler may answer synchronously and call this again. */
  #pump(): void {
    if (this.#isPumping || this.#state === 'closed') return;
    this.#isPumping = true;
    try {
      while (!this.#isHeld()) {
        const frame = this.#nextFrame();
        if (frame === undefined) break;
        this.#accept(frame, this.#framesReceivedMs.shift()!);
      }
    } catch (error) {
      this.#unreadable(error);
    } finally {
      this.#isPumping = false;
    }
    if (this.#left.signal.aborted && this.#frames.length === 0) this.destroy('peer');
    this.#countPartial();
    this.#countAnswers();
    this.#steerReading();
  }

  /** Clients that have not logged in get a smaller limit. */
  #frameBytesMax(): number {
    const { server, limits } = this.#options;
    return Math.min(limits.frameBytesMax, server.frameBytesMax?.(this.#session) ?? limits.frameBytesMax);
  }

  /** The client has ended its side. Requests that it sent before are served, although it may never see the answers. */
  #onEnd(): void {
    this.#left.abort();
    if (this.#frames.length === 0) this.destroy('peer');
  }

  #isHeld(): boolean {
    const { limits } = this.#options;
    return (
      this.#isBlocked() ||
      this.#pending.length >= limits.requestsInFlightPerConnectionMax ||
      this.#bytesInFlight >= limits.requestBytesInFlightPerConnectionMax
    );
  }

  /** Whether nothing may be read, not even ahead. */
  #isBlocked(): boolean {
    const { limits, memory, answers } = this.#options;
    return (
      this.#state !== 'open' ||
      // Requests after a login run as the principal that logs in, and wait until it is known.
      this.#session.sasl?.isBusy === true ||
      this.#session.sasl?.isOver === true ||
      answers.isFull ||
      this.#unmute !== undefined ||
      this.#outbox.queuedBytes >= limits.responseBytesQueuedPerConnectionMax ||
      (memory.isFull && this.#assembler.pendingBytes === 0)
    );
  }

  #nextFrame(): Frame | undefined {
    const frame = this.#frames.shift();
    if (frame !== undefined) this.#aheadBytes -= costOf(frame);
    if (frame === undefined && this.#broken !== undefined) throw this.#broken;
    return frame;
  }

  #countPartial(): void {
    const { memory } = this.#options;
    const partialBytes = this.#state === 'open' ? this.#assembler.pendingBytes + this.#aheadBytes : 0;
    const grewBytes = partialBytes - this.#partialBytes;
    this.#partialBytes = partialBytes;
    if (grewBytes !== 0) memory.change(grewBytes);
    if (grewBytes > 0 && memory.isOverrun) {
      this.#options.log.warn('closed Kafka connection: unfinished requests fill the memory', {
        peer: this.#session.remoteAddress,
        bytes: partialBytes,
      });
      this.destroy('memory');
    }
  }

  #countAnswers(): void {
    const bytes = this.#state === 'closed' ? 0 : this.#earlyAnswerBytes + this.#outbox.queuedBytes;
    const grewBytes = bytes - this.#answerBytes;
    this.#answerBytes = bytes;
    if (grewBytes !== 0) this.#options.answers.change(grewBytes);
  }

  #steerReading(): void {
    // While the connection ends, received bytes are read and discarded: otherwise the end of the peer would not be
    // noticed.
    const readsAhead =
      this.#broken === undefined && this.#aheadBytes < agentLimits.readAheadBytesPerConnectionMax;
    const reading = this.#outbox.isEnding || (!this.#isBlocked() && (!this.#isHeld() || readsAhead));
    const { memory, answers } = this.#options;
    if (this.#state === 'open' && memory.isFull) memory.whenFree(this.#resume);
    if (this.#state === 'open' && answers.isFull) answers.whenFree(this.#resume);
    if (reading === this.#isReading || this.#state === 'closed') return;
    this.#isReading = reading;
    if (reading) {
      this.#lastReadMs = this.#options.clock.monotonicMs();
      this.#intake.resume();
    } else {
      this.#intake.pause();
    }
  }

  #accept(frame: Frame, receivedMs: number): void {
    try {
      this.#serve(frame, receivedMs);
    } catch (error) {
      // No handler uses the frame of a request that could not be decoded.
      frame.release();
      throw error;
    }
  }

  /** Throws only before a handler has started on the request. */
  #serve(frame: Frame, receivedMs: number): void {
    const { server } = this.#options;
    if (this.#session.sasl?.takesTokens === true) {
      this.#serveToken(frame);
      return;
    }
    const envelope = decodeRequestHeader(frame.bytes);
    const { api, apiKey, apiVersion } = envelope;
    if (api === undefined || !server.serves(api, apiVersion)) {
      if (apiKey === apis.ApiVersions.key) this.#answerTooNewClient(envelope, frame);
      else this.#unsupported(envelope, frame);
      return;
    }
    const { body, surplusBytes } = decodeRequestBody(api, apiVersion, frame.bytes, envelope.bodyStart);
    if (surplusBytes > 0) this.#noteSurplus(envelope, api.name, surplusBytes);
    const isLogin = api === apis.SaslHandshake || api === apis.SaslAuthenticate;
    const pending = this.#open(envelope, api.name, frame, isLogin);
    try {
      const result = server.serve({
        api,
        apiVersion,
        correlationId: envelope.correlationId,
        clientId: envelope.clientId,
        body,
        requestBytes: frame.bytes.length,
        session: this.#session,
        closed: this.#closed.signal,
        left: this.#left.signal,
        receivedMs,
      });
      if (result instanceof Promise) {
        result.then(
          (answer) => this.#answered(pending, api, answer),
          (error: unknown) => this.#failed(pending, error),
        );
      } else {
        this.#answered(pending, api, result);
      }
    } catch (error) {
      this.#failed(pending, error);
    }
  }

  #noteSurplus(envelope: RequestEnvelope, apiName: string, bytes: number): void {
    this.#options.metrics.surplus(apiName).add(bytes);
    this.#options.log.debug('ignored surplus bytes after Kafka request', {
      ...this.#describe(envelope),
      bytes,
    });
  }

  /** Serves a SASL token without a request header, as after SaslHandshake v0. */
  #serveToken(frame: Frame): void {
    const { server } = this.#options;
    const pending = this.#open(tokenEnvelope, apis.SaslAuthenticate.name, frame, true);
    server.serveToken!(frame.bytes, this.#session, this.#closed.signal).then(
      (answer) => {
        if (answer === 'close') {
          this.#settle(pending, { kind: 'close', reason: 'refused' });
          return;
        }
        const length = Buffer.alloc(4);
        length.writeInt32BE(answer.length);
        const slices = [length, answer];
        this.#earlyAnswerBytes += bytesOf(slices);
        this.#settle(pending, { kind: 'reply', slices, throttleMs: 0 });
      },
      (error: unknown) => this.#failed(pending, error),
    );
  }

  #open(envelope: RequestEnvelope, apiName: string, frame: Frame, isLogin = false): Pending {
    const { clock, memory, metrics } = this.#options;
    const bytes = frame.bytes.length;
    const pending: Pending = {
      envelope,
      apiName,
      frame,
      receivedMs: clock.monotonicMs(),
      isLogin,
      outcome: undefined,
    };
    this.#pending.push(pending);
    this.#bytesInFlight += bytes;
    memory.change(bytes);
    metrics.requestsInFlight.add(1);
    metrics.api(apiName).requests.add(1);
    return pending;
  }

  #answerTooNewClient(envelope: RequestEnvelope, frame: Frame): void {
    const pending = this.#open(envelope, apis.ApiVersions.name, frame);
    const answer = this.#options.server.refuseApiVersions();
    const slices = encodeResponse(apis.ApiVersions, 0, envelope.correlationId, answer);
    this.#earlyAnswerBytes += bytesOf(slices);
    this.#settle(pending, { kind: 'reply', slices, throttleMs: 0 });
  }

  #answered(pending: Pending, api: Api, answer: WriteStruct<Fields> | 'noReply' | 'close'): void {
    if (answer === 'noReply') {
      this.#settle(pending, { kind: 'noReply' });
    } else if (answer === 'close') {
      this.#settle(pending, { kind: 'close', reason: 'refused' });
    } else if (this.#state === 'closed') {
      this.#settle(pending, { kind: 'noReply' });
    } else {
      const { correlationId, apiVersion } = pending.envelope;
      let slices: Buffer[];
      try {
        slices = encodeResponse(api, apiVersion, correlationId, answer);
      } catch (error) {
        this.#failed(pending, error);
        return;
      }
      const { throttleTimeMs } = answer as { readonly throttleTimeMs?: number };
      this.#earlyAnswerBytes += bytesOf(slices);
      const isLast = pending.isLogin && this.#session.sasl?.isOver === true;
      this.#settle(pending, { kind: 'reply', slices, throttleMs: throttleTimeMs ?? 0, isLast });
    }
  }

  /** A handler that throws is a bug in the agent. The correct answer is unknown, so the client has to retry. */
  #failed(pending: Pending, error: unknown): void {
    this.#options.log.error('failed to serve Kafka request, closing its connection', {
      ...this.#describe(pending.envelope),
      error: textOf(error),
    });
    this.#settle(pending, { kind: 'close', reason: 'failed' });
  }

  #settle(pending: Pending, outcome: Outcome): void {
    const { clock, memory, metrics } = this.#options;
    const { answered, failed } = metrics.api(pending.apiName);
    const bytes = pending.frame.bytes.length;
    pending.outcome = outcome;
    // The answer is encoded, and the handler no longer uses the bytes of the request.
    pending.frame.release();
    this.#bytesInFlight -= bytes;
    (outcome.kind === 'close' ? failed : answered).observe((clock.monotonicMs() - pending.receivedMs) / 1000);
    metrics.requestsInFlight.add(-1);
    memory.change(-bytes);
    if (this.#state !== 'closed') this.#sendInOrder();
  }

  #sendInOrder(): void {
    while (this.#pending[0]?.outcome !== undefined) {
      const outcome = this.#pending.shift()!.outcome!;
      if (outcome.kind === 'reply') this.#send(outcome.slices, outcome.throttleMs);
      if (outcome.kind === 'close' || (outcome.kind === 'reply' && outcome.isLast)) {
        // Requests after a refused one are not answered.
        this.#pending.length = 0;
        this.#earlyAnswerBytes = 0;
        this.#finish(outcome.kind === 'close' ? outcome.reason : 'refused');
      }
    }
    this.#endIfAnswered();
    this.#pump();
  }

  #send(slices: readonly Buffer[], throttleMs: number): void {
    const { clock, metrics } = this.#options;
    if (this.#outbox.queuedBytes === 0) this.#lastWrittenMs = clock.monotonicMs();
    const bytes = bytesOf(slices);
    this.#outbox.push(slices);
    this.#earlyAnswerBytes -= bytes;
    metrics.bytesOut.add(bytes);
    if (throttleMs > 0 && this.#state === 'open') this.#mute(throttleMs);
  }

  #mute(forMs: number): void {
    const { clock, metrics } = this.#options;
    metrics.throttled.add(1);
    // Of several throttle times the longest counts, regardless of the order of the answers.
    const untilMs = clock.monotonicMs() + forMs;
    if (this.#unmute !== undefined && untilMs <= this.#mutedUntilMs) return;
    this.#mutedUntilMs = untilMs;
    this.#unmute?.();
    this.#unmute = clock.after(forMs, () => {
      this.#unmute = undefined;
      this.#pump();
    });
  }

  #progressed(): void {
    this.#lastWrittenMs = this.#options.clock.monotonicMs();
    this.#pump();
  }

  #unreadable(error: unknown): void {
    const { log } = this.#options;
    if (error instanceof DecodeError) {
      const fields = { peer: this.#session.remoteAddress, error: error.message };
      log.info('closed Kafka connection: malformed request', fields);
      this.#finish('malformed');
    } else {
      const fields = { peer: this.#session.remoteAddress, error: textOf(error) };
      log.error('closed Kafka connection: failed to read request', fields);
      this.#finish('failed');
    }
  }

  #unsupported(envelope: RequestEnvelope, frame: Frame): void {
    frame.release();
    this.#options.log.info('closed Kafka connection: unsupported request', {
      ...this.#describe(envelope),
    });
    this.#finish('unsupported');
  }

  #describe({ apiKey, apiVersion, clientId }: RequestEnvelope) {
    return { peer: this.#session.remoteAddress, apiKey, apiVersion, clientId };
  }

  #finish(reason: CloseReason): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#closeReason = reason;
    this.#dropFrames();
    this.#unmute?.();
    this.#unmute = undefined;
    this.#countPartial();
    this.#endIfAnswered();
    this.#steerReading();
  }

  #endIfAnswered(): void {
    if (this.#state !== 'closing' || this.#pending.length > 0 || this.#outbox.isEnding) return;
    this.#lastWrittenMs = this.#options.clock.monotonicMs();
    this.#outbox.end();
  }

  #dropFrames(): void {
    for (const frame of this.#frames.splice(0)) frame.release();
    this.#framesReceivedMs.length = 0;
    this.#aheadBytes = 0;
  }

  #onClose(): void {
    this.#state = 'closed';
    // Not earlier: until now the socket could still read into the memory of an unfinished frame.
    this.#assembler.forget();
    this.#unmute?.();
    this.#unmute = undefined;
    this.#dropFrames();
    this.#pending.length = 0;
    this.#options.memory.forget(this.#resume);
    this.#options.answers.forget(this.#resume);
    this.#countPartial();
    this.#countAnswers();
    if (this.#closeReason === 'idle') this.#options.metrics.idleClosed.add(1);
    this.#options.metrics.closed(this.#closeReason).add(1);
    this.#left.abort();
    this.#closed.abort();
    this.#options.onClosed(this);
  }
}

/** Memory that a frame needs in addition to its bytes. */
function costOf({ bytes }: Frame): number {
  return bytes.length + 256;
}

/** Replaces the header that a SASL token does not have. */
const tokenEnvelope: RequestEnvelope = {
  apiKey: apis.SaslAuthenticate.key,
  apiVersion: 0,
  correlationId: 0,
  clientId: null,
  api: apis.SaslAuthenticate as unknown as Api,
  bodyStart: 0,
};

function bytesOf(slices: readonly Buffer[]): number {
  let bytes = 0;
  for (const slice of slices) bytes += slice.length;
  return bytes;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
