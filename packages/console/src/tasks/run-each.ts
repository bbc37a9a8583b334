import type { TaskControl, TaskEnd, TaskToStart } from './task-store.ts';

interface EachOutcome {
  readonly done: readonly string[];
  readonly failed: readonly { readonly name: string; readonly problem: string }[];
  /** Those that were not tried. */
  readonly left: readonly string[];
  readonly isCancelled: boolean;
}

interface EachOptions {
  act(name: string): Promise<unknown>;
  /** What to say of a failure, and whether the next would fail too: the service is away, or the session over. */
  failureOf(error: unknown): { readonly problem: string; readonly isForAll: boolean };
}

/**
 * Does the same to each, one after the other. A failure of one does not stop the others. The one that has begun is
 * finished before a cancellation counts, so that its outcome is known.
 */
export async function runEach(
  names: readonly string[],
  { act, failureOf }: EachOptions,
  { signal, report }: TaskControl,
): Promise<EachOutcome> {
  const done: string[] = [];
  const failed: { name: string; problem: string }[] = [];
  let tried = 0;
  for (const name of names) {
    if (signal.aborted) break;
    report({ done: tried, total: names.length });
    tried++;
    try {
      await act(name);
      done.push(name);
    } catch (error) {
      const { problem, isForAll } = failureOf(error);
      failed.push({ name, problem });
      if (isForAll) break;
    }
  }
  const left = names.slice(tried);
  return { done, failed, left, isCancelled: signal.aborted && left.length > 0 };
}

interface EachWords {
  /** `Deleted`. */
  readonly verb: string;
  /** `topic`. */
  readonly noun: string;
  /** The task for those that are not done. */
  again(names: readonly string[]): TaskToStart;
  /** The task that undoes it; absent if that is not possible. */
  readonly undo?: ((names: readonly string[]) => TaskToStart) | undefined;
}

/** Says which are done, which failed and why, and which were not tried; offers to undo the first and to do the rest. */
export function endOfEach(
  { done, failed, left, isCancelled }: EachOutcome,
  { verb, noun, again, undo }: EachWords,
): TaskEnd {
  const all = done.length + failed.length + left.length;
  const rest = [...failed.map(({ name }) => name), ...left];
  const number = (count: number) => count.toLocaleString('en');
  const nouns = all === 1 ? noun : `${noun}s`;
  const text = [
    rest.length === 0
      ? `${verb} ${number(all)} ${nouns}`
      : `${verb} ${number(done.length)} of ${number(all)} ${nouns}`,
    ...(failed.length > 0 ? [`${number(failed.length)} failed`] : []),
    ...(left.length > 0 ? [`${number(left.length)} not tried`] : []),
  ].join(', ');
  const part = (label: string, names: readonly string[]) =>
    names.length === 0 ? [] : [{ label: `${label} (${number(names.length)})`, names }];
  const offer = (label: string, names: readonly string[], task: EachWords['undo']) =>
    names.length === 0 || task === undefined ? [] : [{ label, task: task(names) }];
  return {
    kind: failed.length > 0 ? 'fail' : isCancelled ? 'warn' : 'ok',
    text: isCancelled ? `Cancelled: ${text}` : text,
    parts: [
      ...part(
        'Failed',
        failed.map(({ name, problem }) => `${name}: ${problem}`),
      ),
      ...part(verb, done),
      ...part('Not tried', left),
    ],
    next: [
      ...offer('Undo', done, undo),
      ...offer(failed.length === 0 ? 'Continue' : 'Retry the rest', rest, again),
    ],
  };
}
