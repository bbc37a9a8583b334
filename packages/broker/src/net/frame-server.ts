import type { Clock, Log } from '@weir/core';
import type { ClientSession } from '@weir/security';
import {
  type Api,
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  encodePacedResponse,
  encodeResponse,
  type Fields,
  type RequestEnvelope,
  type WriteStruct,
} from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import type { RequestServer } from '../requests/request-server.ts';
import { inTurns } from '../requests/turns.ts';
import type { Frame } from './frame-pool.ts';
import type { CloseReason, ListenerMetrics } from './listener-metrics.ts';
import type { Outcome, PendingRequest, RequestsInFlight } from './requests-in-flight.ts';

interface FrameServerOptions {
  readonly server: RequestServer;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ListenerMetrics;
}

/** The connection that the frames come from. */
interface ServedConnection {
  readonly session: ClientSession;
  readonly requests: RequestsInFlight;
  /** As in `ReceivedRequest`. */
  readonly closed: AbortSignal;
  readonly left: AbortSignal;
  isClosed(): boolean;
  settle(pending: PendingRequest, outcome: Outcome): void;
  /** Answers what came before, then closes. */
  finish(reason: CloseReason): void;
}

/** Decodes the frames of one connection, has their requests served, and encodes the answers. */
export class FrameServer {
  readonly #options: FrameServerOptions;
  readonly #connection: ServedConnection;

  constructor(options: FrameServerOptions, connection: ServedConnection) {
    this.#options = options;
    this.#connection = connection;
  }

  /** Throws only before a handler has started on the request. */
  serve(frame: Frame, receivedMs: number): void {
    try {
      this.#serve(frame, receivedMs);
    } catch (error) {
      // No handler uses the frame of a request that could not be decoded.
      frame.release();
      throw error;
    }
  }

  #serve(frame: Frame, receivedMs: number): void {
    const { server } = this.#options;
    const { session, requests, closed, left } = this.#connection;
    if (session.sasl?.takesTokens === true) {
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
    const { body, surplusBytes, elements } = decodeRequestBody(
      api,
      apiVersion,
      frame.bytes,
      envelope.bodyStart,
      brokerLimits.entriesPerRequestMax,
    );
    if (surplusBytes > 0) this.#noteSurplus(envelope, api.name, surplusBytes);
    const isLogin = api === apis.SaslHandshake || api === apis.SaslAuthenticate;
    const pending = requests.open(envelope, api.name, frame, isLogin, elements);
    try {
      const result = server.serve({
        api,
        apiVersion,
        correlationId: envelope.correlationId,
        clientId: envelope.clientId,
        body,
        requestBytes: frame.bytes.length,
        session,
        closed,
        left,
        receivedMs,
        hasCheckedCrcs: frame.hasCheckedCrcs,
        hold: pending.hold,
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
    const { session, requests, closed } = this.#connection;
    const pending = requests.open(tokenEnvelope, apis.SaslAuthenticate.name, frame, true);
    server.serveToken!(frame.bytes, session, closed).then(
      (answer) => {
        if (answer === 'close') {
          this.#connection.settle(pending, { kind: 'close', reason: 'refused' });
          return;
        }
        const length = Buffer.alloc(4);
        length.writeInt32BE(answer.length);
        this.#connection.settle(pending, { kind: 'reply', slices: [length, answer], throttleMs: 0 });
      },
      (error: unknown) => this.#failed(pending, error),
    );
  }

  #answerTooNewClient(envelope: RequestEnvelope, frame: Frame): void {
    const pending = this.#connection.requests.open(envelope, apis.ApiVersions.name, frame, false);
    const answer = this.#options.server.refuseApiVersions();
    const slices = encodeResponse(apis.ApiVersions, 0, envelope.correlationId, answer);
    this.#connection.settle(pending, { kind: 'reply', slices, throttleMs: 0 });
  }

  #answered(pending: PendingRequest, api: Api, answer: WriteStruct<Fields> | 'noReply' | 'close'): void {
    const connection = this.#connection;
    if (answer === 'noReply') {
      connection.settle(pending, { kind: 'noReply' });
    } else if (answer === 'close') {
      connection.settle(pending, { kind: 'close', reason: 'refused' });
    } else if (connection.isClosed()) {
      connection.settle(pending, { kind: 'noReply' });
    } else {
      this.#reply(pending, api, answer);
    }
  }

  #reply(pending: PendingRequest, api: Api, answer: WriteStruct<Fields>): void {
    const { correlationId, apiVersion } = pending.envelope;
    try {
      // The answer to a long list is as long.
      if (pending.elements > brokerLimits.entriesPerTurnMax) {
        const work = encodePacedResponse(api, apiVersion, correlationId, answer);
        const slices = inTurns(work, this.#options.clock);
        if (slices instanceof Promise) {
          slices.then(
            (encoded) => this.#settleReply(pending, answer, encoded),
            (error: unknown) => this.#failed(pending, error),
          );
          return;
        }
        this.#settleReply(pending, answer, slices);
        return;
      }
      this.#settleReply(pending, answer, encodeResponse(api, apiVersion, correlationId, answer));
    } catch (error) {
      this.#failed(pending, error);
    }
  }

  #settleReply(pending: PendingRequest, answer: WriteStruct<Fields>, slices: Buffer[]): void {
    const { throttleTimeMs } = answer as { readonly throttleTimeMs?: number };
    const isLast = pending.isLogin && this.#connection.session.sasl?.isOver === true;
    const { hold } = pending;
    const throttleMs = throttleTimeMs ?? 0;
    this.#connection.settle(pending, { kind: 'reply', slices, throttleMs, hold, isLast });
  }

  /** A handler that throws is a bug in the agent. The correct answer is unknown, so the client has to retry. */
  #failed(pending: PendingRequest, error: unknown): void {
    this.#options.log.error('failed to serve Kafka request, closing its connection', {
      ...this.#describe(pending.envelope),
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    this.#connection.settle(pending, { kind: 'close', reason: 'failed' });
  }

  #unsupported(envelope: RequestEnvelope, frame: Frame): void {
    frame.release();
    this.#options.log.info('closed Kafka connection: unsupported request', {
      ...this.#describe(envelope),
    });
    this.#connection.finish('unsupported');
  }

  #describe({ apiKey, apiVersion, clientId }: RequestEnvelope) {
    return { peer: this.#connection.session.remoteAddress, apiKey, apiVersion, clientId };
  }
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
