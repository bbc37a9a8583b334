import type { Clock } from '@weir/core';
import { linkedAbort } from '../store/abort.ts';
import { aroundStore, type StoreOperation } from '../store/around.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

interface TimeoutOptions {
  readonly clock: Clock;
  readonly timeoutMs: Readonly<Record<StoreOperation, number>>;
}

/**
 * Fails calls that take too long. A read is abandoned; a write is aborted and awaited, because its slices belong to the
 * caller again as soon as the promise settles, and a driver may still be reading them.
 */
export function withTimeout(inner: ObjectStore, { clock, timeoutMs }: TimeoutOptions): ObjectStore {
  return aroundStore(inner, (call) => {
    const attempt = linkedAbort(call.signal);
    const limitMs = timeoutMs[call.operation];
    return new Promise((resolve, reject) => {
      let expired: StoreError | undefined;
      const cancel = clock.after(limitMs, () => {
        expired = new StoreError('timeout', call.key, `${call.operation} took longer than ${limitMs} ms`);
        attempt.abort(expired);
        if (call.contentBytes === 0) reject(expired);
      });
      function settled(): void {
        cancel();
        attempt.release();
      }
      call.run(attempt.signal).then(
        (result) => {
          settled();
          resolve(result);
        },
        (error) => {
          settled();
          reject(expired ?? error);
        },
      );
    });
  });
}
