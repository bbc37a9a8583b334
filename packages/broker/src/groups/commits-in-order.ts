import type { OffsetToCommit } from '@weir/cluster';
import { offsetWeight, portionsOf } from '../cluster-calls/portions.ts';
import type { RequestContext } from '../requests/handler.ts';
import { RequestOrder } from '../requests/request-order.ts';
import { inTurns } from '../requests/turns.ts';
import { type OffsetsToCommit, type RequestedTopic, readOffsetsToCommit } from './offsets-to-commit.ts';

/** Commits what was read; each portion fits into one call. */
type SendCommit<Response> = (
  read: OffsetsToCommit,
  portions: readonly OffsetToCommit[][],
) => Promise<Response>;

interface CommitRequest<Response> {
  readonly topics: readonly RequestedTopic[];
  readonly byId: boolean;
  readonly send: SendCommit<Response>;
}

/** Reads the offsets of commits, long lists in turns, and commits those of a connection in their order. */
export class CommitsInOrder {
  readonly #order = new RequestOrder();

  commit<Response>(
    context: RequestContext,
    { topics, byId, send }: CommitRequest<Response>,
  ): Promise<Response> {
    const { cluster, access, clock, closed } = context;
    const before = this.#order.before(closed);
    const read = inTurns(readOffsetsToCommit(topics, { cluster, access, byId }), clock);
    if (read instanceof Promise || before !== undefined) return this.#inOrder(closed, read, before, send);
    const portions = portionsOf(read.offsets, offsetWeight);
    return portions.length > 1 ? this.#inOrder(closed, read, before, send) : send(read, portions);
  }

  /** A later commit of the connection may have newer offsets of the same partitions, and waits. */
  async #inOrder<Response>(
    connection: AbortSignal,
    reading: OffsetsToCommit | Promise<OffsetsToCommit>,
    before: Promise<void> | undefined,
    send: SendCommit<Response>,
  ): Promise<Response> {
    const release = this.#order.hold(connection);
    try {
      const read = await reading;
      await before;
      return await send(read, portionsOf(read.offsets, offsetWeight));
    } finally {
      release();
    }
  }
}
