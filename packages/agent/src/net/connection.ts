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
  FrameSplitter,
  type RequestEnvelope,
  type WriteStruct,
} from '@weir/wire';
import { type Intake, receiveChunks } from './intake.ts';
import type { ListenerLimits } from './limits.ts';
import type { CloseReason, ListenerMetrics } from './listener-metrics.ts';
import { Outbox } from './outbox.ts';
import type { RequestMemory } from './request-memory.ts';
import type { RequestServer } from './request-server.ts';

export interface ConnectionOptions {
  readonly server: RequestServer;
  readonly limits: ListenerLimits;
  readonly memory: RequestMemory;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ListenerMetrics;
  readonly onClosed: (connection: KafkaConnection) => void;
}

/** A request that was received and whose turn to be answered has not come. */
interface Pending {
  readonly envelope: RequestEnvelope;
  readonly apiName: string;
  readonly bytes: number;
  readonly receivedMs: number;
  outcome: Outcome | undefined;
}

type Outcome =
  | { readonly kind: 'reply'; readonly slices: readonly Buffer[]; readonly throttleMs: number }
  | { readonly kind: 'noReply' }
  | { readonly kind: 'close'; readonly reason: CloseReason };

/**
 * One Kafka connection.
 *
 * ```
 *  chunks ─► frames ─► pending ─► server, many at a time
 *                         │          │
 *                         ▼ in order ▼
 *                       outbox ─► socket
 * ```
 *
 * Requests are worked on side by side and answered in the order in which they came. The socket is read only while there is room for
 * what a request may cost; frames of a chunk that was read before the room ran out wait in their chunk. An answer with a
 * throttle time is sent at once, and then the connection is not read for that long (KIP-219).
 *
 * ```
 *  open ──► closing ──► closed       closing: reads nothing; answers what came before, then ends
 * ```
 */
