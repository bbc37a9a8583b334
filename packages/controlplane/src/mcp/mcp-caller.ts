import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError, apiKeyHeader } from '@weir/api';
import { type Caller, type CallerOptions, callerOf } from '../api-server/caller.ts';
import type { TokenBuckets } from '../api-server/token-buckets.ts';
import { remoteAddressOf } from '../http/remote-address.ts';
import { controlPlaneLimits } from '../limits.ts';
import type { BrowserSession } from '../operations/call-context.ts';

/** A client of the Model Context Protocol. */
export interface McpCaller {
  readonly caller: Caller;
  readonly remoteAddress: string;
  readonly userAgent: string;
}

interface McpCallerOptions extends CallerOptions {
  readonly isBehindProxy: boolean;
  /** The rate limit of each key. */
  readonly requests: TokenBuckets;
}

/** Only keys are accepted: a web page must not read clusters with the cookie of its visitor. */
export const noBrowser: BrowserSession = { token: undefined, begin: () => {}, end: () => {} };

export async function mcpCallerOf(request: IncomingMessage, options: McpCallerOptions): Promise<McpCaller> {
  const remoteAddress = remoteAddressOf(request, options.isBehindProxy);
  const caller = await callerOf(withBearerKey(request.headers), noBrowser, remoteAddress, options);
  for (const { actor } of caller.actors) orWait(options.requests.take(actor.id));
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, controlPlaneLimits.userAgentCharsMax);
  return { caller, remoteAddress, userAgent };
}

export function orWait(waitSeconds: number): void {
  if (waitSeconds > 0) throw new ApiError('rate_limited', undefined, { retryAfterSeconds: waitSeconds });
}

/**
 * Returns the headers with the key of `Authorization: Bearer` in the header of the API. Clients and proxies know that
 * header. A key in a header of our own is preferred: a proxy may have a token of its own in `Authorization`.
 */
function withBearerKey(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const secret = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const hasKey = Object.keys(headers).some(
    (name) => name === apiKeyHeader || name.startsWith(`${apiKeyHeader}-`),
  );
  return secret === undefined || hasKey ? headers : { ...headers, [apiKeyHeader]: secret };
}
