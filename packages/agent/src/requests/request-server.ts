import type { Api, Apis, Fields, ReadStruct, ResponseOf } from '@weir/wire';
import type { ClientSession } from '../security/session/client-session.ts';
import type { HandlerResult } from './handler-result.ts';

/** What stands behind a listener: it is given requests that are whole and well-formed, and says what to do about each. */
export interface RequestServer {
  /** Whether this version of the API is answered. A request for any other closes the connection. */
  serves(api: Api, apiVersion: number): boolean;
  /** The answer to an ApiVersions request of a version that is not served, in the format of version 0. */
  refuseApiVersions(): ResponseOf<Apis['ApiVersions']>;
  serve(request: ReceivedRequest): HandlerResult<Fields>;
  /** The largest frame that a client may send next, when that is less than the listener takes. */
  frameBytesMax?(session: ClientSession): number | undefined;
  /** A frame that is no request but a token of SASL, when `session.sasl` takes tokens. The answer goes out as it is, behind its length. */
  serveToken?(token: Buffer, session: ClientSession, closed: AbortSignal): Promise<Buffer | 'close'>;
}

export interface ReceivedRequest {
  readonly api: Api;
  readonly apiVersion: number;
  /** The client's own number for the request. */
  readonly correlationId: number;
  readonly clientId: string | null;
  readonly body: ReadStruct<Fields>;
  /** The whole frame. */
  readonly requestBytes: number;
  readonly session: ClientSession;
  /** Aborted when the connection closes. */
  readonly closed: AbortSignal;
  /** Aborted when the client has ended its side of the connection, which is closed when everything is served that it had sent. */
  readonly left?: AbortSignal | undefined;
  /** When it was read from the socket, on the monotonic clock. It may have waited for its turn since. */
  readonly receivedMs?: number | undefined;
}