export class KafkaConnection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #remoteAddress: string;
  readonly #splitter: FrameSplitter;
  readonly #intake: Intake;
  readonly #outbox: Outbox;
  readonly #closed = new AbortController();
  readonly #pending: Pending[] = [];
  readonly #resume = () => this.#pump();
  /** Frames of chunks that were received and not yet looked at. */
  readonly #chunks: Iterator<Buffer, void, undefined>[] = [];
  #state: 'open' | 'closing' | 'closed' = 'open';
  #closeReason: CloseReason = 'peer';
  #isPumping = false;
  #isReading = true;
  #bytesInFlight = 0;
  /** What of an unfinished frame is counted in the memory of all. */
  #partialBytes = 0;
  #unmute: (() => void) | undefined;
  #lastReadMs: number;
  #lastWrittenMs: number;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#remoteAddress = socket.remoteAddress ?? '';
    this.#splitter = new FrameSplitter(options.limits.frameBytesMax);
    this.#lastReadMs = options.clock.monotonicMs();
    this.#lastWrittenMs = this.#lastReadMs;
    this.#outbox = new Outbox(socket, () => this.#progressed());
    socket.on('error', (error) => {
      options.log.debug('a Kafka connection broke', { peer: this.#remoteAddress, error: error.message });
    });
    socket.on('end', () => this.destroy('peer'));
    socket.on('close', () => this.#onClose());
    this.#intake = receiveChunks(socket, (chunk) => this.#onChunk(chunk));
  }

  /** Reads nothing more, answers what is under way, and ends. */
  drain(): void {
    this.#finish('stopped');
  }

  /** Ends at once. */
  destroy(reason: CloseReason): void {
    if (this.#state === 'open') this.#closeReason = reason;
    if (this.#state !== 'closed') this.#socket.destroy();
  }

  /** Called from time to time: closes what has stood still for too long. */
  sweep(nowMs: number): void {
    const { limits } = this.#options;
    const sinceReadMs = nowMs - this.#lastReadMs;
    const sinceWrittenMs = nowMs - this.#lastWrittenMs;
    const isSending = this.#outbox.queuedBytes > 0 || this.#outbox.isEnding;
    if (isSending && sinceWrittenMs >= limits.progressMs) {
      this.destroy('slow');
    } else if (this.#splitter.pendingBytes > 0 && this.#isReading && sinceReadMs >= limits.progressMs) {
      this.destroy('slow');
    } else if (this.#pending.length === 0 && Math.min(sinceReadMs, sinceWrittenMs) >= limits.idleMs) {
      this.destroy('idle');
    }
  }

  #onChunk(chunk: Buffer): void {
    if (this.#state !== 'open') return;
    this.#lastReadMs = this.#options.clock.monotonicMs();
    this.#options.metrics.bytesIn.add(chunk.length);
    this.#chunks.push(this.#splitter.push(chunk));
    this.#pump();
  }

  /** Accepts frames as long as there are any and there is room. Handlers may answer at once and so call it again. */
  #pump(): void {
    if (this.#isPumping || this.#state === 'closed') return;
    this.#isPumping = true;
    try {
      while (!this.#isHeld()) {
        const frame = this.#nextFrame();
        if (frame === undefined) break;
        this.#accept(frame);
      }
    } catch (error) {
      this.#unreadable(error);
    } finally {
      this.#isPumping = false;
    }
    this.#countPartial();
    this.#steerReading();
  }

  #isHeld(): boolean {
    const { limits, memory } = this.#options;
    return (
      this.#state !== 'open' ||
      this.#unmute !== undefined ||
      this.#pending.length >= limits.requestsInFlightPerConnectionMax ||
      this.#bytesInFlight >= limits.requestBytesInFlightPerConnectionMax ||
      this.#outbox.queuedBytes >= limits.responseBytesQueuedPerConnectionMax ||
      (memory.isFull && this.#splitter.pendingBytes === 0)
    );
  }

  #nextFrame(): Buffer | undefined {
    for (;;) {
      const frames = this.#chunks[0];
      if (frames === undefined) return undefined;
      const { value, done } = frames.next();
      if (done !== true) return value as Buffer;
      this.#chunks.shift();
    }
  }

  #countPartial(): void {
    const { memory } = this.#options;
    const partialBytes = this.#state === 'open' ? this.#splitter.pendingBytes : 0;
    const grewBytes = partialBytes - this.#partialBytes;
    this.#partialBytes = partialBytes;
    if (grewBytes !== 0) memory.change(grewBytes);
    if (grewBytes > 0 && memory.isOverrun) {
      this.#options.log.warn('closed a Kafka connection because unfinished requests fill the memory', {
        peer: this.#remoteAddress,
        bytes: partialBytes,
      });
      this.destroy('memory');
    }
  }

  #steerReading(): void {
    // While it ends, what still comes is read and thrown away: otherwise the end of the peer would never be seen.
    const reading = this.#outbox.isEnding || (!this.#isHeld() && this.#chunks.length === 0);
    if (this.#state === 'open' && this.#options.memory.isFull) this.#options.memory.whenFree(this.#resume);
    if (reading === this.#isReading || this.#state === 'closed') return;
    this.#isReading = reading;
    if (reading) {
      this.#lastReadMs = this.#options.clock.monotonicMs();
      this.#intake.resume();
    } else {
      this.#intake.pause();
    }
  }

  #accept(frame: Buffer): void {
    const { server } = this.#options;
    const envelope = decodeRequestHeader(frame);
    const { api, apiKey, apiVersion } = envelope;
    if (api === undefined || !server.serves(api, apiVersion)) {
      if (apiKey === apis.ApiVersions.key) this.#answerTooNewClient(envelope, frame.length);
      else this.#unsupported(envelope);
      return;
    }
    const body = decodeRequestBody(api, apiVersion, frame, envelope.bodyStart);
    const pending = this.#open(envelope, api.name, frame.length);
    try {
      const result = server.serve({
        api,
        apiVersion,
        clientId: envelope.clientId,
        body,
        remoteAddress: this.#remoteAddress,
        closed: this.#closed.signal,
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

  #open(envelope: RequestEnvelope, apiName: string, bytes: number): Pending {
    const { clock, memory, metrics } = this.#options;
    const pending: Pending = {
      envelope,
      apiName,
      bytes,
      receivedMs: clock.monotonicMs(),
      outcome: undefined,
    };
    this.#pending.push(pending);
    this.#bytesInFlight += bytes;
    memory.change(bytes);
    metrics.requestsInFlight.add(1);
    metrics.api(apiName).requests.add(1);
    return pending;
  }

  #answerTooNewClient(envelope: RequestEnvelope, bytes: number): void {
    const pending = this.#open(envelope, apis.ApiVersions.name, bytes);
    const answer = this.#options.server.refuseApiVersions();
    const slices = encodeResponse(apis.ApiVersions, 0, envelope.correlationId, answer);
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
      this.#settle(pending, { kind: 'reply', slices, throttleMs: throttleTimeMs ?? 0 });
    }
  }

  /** A handler that fails is our mistake. What its answer should have been nobody knows, so the client has to ask again. */
  #failed(pending: Pending, error: unknown): void {
    this.#options.log.error('a Kafka request failed and its connection is closed', {
      ...this.#describe(pending.envelope),
      error: textOf(error),
    });
    this.#settle(pending, { kind: 'close', reason: 'failed' });
  }

  #settle(pending: Pending, outcome: Outcome): void {
    const { clock, memory, metrics } = this.#options;
    const { answered, failed } = metrics.api(pending.apiName);
    pending.outcome = outcome;
    this.#bytesInFlight -= pending.bytes;
    (outcome.kind === 'close' ? failed : answered).observe((clock.monotonicMs() - pending.receivedMs) / 1000);
    metrics.requestsInFlight.add(-1);
    memory.change(-pending.bytes);
    if (this.#state !== 'closed') this.#sendInOrder();
  }

  #sendInOrder(): void {
    while (this.#pending[0]?.outcome !== undefined) {
      const outcome = this.#pending.shift()!.outcome!;
      if (outcome.kind === 'reply') this.#send(outcome.slices, outcome.throttleMs);
      if (outcome.kind === 'close') {
        // What was asked after the request that is refused is not answered.
        this.#pending.length = 0;
        this.#finish(outcome.reason);
      }
    }
    this.#endIfAnswered();
    this.#pump();
  }

  #send(slices: readonly Buffer[], throttleMs: number): void {
    const { clock, metrics } = this.#options;
    if (this.#outbox.queuedBytes === 0) this.#lastWrittenMs = clock.monotonicMs();
    this.#outbox.push(slices);
    for (const slice of slices) metrics.bytesOut.add(slice.length);
    if (throttleMs > 0 && this.#state === 'open') this.#mute(throttleMs);
  }

  #mute(forMs: number): void {
    this.#options.metrics.throttled.add(1);
    this.#unmute?.();
    this.#unmute = this.#options.clock.after(forMs, () => {
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
      const fields = { peer: this.#remoteAddress, error: error.message };
      log.info('closed a Kafka connection because of a malformed request', fields);
      this.#finish('malformed');
    } else {
      const fields = { peer: this.#remoteAddress, error: textOf(error) };
      log.error('closed a Kafka connection because reading a request failed', fields);
      this.#finish('failed');
    }
  }

  #unsupported(envelope: RequestEnvelope): void {
    this.#options.log.info('closed a Kafka connection because of a request that is not supported', {
      ...this.#describe(envelope),
    });
    this.#finish('unsupported');
  }

  #describe({ apiKey, apiVersion, clientId }: RequestEnvelope) {
    return { peer: this.#remoteAddress, apiKey, apiVersion, clientId };
  }

  #finish(reason: CloseReason): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#closeReason = reason;
    this.#chunks.length = 0;
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

  #onClose(): void {
    this.#state = 'closed';
    this.#unmute?.();
    this.#unmute = undefined;
    this.#chunks.length = 0;
    this.#pending.length = 0;
    this.#options.memory.forget(this.#resume);
    this.#countPartial();
    if (this.#closeReason === 'idle') this.#options.metrics.idleClosed.add(1);
    this.#options.metrics.closed(this.#closeReason).add(1);
    this.#closed.abort();
    this.#options.onClosed(this);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
