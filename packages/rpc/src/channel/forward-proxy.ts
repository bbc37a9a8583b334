import { type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

/** A proxy between an agent and the control plane, in networks without direct access. */
export interface ForwardProxy {
  /** `http://user:password@host:port`, or `https:` for a proxy that itself uses TLS. */
  readonly url: string;
  /** The certificate authority of an `https:` proxy, in PEM, if it is not a public one. */
  readonly ca?: string | undefined;
}

interface TunnelTarget {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/**
 * Connects to the target through a tunnel (CONNECT), over TLS if the target requires it. The proxy sees names and
 * ports; it can neither read nor needs to understand the contents.
 */
export async function openTunnel(
  proxy: ForwardProxy,
  target: TunnelTarget,
  signal: AbortSignal,
): Promise<Duplex> {
  const tunnel = await connect(proxy, target, signal);
  if (!target.isSecure) return tunnel;
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket: tunnel,
      servername: isIP(target.host) === 0 ? target.host : '',
    });
    secure.once('secureConnect', () => {
      secure.off('error', reject);
      resolve(secure);
    });
    secure.once('error', reject);
  });
}

function connect(proxy: ForwardProxy, target: TunnelTarget, signal: AbortSignal): Promise<Duplex> {
  const url = new URL(proxy.url);
  const isSecure = url.protocol === 'https:';
  // An IPv6 address is bracketed before a port.
  const authority = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`;
  const options: RequestOptions & { readonly ca?: string } = {
    method: 'CONNECT',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: authority,
    headers: { host: authority, ...credentials(url) },
    agent: false,
    signal,
    ...(proxy.ca === undefined ? {} : { ca: proxy.ca }),
  };
  return new Promise((resolve, reject) => {
    const refuse = (problem: string) => reject(new Error(`the proxy ${url.origin}: ${problem}`));
    const connectRequest = (isSecure ? secureRequest : request)(options);
    connectRequest.once('connect', (response, socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        refuse(`${response.statusCode} ${response.statusMessage ?? ''}`.trim());
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    connectRequest.once('error', (error) => refuse(error.message));
    connectRequest.end();
  });
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(plain).toString('base64')}` };
}
