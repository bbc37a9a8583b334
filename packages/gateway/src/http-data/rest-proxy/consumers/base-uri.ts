import { isLoopback } from '@weir/http';

/**
 * The address of a consumer instance, which only this agent has. It is the one that the caller used if that names this
 * agent and not a load balancer before several: a loopback address, which may be a forwarded port, or the advertised
 * host with whatever port it is reached by.
 */
export function baseUri(ownUrl: string, host: string | undefined, groupId: string, name: string): string {
  const own = new URL(ownUrl);
  const used = host === undefined ? null : URL.parse(`${own.protocol}//${host}`);
  const isDirect = used !== null && (isLoopback(used.hostname) || used.hostname === own.hostname);
  const origin = isDirect ? used.origin : own.origin;
  return `${origin}/consumers/${encodeURIComponent(groupId)}/instances/${encodeURIComponent(name)}`;
}
