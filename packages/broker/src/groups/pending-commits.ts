import type { Fields } from '@weir/wire';
import type { Handler, RequestContext } from '../requests/handler.ts';

/**
 * Lets requests about groups wait for the commits before them on their connection. Kafka serves the requests of a
 * connection one after the other. Here a commit may take several turns, or wait for the one in flight; a member that
 * commits and leaves without waiting for the answer would leave first, and its commit would fail.
 */
export class PendingCommits {
  readonly #byConnection = new WeakMap<AbortSignal, Set<Promise<unknown>>>();

  /** Wraps a handler of commits, so that others wait for it. */
  noting<Request extends Fields, Response extends Fields>(
    handle: Handler<Request, Response>,
  ): Handler<Request, Response> {
    return (request, context) => {
      const answer = handle(request, context);
      if (answer instanceof Promise) this.#note(context, answer);
      return answer;
    };
  }

  /** Wraps a handler, so that it waits. */
  first<Request extends Fields, Response extends Fields>(
    handle: Handler<Request, Response>,
  ): Handler<Request, Response> {
    return (request, context) => {
      const pending = this.#byConnection.get(context.closed);
      if (pending === undefined) return handle(request, context);
      return Promise.allSettled(pending).then(() => handle(request, context));
    };
  }

  #note({ closed }: RequestContext, answer: Promise<unknown>): void {
    const pending = this.#byConnection.get(closed) ?? new Set();
    pending.add(answer);
    this.#byConnection.set(closed, pending);
    const end = () => {
      pending.delete(answer);
      if (pending.size === 0 && this.#byConnection.get(closed) === pending) this.#byConnection.delete(closed);
    };
    answer.then(end, end);
  }
}
