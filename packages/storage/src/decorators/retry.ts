import { type Clock, type JitteredBackOff, jitteredBackOffMs, type Log, type Random } from '@weir/core';
import { pause } from '../store/abort.ts';
import { type Around, aroundStore } from '../store/around.ts';
import { contentBytes } from '../store/content.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { isRetriableError, type StoreErrorKind } from '../store/store-error.ts';

export interface RetryPolicy {
  readonly attemptsMax: number;
  /** No attempt starts after this. */
  readonly totalMsMax: number;
  /** The first pause; each further one is twice as long. */
  readonly pauseMsMin: number;
  readonly pauseMsMax: number;
}

interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly policy: RetryPolicy;
  /** Kinds that are not retried here, because a store of several buckets asks another one. None by default. */
  readonly passesOn?: ReadonlySet<StoreErrorKind> | undefined;
}

/**
 * Retries retriable errors. Repeating a put is harmless, because the content is the same. A `putIfAbsent` whose answer
 * was lost may find the object that it wrote itself; then the contents are compared. After `close` nothing is retried.
 */
export function withRetry(inner: ObjectStore, options: RetryOptions): ObjectStore {
  const { clock, random, log, policy, passesOn } = options;
  const backOff: JitteredBackOff = { firstMs: policy.pauseMsMin, maxMs: policy.pauseMsMax, jitter: 'half' };

  let isClosed = false;
  const around: Around = async ({ operation, key, signal, run }) => {
    const startMs = clock.monotonicMs();
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(signal);
      } catch (error) {
        const isOver = signal?.aborted === true || isClosed || attempt >= policy.attemptsMax;
        if (isOver || !isRetriableError(error) || passesOn?.has(error.kind) === true) throw error;
        const delayMs = jitteredBackOffMs(attempt - 1, backOff, random);
        if (clock.monotonicMs() - startMs + delayMs > policy.totalMsMax) throw error;
        log.debug('retrying object store request', {
          operation,
          key,
          attempt,
          delayMs,
          error: error.message,
        });
        await pause(clock, delayMs, signal);
      }
    }
  };

  const store = aroundStore(inner, around);
  return {
    ...store,
    close() {
      isClosed = true;
      return store.close();
    },
    async putIfAbsent(key, content, options = {}) {
      let attempts = 0;
      const isNew = await around({
        operation: 'putIfAbsent',
        key,
        signal: options.signal,
        contentBytes: contentBytes(content),
        run: () => {
          attempts++;
          return inner.putIfAbsent(key, content, options);
        },
      });
      return isNew || (attempts > 1 && (await holds(store, key, content, options.signal)));
    },
  };
}

async function holds(
  store: ObjectStore,
  key: string,
  content: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const bytes = contentBytes(content);
  // One extra byte detects an object that only starts with this content.
  const found = await store.getRange(key, 0, bytes + 1, { signal });
  return found.equals(Buffer.concat(content));
}
