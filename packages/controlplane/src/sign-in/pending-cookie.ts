import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieCalled } from '../api-server/session-cookie.ts';
import { pendingMsMax } from './pending-sign-in.ts';

/**
 * The cookie of a pending sign-in. Unlike the session cookie it is sent when another site redirects the browser here.
 */
export interface PendingCookie {
  readonly value: string | undefined;
  keep(value: string): void;
  forget(): void;
}

const plainName = 'weir_sso';

export function pendingCookieOf(
  request: IncomingMessage,
  response: ServerResponse,
  { isSecure }: { readonly isSecure: boolean },
): PendingCookie {
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  // Not `setHeader`: the session has a cookie in the same answer.
  const set = (value: string, seconds: number) =>
    response.appendHeader('set-cookie', `${name}=${value}; Max-Age=${seconds}; ${attributes}`);
  return {
    value: cookieCalled(name, request.headers.cookie),
    keep: (value) => void set(value, pendingMsMax / 1000),
    forget: () => void set('', 0),
  };
}
