import type { HttpEndpoint } from './http-client.ts';

/** Whether a URL names only a host, with or without a port: anything before an @ or after the host would be lost. */
export function isServer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username + url.password + url.search + url.hash === '' && url.pathname === '/';
}

/** The server of an `http:` or `https:` URL. */
export function endpointOf({ protocol, hostname, port }: URL): HttpEndpoint {
  const isTls = protocol === 'https:';
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || (isTls ? 443 : 80)), isTls };
}
