import { coreLimits } from '@weir/core';
import { ifAvailable } from './if-available.ts';

interface Named {
  readonly resourceName: string | null;
  readonly principal: string | null;
  readonly host: string | null;
}

/**
 * Sends rules or filters in as many calls as necessary, since a request may hold more than a call can. Answers come in
 * the order of the entries; `undefined` for those that the control plane could not answer.
 */
export async function inCalls<Request extends Named, Answer>(
  requests: readonly Request[],
  call: (some: readonly Request[]) => Promise<readonly Answer[]>,
): Promise<(Answer | undefined)[]> {
  const answers = await Promise.all(
    portions(requests).map(async (portion) => {
      const found = await ifAvailable(call(portion));
      return portion.map((_, index) => found?.[index]);
    }),
  );
  return answers.flat();
}

function portions<Request extends Named>(requests: readonly Request[]): Request[][] {
  const all: Request[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const one of requests) {
    const more = (one.resourceName?.length ?? 0) + (one.principal?.length ?? 0) + (one.host?.length ?? 0);
    const last = all.at(-1);
    if (
      last === undefined ||
      last.length >= coreLimits.aclsPerCallMax ||
      chars + more > coreLimits.aclCharsPerCallMax
    ) {
      all.push([one]);
      chars = more;
    } else {
      last.push(one);
      chars += more;
    }
  }
  return all;
}
