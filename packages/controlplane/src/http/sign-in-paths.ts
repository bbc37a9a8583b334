import { routePath } from './route-table.ts';

/** Where browsers come to sign in with an identity provider, and where it sends them back to. */

const loginPrefix = routePath('ssoLogin');
const callbackPath = routePath('ssoCallback');

interface Connection {
  readonly identifier: string;
}

export function loginPathOf({ identifier }: Connection): string {
  return loginPrefix + identifier;
}

export function loginUrlOf(publicUrl: string, connection: Connection): string {
  return withoutSlash(publicUrl) + loginPathOf(connection);
}

/** What the issuer has to allow as the redirect. */
export function callbackUrlOf(publicUrl: string, { identifier }: Connection): string {
  return `${withoutSlash(publicUrl)}${callbackPath}?connection=${identifier}`;
}

/** The connection that a path is about, as it says. */
export function identifierIn(path: string): string | undefined {
  return path.startsWith(loginPrefix) ? path.slice(loginPrefix.length) : undefined;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
