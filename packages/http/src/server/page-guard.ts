import type { IncomingHttpHeaders } from 'node:http';
import { isOfForeignPage } from './foreign-page.ts';
import { HttpProblem } from './http-problem.ts';
import { isLoopback } from './loopback.ts';
import { mayBeRebound, type OwnNames } from './rebound-name.ts';

/** The names under which an agent knows that it is reached. */
export function ownNamesOf(options: {
  readonly advertisedHost: string;
  readonly hostname?: string | undefined;
  readonly host: string;
}): OwnNames {
  return {
    names: [options.advertisedHost, ...(options.hostname === undefined ? [] : [options.hostname])],
    isLoopbackOnly: isLoopback(options.host),
  };
}

/** Refuses requests of web pages that are not of this agent: with 403, before their logins are looked at. */
export function refusePages(
  headers: IncomingHttpHeaders,
  { hasLogin, ownNames }: { readonly hasLogin: boolean; readonly ownNames: OwnNames },
): void {
  if (isOfForeignPage(headers)) throw new HttpProblem(403, 'The request is of a web page of another host.');
  // A page does not know a login of the cluster.
  if (hasLogin || !mayBeRebound(headers, ownNames)) return;
  throw new HttpProblem(
    403,
    'The host in the address is not known to the agent, and the request has no login; use an IP address, the advertised host, or a login.',
  );
}
