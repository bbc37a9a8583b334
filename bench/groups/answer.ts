import { errorByCode } from '@weir/wire';

/** Figures of requests that failed would be figures of nothing. */
export function succeeded<Answer extends { readonly errorCode: number }>(what: string, answer: Answer): Answer {
  if (answer.errorCode !== 0) throw new Error(`${what}: ${errorByCode(answer.errorCode)?.name}`);
  return answer;
}
