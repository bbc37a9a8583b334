import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

/**
 * Returns the address of the caller. Behind a proxy every connection is the proxy's; if the operator configured one,
 * the last entry of `X-Forwarded-For` counts. Any client can have written the entries before it.
 */
export function remoteAddressOf(request: IncomingMessage, isBehindProxy: boolean): string {
  const address = plain(request.socket.remoteAddress ?? '');
  if (!isBehindProxy) return address;
  const lastHop = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)!;
  const forwarded = plain(lastHop.trim());
  return isIP(forwarded) === 0 ? address : forwarded;
}

/** IPv4-mapped addresses as plain IPv4. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/**
 * The unit of rate limits: a single IPv4 address, or an IPv6 /64, the minimum that a provider assigns to one customer.
 */
export function placeOf(remoteAddress: string): string {
  const address = plain(remoteAddress);
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%', 1)[0]!.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === '' ? [] : tail.split(':');
  const missing = Math.max(0, 8 - groups.length - behind.length);
  const all = [...groups, ...Array<string>(missing).fill('0'), ...behind];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
