import type { IncomingMessage, ServerResponse } from 'node:http';
import { sessionCookie } from '@weir/api';
import type { Clock } from '@weir/core';
import type { BrowserSession } from '../operations/call-context.ts';

/**
 * Returns access to the session cookie of the console. The cookie is `HttpOnly` and `SameSite=Strict`; over HTTPS its
 * prefix `__Host-` proves that this host set it over HTTPS.
 */
export function browserSessionOf(
  request: IncomingMessage,
  response: ServerResponse,
  { isSecure, clock }: { readonly isSecure: boolean; readonly clock: Clock },
): BrowserSession {
  const name = isSecure ? `__Host-${sessionCookie}` : sessionCookie;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const keep = (value: string, seconds: number) =>
    response.setHeader('set-cookie', `${name}=${value}; Max-Age=${seconds}; ${attributes}`);
  return {
    token: cookieCalled(name, request.headers.cookie),
    begin: (token, expiresMs) => keep(token, Math.max(0, Math.floor((expiresMs - clock.nowMs()) / 1000))),
    end: () => keep('', 0),
  };
}

/** The first one of the name: a browser sends the cookie with the longest path first, and all of ours have the same. */
export function cookieCalled(name: string, cookies: string | undefined): string | undefined {
  for (const cookie of (cookies ?? '').split(';')) {
    const at = cookie.indexOf('=');
    if (at > 0 && cookie.slice(0, at).trim() === name) return cookie.slice(at + 1).trim();
  }
  return undefined;
}
