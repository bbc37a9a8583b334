import type { HttpAnswer } from '@weir/http/client';
import type { BuiltRequest } from './build-request.ts';

/** Headers that are for one server: another one must not get them. */
const ofOneServer: readonly string[] = ['authorization', 'cookie', 'host', 'proxy-authorization'];

/** The request that an answer redirects to, as Go's client makes it; `undefined` if it is no redirect. */
export function redirectOf(
  { url, method, headers, body }: BuiltRequest,
  { status, headers: { location } }: Pick<HttpAnswer, 'status' | 'headers'>,
): BuiltRequest | undefined {
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const target = URL.parse(location, url.href);
  if (target === null || (target.protocol !== 'http:' && target.protocol !== 'https:'))
    throw new Error('the server redirects to something else than http:// or https://');
  const kept = Object.entries(headers).filter(
    ([name]) => target.origin === url.origin || !ofOneServer.includes(name),
  );
  if (status === 307 || status === 308 || method === 'GET' || method === 'HEAD')
    return { url: target, method, headers: Object.fromEntries(kept), body };
  const withoutBody = kept.filter(([name]) => !name.startsWith('content-'));
  return { url: target, method: 'GET', headers: Object.fromEntries(withoutBody), body: undefined };
}
