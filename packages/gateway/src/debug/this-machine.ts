import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '@weir/http';
import { bareAddress } from '@weir/security';

/** Headers that proxies add, and pages in browsers. */
const foreignHeaders =
  /^(?:forwarded|via|x-forwarded-.*|x-envoy-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|origin|referer)$/;

/**
 * Whether a request comes from a program on this machine. The address alone does not show it: a proxy beside the agent
 * has the same one, and so has a browser, whose pages may even have a name that leads to this address.
 */
export function isOfThisMachine(remoteAddress: string, headers: IncomingHttpHeaders): boolean {
  if (!isLoopback(bareAddress(remoteAddress))) return false;
  if (!isLoopbackHost(headers.host)) return false;
  // A user may enter the address in a browser.
  if ((headers['sec-fetch-site'] ?? 'none') !== 'none') return false;
  return !Object.keys(headers).some((name) => foreignHeaders.test(name));
}

function isLoopbackHost(host: string | undefined): boolean {
  const name = URL.parse(`http://${host ?? ''}`)?.hostname ?? '';
  return isLoopback(name);
}
