import type { Clock, Log } from '@weir/core';
import type { ClientSession } from '@weir/security';
import { DecodeError } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import type { AnswerMemory } from '../pressure/answer-memory.ts';
import type { RequestServer } from '../requests/request-server.ts';
import type { ConnectionLink, LinkReceiver } from './connection-link.ts';
import { FrameServer } from './frame-server.ts';
import type { ListenerLimits } from './limits.ts';
import type { CloseReason, ListenerMetrics } from './listener-metrics.ts';
import type { RequestMemory } from './request-memory.ts';
import {
  bytesOf,
  type Outcome,
  type PendingRequest,
  type Reply,
  RequestsInFlight,
} from './requests-in-flight.ts';
import { Throttle } from './throttle.ts';

export interface ConnectionOptions {
  readonly server: RequestServer;
  readonly limits: ListenerLimits;
  readonly memory: RequestMemory;
  readonly answers: AnswerMemory;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ListenerMetrics;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onClosed: (connection: KafkaConnection) => void;
}

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
export class KafkaConnection implements LinkReceiver {
  readonly #link: ConnectionLink;
  readonly #options: ConnectionOptions;
  readonly #session: ClientSession;
  readonly #frameServer: FrameServer;
  readonly #requests: RequestsInFlight;
  readonly #throttle: Throttle;
  readonly #closed = new AbortController();
  readonly #left = new AbortController();
  readonly #resume = () => this.#pump();
  #state: 'open' | 'closing' | 'closed' = 'open';
  #closeReason: CloseReason = 'peer';
  #isPumping = false;
  #isReading = true;
  /** Whether the link is being closed, which a link of another thread takes a while for. */
  #isLeaving = false;
  /** Bytes of frames that are not served yet, and of answers, as counted in the memory shared by all connections. */
  #partialBytes = 0;
  #answerBytes = 0;
  #lastReadMs: number;
  #lastWrittenMs: number;

