import type { RequestOrigin } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { Access, ClientSession } from '@weir/security';
import type { Api, Fields, ReadStruct } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { AnswerHold } from './answer-hold.ts';
import type { HandlerResult } from './handler-result.ts';
import type { RequestQuotas } from './request-quotas.ts';

/**
 * One Kafka API is one handler in one file, named by key and API like its definition. It takes a decoded request and
 * returns the response; framing, order, throttling and connection errors are handled elsewhere.
 */
export type Handler<Request extends Fields, Response extends Fields> = (
  request: ReadStruct<Request>,
  context: RequestContext,
) => HandlerResult<Response>;

export type HandlerOf<A> = A extends Api<infer Request, infer Response> ? Handler<Request, Response> : never;

export interface RequestContext {
  readonly api: Api;
  readonly apiVersion: number;
  readonly clientId: string | null;
  /** Address of the client, without the port. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly session: ClientSession;
  /** Permissions of the client, checked before anything is done. */
  readonly access: Access;
  /** Identifies this request among all others of its client. */
  readonly origin: RequestOrigin;
  /** Remaining quotas of the client. */
  readonly quotas: RequestQuotas;
  readonly cluster: ClusterView;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the connection closes, so that long polls end. */
  readonly closed: AbortSignal;
  /** Aborted when the client has disconnected, no later than `closed`. */
  readonly left: AbortSignal;
  /**
   * When the request was read from the socket, on the monotonic clock. It may have waited behind others of its
   * connection.
   */
  readonly receivedMs?: number | undefined;
  /** Whether the batches of a Produce were found to match their CRCs when it was received. */
  readonly hasCheckedCrcs?: boolean | undefined;
  /**
   * What the answer refers to until it is sent. If absent, the answer may be used for ever, and cannot refer to memory
   * that is used again.
   */
  readonly hold?: AnswerHold | undefined;
}
