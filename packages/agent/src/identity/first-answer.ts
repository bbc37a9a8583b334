import type { Clock } from '@weir/core';

interface AsksOptions {
  readonly clock: Clock;
  /** The next one is asked, too, when none has answered for so long. */
  readonly nextAfterMs: number;
  readonly stop: AbortSignal;
}

/**
 * Asks one after the other, and the next at once if one fails. Returns the first answer, and aborts what is still under
 * way. Throws the reasons of all if all failed.
 */
export function firstAnswer<Answer>(
  asks: readonly ((signal: AbortSignal) => Promise<Answer>)[],
  { clock, nextAfterMs, stop }: AsksOptions,
): Promise<Answer> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stop]);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const problems: string[] = [];
  let begun = 0;
  let failed = 0;
  let cancel = () => {};
  if (asks.length === 0) reject(new Error('there is no address to ask'));
  else askNext();
  return promise;

  function askNext(): void {
    cancel();
    const place = begun++;
    if (begun < asks.length) cancel = clock.after(nextAfterMs, askNext);
    asks[place]!(signal).then(
      (answer) => {
        end();
        resolve(answer);
      },
      (error: Error) => {
        if (over.signal.aborted) return;
        problems[place] = error.message;
        failed++;
        if (failed === asks.length || stop.aborted) {
          end();
          reject(new Error(problems.filter(Boolean).join('; ')));
        } else if (begun < asks.length) askNext();
      },
    );
  }

  function end(): void {
    cancel();
    over.abort();
  }
}
