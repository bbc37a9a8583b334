import { type ErrorName, errorByCode } from '@weir/wire';

/** Errors that a client retries: a rebalance is in progress, or the control plane was briefly unavailable. */
const passing: readonly (ErrorName | undefined)[] = ['REBALANCE_IN_PROGRESS', 'COORDINATOR_LOAD_IN_PROGRESS'];

export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly isPassing: boolean;

  constructor(what: string, errorCode: number) {
    const error = errorByCode(errorCode)?.name;
    super(`${what}: ${error ?? errorCode}`);
    this.isPassing = passing.includes(error);
  }
}

/** Throws on an error response, because a measurement of failed requests is meaningless. */
export function succeeded<Answer extends { readonly errorCode: number }>(
  what: string,
  answer: Answer,
): Answer {
  if (answer.errorCode !== 0) throw new RequestRefused(what, answer.errorCode);
  return answer;
}

/** Repeats the action while it fails with a retriable error. */
export async function patiently(act: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await act();
      return;
    } catch (error) {
      if (!(error instanceof RequestRefused && error.isPassing)) throw error;
    }
  }
}
