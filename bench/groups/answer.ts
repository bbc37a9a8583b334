import { type ErrorName, errorByCode } from '@weir/wire';

/** What a client hears that it answers by trying again: a rebalance goes on, or the control plane was away for a moment. */
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

/** Figures of requests that failed would be results of nothing. */
export function succeeded<Answer extends { readonly errorCode: number }>(
  what: string,
  answer: Answer,
): Answer {
  if (answer.errorCode !== 0) throw new RequestRefused(what, answer.errorCode);
  return answer;
}

/** Does something again until nothing that passes is in its way. */
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
