import type { Api, RequestOf, ResponseOf } from '@weir/wire';

/** A whole body, or a function that builds it for the version that is sent. */
export type CallBody<A extends Api> = RequestOf<A> | ((version: number) => RequestOf<A>);

/** A broker: at the other end of a socket, or the handlers of this process. */
export interface Transport {
  /** Sends a request in a version, or in the highest lower one that the broker has, and returns its answer. */
  call<A extends Api>(api: A, version: number, body: CallBody<A>): Promise<ResponseOf<A>>;
}
