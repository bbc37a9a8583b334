import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** What an agent knows about the names under which it is reached. */
export interface OwnNames {
  /** The advertised host and the name of the machine. */
  readonly names: readonly string[];
  /** Whether only programs on this machine reach it. */
  readonly isLoopbackOnly: boolean;
}

/**
 * Whether a request without a login may be of a web page whose name was made to lead to this agent (DNS rebinding). To
 * the browser such an agent is the page's own host, so that `Origin` is the same as `Host`, or absent. A page cannot
 * have an address as its name, nor one of the agent's own, nor a name that is not for sale: one without a dot, such as
 * `localhost` or that of a container, or below `.localhost` or `.internal`, where containers find their host.
 *
 * An agent for its own machine is served under no other name. Others are reached under names that they do not know, as
 * those of load balancers, and refuse only what comes from a browser.
 */
export function mayBeRebound(headers: IncomingHttpHeaders, { names, isLoopbackOnly }: OwnNames): boolean {
  const name = foreignNameOf(headers.host);
  if (name === undefined) return false;
  if (names.some((own) => own.toLowerCase() === name)) return false;
  return isLoopbackOnly || isOfBrowser(headers);
}

/** Clients of a connection, and most clients of an agent, send the same host with every request. */
let lastHost: { readonly host: string | undefined; readonly name: string | undefined } | undefined;

/** A host name that a page may have; `undefined` if it is an address or not for sale. */
function foreignNameOf(host: string | undefined): string | undefined {
  if (lastHost === undefined || lastHost.host !== host) {
    const name = hostNameOf(host);
    const isSafe = isAddress(name) || /^[^.]+$|\.(?:localhost|internal)$/.test(name);
    lastHost = { host, name: isSafe ? undefined : name };
  }
  return lastHost.name;
}

/** The name in lower case without its port; empty if it is none. */
function hostNameOf(host: string | undefined): string {
  return URL.parse(`http://${host ?? ''}`)?.hostname.replace(/\.$/, '') ?? '';
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function isOfBrowser({
  origin,
  referer,
  'user-agent': agent = '',
  ...headers
}: IncomingHttpHeaders): boolean {
  if (origin !== undefined || referer !== undefined || headers['sec-fetch-site'] !== undefined) return true;
  return agent.startsWith('Mozilla/');
}
