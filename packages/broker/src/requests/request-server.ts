import type { ClientSession } from '@weir/security';
import type { Api, Apis, Fields, ReadStruct, ResponseOf } from '@weir/wire';
import type { AnswerHold } from './answer-hold.ts';
import type { HandlerResult } from './handler-result.ts';

/** The server behind a listener: receives complete, well-formed requests and decides what to do with each. */
export interface RequestServer {
  /** Whether this version of the API is served. A request for any other closes the connection. */
  serves(api: Api, apiVersion: number): boolean;
  /** Returns the answer to an ApiVersions request of an unsupported version, in the format of version 0. */
  refuseApiVersions(): ResponseOf<Apis['ApiVersions']>;
  serve(request: ReceivedRequest): HandlerResult<Fields>;
  /** The largest frame that a client may send next, if smaller than the listener's limit. */
  frameBytesMax?(session: ClientSession): number | undefined;
  /**
   * Serves a frame that is a SASL token instead of a request, if `session.sasl` takes tokens. The answer is sent as it
   * is, after its length.
   */
  serveToken?(token: Buffer, session: ClientSession, closed: AbortSignal): Promise<Buffer | 'close'>;
}

export interface ReceivedRequest {
  readonly api: Api;
  readonly apiVersion: number;
  /** The client's own number for the request. */
  readonly correlationId: number;
  readonly clientId: string | null;
  readonly body: ReadStruct<Fields>;
  /** Size of the whole frame. */
  readonly requestBytes: number;
  readonly session: ClientSession;
  /** Aborted when the connection closes. */
  readonly closed: AbortSignal;
  /**
   * Aborted when the client has ended its side of the connection, which is closed when all of its requests are served.
   */
  readonly left?: AbortSignal | undefined;
  /** Whether the client needs no login here, because its listener has checked who it is. */
  readonly isAdmitted?: boolean | undefined;
  /** When it was read from the socket, on the monotonic clock. It may have waited since. */
  readonly receivedMs?: number | undefined;
  /** As in `Frame`. */
  readonly hasCheckedCrcs?: boolean | undefined;
  /**
   * What the answer refers to until it is sent. If absent, the answer may be used for ever, and cannot refer to memory
   * that is used again.
   */
  readonly hold?: AnswerHold | undefined;
}
