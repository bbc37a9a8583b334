import type { AnswerHold, RequestServer } from '@weir/broker';
import type { CallBody, Transport } from '@weir/client';
import type { Clock } from '@weir/core';
import { HttpProblem } from '@weir/http';
import type { ClientSession } from '@weir/security';
import { type Api, apis, type Fields, type ReadStruct, type ResponseOf } from '@weir/wire';
import { storedBytes } from './stored-bytes.ts';

interface HandlerClientOptions {
  readonly server: RequestServer;
  readonly session: ClientSession;
  readonly clientId: string;
  /** Aborted when the HTTP request, or what else it lasts for, has ended. */
  readonly closed: AbortSignal;
  /** If absent, its answers cannot refer to memory that is used again. */
  readonly hold?: AnswerHold | undefined;
  readonly clock: Clock;
  /** Whether the caller may write to a topic; if absent, Produce requests find out. */
  readonly mayWrite?: ((topic: string) => boolean) | undefined;
}

/**
 * Sends Kafka requests of one HTTP request to the handlers of this agent. They have the rights, quotas, limits and
 * events of any Kafka client, because they take the same way.
 */
export class HandlerClient implements Transport {
  readonly #options: HandlerClientOptions;
  #correlationId = 0;
  #fetchedBytes = 0;

  constructor(options: HandlerClientOptions) {
    this.#options = options;
  }

  get closed(): AbortSignal {
    return this.#options.closed;
  }

  /** Bytes of records in answers to Fetch, as they are stored, which its quota has counted. */
  get fetchedBytes(): number {
    return this.#fetchedBytes;
  }

  get session(): ClientSession {
    return this.#options.session;
  }

  /**
   * Whether the caller may write to a topic, which is cheaper to know before records are decoded and built. Produce
   * requests check it again.
   */
  mayWrite(topic: string): boolean {
    return this.#options.mayWrite?.(topic) ?? true;
  }

  /** A client of the same caller that outlives the HTTP request. It must not fetch records. */
  lasting(session: ClientSession, closed: AbortSignal): HandlerClient {
    return new HandlerClient({ ...this.#options, session, closed, hold: undefined });
  }

  /** Resolves after some time, or when the HTTP request has ended. */
  pause(ms: number): Promise<void> {
    const { clock, closed } = this.#options;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        closed.removeEventListener('abort', end);
        resolve();
      };
      const cancel = clock.after(ms, end);
      closed.addEventListener('abort', end);
    });
  }

  /** `requestBytes` counts for quotas. Throws an `HttpProblem` where a Kafka connection would be closed. */
  async call<A extends Api>(
    api: A,
    apiVersion: number,
    body: CallBody<A>,
    requestBytes = 0,
  ): Promise<ResponseOf<A>> {
    const { server, clock, mayWrite: _, ...rest } = this.#options;
    const answer = await server.serve({
      ...rest,
      api,
      apiVersion,
      correlationId: this.#correlationId++,
      body: (typeof body === 'function' ? body(apiVersion) : body) as ReadStruct<Fields>,
      requestBytes,
      receivedMs: clock.monotonicMs(),
      isAdmitted: true,
    });
    if (answer === 'close')
      throw new HttpProblem(400, 'The client id names another agent group, zone or cluster.');
    if (answer === 'noReply') throw new Error(`${api.name} has no answer`);
    if (api === (apis.Fetch as Api)) this.#fetchedBytes += recordBytes(answer as unknown as FetchAnswer);
    return answer as ResponseOf<A>;
  }
}

type FetchAnswer = ResponseOf<typeof apis.Fetch>;

function recordBytes({ responses }: FetchAnswer): number {
  let bytes = 0;
  for (const { partitions } of responses) for (const partition of partitions) bytes += storedBytes(partition);
  return bytes;
}
