import type { FetchJson } from './fetch-json.ts';
import type { IssuerDescription } from './issuer-description.ts';

/**
 * The metadata URLs of an issuer: OpenID Connect, or else RFC 8414, which inserts its well-known part before the path.
 */
export function descriptionUrls(issuerUrl: string): readonly string[] {
  const { origin, pathname } = new URL(issuerUrl);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/** Tries the URLs in order. If all fail, the error contains the problem of each. */
export async function discover(
  issuerUrl: string,
  fetchJson: FetchJson,
  stop: AbortSignal,
): Promise<IssuerDescription> {
  // Loaded with its schema when there is an issuer to ask.
  const { readDescription } = await import('./issuer-description.ts');
  const problems: string[] = [];
  for (const url of descriptionUrls(issuerUrl)) {
    try {
      return readDescription(issuerUrl, await fetchJson(url, stop));
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(problems.join('; '));
}
