import { routePath } from './route-table.ts';

/** Where browsers start a sign-in with an identity provider, and where it redirects them back. */

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

/** Returns the redirect URL that the issuer has to allow. */
export function callbackUrlOf(publicUrl: string, { identifier }: Connection): string {
  return `${withoutSlash(publicUrl)}${callbackPath}?connection=${identifier}`;
}

/** Returns the identifier of the connection in a path. */
export function identifierIn(path: string): string | undefined {
  return path.startsWith(loginPrefix) ? path.slice(loginPrefix.length) : undefined;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
