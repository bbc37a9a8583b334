import { parseResponseHead, type ResponseHead } from '@weir/http/client';
import { brokerLimits } from '../limits.ts';
import { PeerFailure } from './peer-failure.ts';

export interface AnswerHead extends ResponseHead {
  /** `undefined` if the peer does not send it, or in a form that is not supported. */
  readonly contentBytes: number | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  /** Whether the connection may carry another request. */
  readonly isReusable: boolean;
}

/** Receives progress of an answer before it is complete. */
export interface AnswerListener {
  /** `102 Processing`: the peer is alive and works on the request. */
  onInformation(): void;
  /** Throws a `PeerFailure` if the body of a success should not be read. */
  onHead(head: AnswerHead): void;
}

const headEnd = Buffer.from('\r\n\r\n');
const success = 200;
/** Limit on the body of a refusal. */
const refusalBytesMax = 1_024;

/**
 * Reads answers of agents from a socket that writes straight into our memory: the head into a small reused buffer, the
 * body into the buffer that becomes the page. This costs half as much as chunks of 64 KiB that have to be joined.
 *
 * Only what agents send is supported: HTTP/1.1 with a content length.
 */
export class AnswerReader {
  readonly #head = Buffer.allocUnsafeSlow(brokerLimits.peerAnswerHeadBytesMax);
  #headBytes = 0;
  #body: Buffer | undefined;
  #bodyBytes = 0;
  #status = 0;
  #isReusable = false;
  #listener: AnswerListener | undefined;

  /** Must be called before a request is written. */
  expect(listener: AnswerListener): void {
    this.#listener = listener;
  }

  /** Whether any part of the answer has arrived. */
  get hasBegun(): boolean {
    return this.#headBytes > 0 || this.#body !== undefined;
  }

  /** Where the socket may write next. Never more than the rest of the body, so that nothing has to be moved. */
  buffer(): Buffer {
    return this.#body === undefined
      ? this.#head.subarray(this.#headBytes)
      : this.#body.subarray(this.#bodyBytes);
  }

  /** Called when `bytes` were written to the buffer. Returns the answer if it is complete. */
  take(bytes: number): Answer | undefined {
    if (this.#listener === undefined)
      throw new PeerFailure('broken', 'unexpected response without a request');
    if (this.#body === undefined) {
      this.#headBytes += bytes;
      this.#readHeads(this.#listener);
    } else {
      this.#bodyBytes += bytes;
    }
    if (this.#body === undefined || this.#bodyBytes < this.#body.length) return undefined;
    const answer = { status: this.#status, body: this.#body, isReusable: this.#isReusable };
    this.#body = undefined;
    this.#headBytes = 0;
    this.#listener = undefined;
    return answer;
  }

  #readHeads(listener: AnswerListener): void {
    for (;;) {
      const end = this.#head.subarray(0, this.#headBytes).indexOf(headEnd);
      if (end < 0) {
        if (this.#headBytes < this.#head.length) return;
        throw new PeerFailure('broken', `more than ${this.#head.length} bytes of headers`);
      }
      const head = parseHead(this.#head.toString('latin1', 0, end));
      const bodyStart = end + headEnd.length;
      if (head.status < 200) {
        listener.onInformation();
        this.#head.copyWithin(0, bodyStart, this.#headBytes);
        this.#headBytes -= bodyStart;
        continue;
      }
      this.#begin(head, listener, this.#head.subarray(bodyStart, this.#headBytes));
      return;
    }
  }

  #begin(head: AnswerHead, listener: AnswerListener, rest: Buffer): void {
    const { status } = head;
    if (status === success) listener.onHead(head);
    const contentBytes = head.contentBytes ?? Number.POSITIVE_INFINITY;
    // A long body of a refusal is not read, and the connection is not reused.
    const isRead = status === success || contentBytes <= refusalBytesMax;
    this.#status = status;
    this.#isReusable = isRead && head.isReusable;
    this.#body = Buffer.allocUnsafeSlow(isRead ? contentBytes : 0);
    if (isRead && rest.length > contentBytes)
      throw new PeerFailure('broken', 'more bytes than Content-Length');
    this.#bodyBytes = isRead ? rest.copy(this.#body) : 0;
  }
}

function parseHead(text: string): AnswerHead {
  let head: ResponseHead;
  try {
    head = parseResponseHead(text);
  } catch (error) {
    throw new PeerFailure('broken', `peer does not speak HTTP/1.1: ${(error as Error).message}`);
  }
  if (!head.isHttp11) throw new PeerFailure('broken', 'peer does not speak HTTP/1.1');
  const length = head.headers.get('content-length') ?? '';
  const isPlain = /^\d{1,10}$/.test(length) && !head.headers.has('transfer-encoding');
  return { ...head, contentBytes: isPlain ? Number(length) : undefined };
}
