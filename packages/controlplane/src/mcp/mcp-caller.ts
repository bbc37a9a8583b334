import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError, apiKeyHeader } from '@weir/api';
import { keyKindOf } from '../accounts/access/grants.ts';
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
  /** The key that signs what a confirmation is about. It follows from the API keys, so that all processes have it. */
  readonly confirmationKey: Uint8Array;
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
  const headers = withBearerKey(request.headers);
  const caller = await callerOf(headers, noBrowser, remoteAddress, options);
  for (const { actor } of caller.actors) orWait(options.requests.take(actor.id));
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, controlPlaneLimits.userAgentCharsMax);
  return { caller, remoteAddress, userAgent, confirmationKey: confirmationKeyOf(headers) };
}

/** Whether a key of the caller may change something in a workspace. */
export function mayWrite({ caller }: McpCaller): boolean {
  return caller.actors.some(
    ({ actor }) =>
      actor.kind === 'api_key' &&
      actor.grants.some((grant) => {
        const { kind, isReadOnly } = keyKindOf(grant);
        return kind === 'application' && !isReadOnly;
      }),
  );
}

/** Only a client that has the API keys could forge a signature, and it could call the API as well. */
function confirmationKeyOf(headers: IncomingHttpHeaders): Uint8Array {
  const keys = Object.entries(headers)
    .filter(([name]) => name.startsWith(apiKeyHeader))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify(['weir mcp confirmation', keys]), 'buffer');
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
