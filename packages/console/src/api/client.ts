import { ApiError, type CallOf, createClient, type OperationName, type OutputOf } from '@weir/api/client';

/** Calls of the page to the control plane that served it. The session is in a cookie that scripts cannot read. */
const client = createClient({
  baseUrl: '',
  fetch: async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.status === 401) sessionEnded.dispatchEvent(new Event('ended'));
    return answer;
  },
});

/** Says `ended` when an answer shows that there is no session any more. */
export const sessionEnded = new EventTarget();

export function call<Name extends OperationName>(
  name: Name,
  input: CallOf<Name>,
  signal?: AbortSignal,
): Promise<OutputOf<Name>> {
  return client.call(name, input, signal === undefined ? {} : { signal });
}

/** What a person reads of a failure, and the code that a program or a colleague would search for. */
export function problemOf(error: unknown): { readonly message: string; readonly code: string } {
  if (error instanceof ApiError) return { message: error.message, code: error.code };
  return { message: error instanceof Error ? error.message : String(error), code: 'internal' };
}

/** A failure of one of several calls: a refusal is about that one; without a session or a service all fail. */
export function failureOfOne(error: unknown): { readonly problem: string; readonly isForAll: boolean } {
  const isOfOne = error instanceof ApiError && error.status < 500 && ![401, 403, 429].includes(error.status);
  return { problem: problemOf(error).message, isForAll: !isOfOne };
}