  constructor(link: ConnectionLink, session: ClientSession, options: ConnectionOptions) {
    this.#link = link;
    this.#options = options;
    this.#session = session;
    this.#requests = new RequestsInFlight(options);
    this.#frameServer = new FrameServer(options, {
      session,
      requests: this.#requests,
      closed: this.#closed.signal,
      left: this.#left.signal,
      isClosed: () => this.#state === 'closed',
      settle: (pending, outcome) => this.#settle(pending, outcome),
      finish: (reason) => this.#finish(reason),
    });
    this.#throttle = new Throttle(options.clock, this.#resume);
    this.#lastReadMs = options.clock.monotonicMs();
    this.#lastWrittenMs = this.#lastReadMs;
    link.start(this);
  }

  /** Stops reading, answers requests in flight, and closes. */
  drain(): void {
    this.#finish('stopped');
  }

  /** Closes at once. */
  destroy(reason: CloseReason): void {
    if (this.#state === 'open') this.#closeReason = reason;
    if (this.#state === 'closed') return;
    if (!this.#isLeaving) {
      this.#isLeaving = true;
      this.#options.memory.changeLeaving(this.#partialBytes);
    }
    this.#link.destroy();
  }

  /** Called periodically: closes the connection if it made no progress for too long. */
  sweep(nowMs: number): void {
    const { limits, memory, answers } = this.#options;
    const sinceReadMs = nowMs - this.#lastReadMs;
    const sinceWrittenMs = nowMs - this.#lastWrittenMs;
    const isSending = this.#link.outbox.queuedBytes > 0 || this.#link.outbox.isEnding;
    const sendProgressMs = answers.isFull ? limits.progressWhenFullMs : limits.progressMs;
    const frameProgressMs = memory.isFull ? limits.progressWhenFullMs : limits.progressMs;
    if (isSending && sinceWrittenMs >= sendProgressMs) {
      this.destroy('slow');
    } else if (this.#link.frames.unfinishedBytes > 0 && this.#isReading && sinceReadMs >= frameProgressMs) {
      this.destroy('slow');
    } else if (this.#requests.count === 0 && Math.min(sinceReadMs, sinceWrittenMs) >= this.#idleMsMax) {
      this.destroy('idle');
    }
  }

  get #idleMsMax(): number {
    return Math.min(this.#options.limits.idleMs, this.#session.idleMsMax ?? Number.POSITIVE_INFINITY);
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  onReceived(bytes: number, nowMs: number, isComplete: boolean): void {
    this.#lastReadMs = nowMs;
    this.#options.metrics.bytesIn.add(bytes);
    // TLS delivers 16 KiB at a time, and there is nothing to do until the frame is complete.
    if (isComplete) this.#pump();
    else this.#countPartial();
  }

  onError(error: Error): void {
    this.#options.log.debug('lost Kafka connection', {
      peer: this.#session.remoteAddress,
      error: error.message,
    });
  }

  /** Accepts frames while there are any and there is room. A handler may answer synchronously and call this again. */
  #pump(): void {
    if (this.#isPumping || this.#state === 'closed') return;
    this.#isPumping = true;
    try {
      while (!this.#isHeld()) {
        const frame = this.#link.frames.take();
        if (frame === undefined) break;
        this.#frameServer.serve(frame, this.#link.frames.takeReceivedMs());
      }
    } catch (error) {
      this.#unreadable(error);
    } finally {
      this.#isPumping = false;
    }
    if (this.#left.signal.aborted && this.#link.frames.isEmpty) this.destroy('peer');
    this.#countPartial();
    this.#countAnswers();
    this.#steerReading();
  }

  /** The client has ended its side. Requests that it sent before are served, although it may never see the answers. */
  onEnd(): void {
    this.#left.abort();
    if (this.#link.frames.isEmpty) this.destroy('peer');
  }

  #isHeld(): boolean {
    const { limits } = this.#options;
    return (
      this.#isBlocked() ||
      this.#requests.count >= limits.requestsInFlightPerConnectionMax ||
      this.#requests.bytes >= limits.requestBytesInFlightPerConnectionMax
    );
  }

  /** Whether nothing may be read, not even ahead. */
  #isBlocked(): boolean {
    const { memory } = this.#options;
    return this.#isStopped() || (memory.isFull && this.#link.frames.unfinishedBytes === 0);
  }

  /** Whether nothing may be read, not even the rest of a frame. */
  #isStopped(): boolean {
    const { limits, answers } = this.#options;
    return (
      this.#state !== 'open' ||
      // Requests after a login run as the principal that logs in, and wait until it is known.
      this.#session.sasl?.isBusy === true ||
      this.#session.sasl?.isOver === true ||
      answers.isFull ||
      this.#throttle.isActive ||
      this.#link.outbox.queuedBytes >= limits.responseBytesQueuedPerConnectionMax
    );
  }

  #countPartial(): void {
    const { memory } = this.#options;
    const partialBytes =
      this.#state === 'open' ? this.#link.frames.unfinishedBytes + this.#link.frames.waitingBytes : 0;
    const grewBytes = partialBytes - this.#partialBytes;
    this.#partialBytes = partialBytes;
    if (grewBytes !== 0 && this.#isLeaving) memory.changeLeaving(grewBytes);
    if (grewBytes !== 0) memory.change(grewBytes);
    if (grewBytes > 0 && !this.#isLeaving && memory.isOverrun) {
      this.#options.log.warn('closed Kafka connection: request memory exhausted', {
        peer: this.#session.remoteAddress,
        bytes: partialBytes,
      });
      this.destroy('memory');
    }
  }

  #countAnswers(): void {
    const bytes =
      this.#state === 'closed' ? 0 : this.#requests.earlyAnswerBytes + this.#link.outbox.queuedBytes;
    const grewBytes = bytes - this.#answerBytes;
    this.#answerBytes = bytes;
    if (grewBytes !== 0) this.#options.answers.change(grewBytes);
  }

  #steerReading(): void {
    // While the connection ends, received bytes are read and discarded: otherwise the end of the peer would not be
    // noticed.
    const readsAhead =
      !this.#link.frames.isBroken &&
      this.#link.frames.waitingBytes < brokerLimits.readAheadBytesPerConnectionMax;
    const reading = this.#link.outbox.isEnding || (!this.#isBlocked() && (!this.#isHeld() || readsAhead));
    const { memory, answers } = this.#options;
    if (this.#state === 'open' && memory.isFull) memory.whenFree(this.#resume);
    if (this.#state === 'open' && answers.isFull) answers.whenFree(this.#resume);
    if (reading === this.#isReading || this.#state === 'closed') return;
    this.#isReading = reading;
    if (reading) {
      this.#lastReadMs = this.#options.clock.monotonicMs();
      this.#link.resume();
    } else {
      // Read ahead, it would not be served any sooner.
      this.#link.pause(!this.#isStopped());
    }
  }

  #settle(pending: PendingRequest, outcome: Outcome): void {
    this.#requests.settle(pending, outcome);
    if (this.#state !== 'closed') this.#sendInOrder();
  }

  #sendInOrder(): void {
    for (;;) {
      const outcome = this.#requests.takeOutcome();
      if (outcome === undefined) break;
      if (outcome.kind === 'reply') this.#send(outcome);
      if (outcome.kind === 'close' || (outcome.kind === 'reply' && outcome.isLast)) {
        // Requests after a refused one are not answered.
        this.#requests.clear();
        this.#finish(outcome.kind === 'close' ? outcome.reason : 'refused');
      }
    }
    this.#endIfAnswered();
    this.#pump();
  }

  #send({ slices, throttleMs, hold }: Reply): void {
    const { clock, metrics } = this.#options;
    if (this.#link.outbox.queuedBytes === 0) this.#lastWrittenMs = clock.monotonicMs();
    const bytes = bytesOf(slices);
    this.#link.outbox.push(slices, hold === undefined ? undefined : () => hold.release());
    this.#requests.sent(bytes);
    metrics.bytesOut.add(bytes);
    if (throttleMs > 0 && this.#state === 'open') {
      metrics.throttled.add(1);
      this.#throttle.start(throttleMs);
    }
  }

  onProgress(): void {
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

  #finish(reason: CloseReason): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#closeReason = reason;
    this.#link.frames.drop();
    this.#throttle.stop();
    this.#countPartial();
    this.#endIfAnswered();
    this.#steerReading();
  }

  #endIfAnswered(): void {
    if (this.#state !== 'closing' || this.#requests.count > 0 || this.#link.outbox.isEnding) return;
    this.#lastWrittenMs = this.#options.clock.monotonicMs();
    this.#link.outbox.end();
  }

  onClose(reason?: CloseReason): void {
    if (this.#state === 'open' && reason !== undefined) this.#closeReason = reason;
    this.#state = 'closed';
    // Not earlier: until now the socket could still read into the memory of an unfinished frame.
    this.#link.frames.forgetUnfinished();
    this.#link.outbox.close();
    this.#throttle.stop();
    this.#link.frames.drop();
    this.#requests.clear();
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

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
