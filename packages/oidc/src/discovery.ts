import { placeOf } from './address.ts';
import type { FetchJson } from './fetch-json.ts';

/** What an issuer of tokens says of itself, as far as it matters for checking them. */
interface IssuerDescription {
  /** What its tokens call it. */
  readonly issuer: string;
  readonly keysUrl: string;
  /** The algorithms that a token may be signed with. */
  readonly algorithms: readonly string[];
  readonly signIn: SignInDescription;
}

/** Where and how users sign in there. An issuer that only signs tokens says nothing of it. */
export interface SignInDescription {
  readonly authorizationUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  readonly userinfoUrl: string | undefined;
  /** How a client may prove at the token URL who it is; the standard's default if nothing is said. */
  readonly clientProofs: readonly string[];
  readonly scopes: readonly string[];
  /** Whether it says who it is when it sends a user back: RFC 9207. */
  readonly saysWhoItIs: boolean;
}

/**
 * Algorithms with a public key to check and a private one to sign. With any other, whoever may check a token could make one, and with
 * `none` everybody could.
 */
const asymmetricAlgorithms: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Where an issuer describes itself: by OpenID Connect, or else by RFC 8414, which puts its word before the path. */
export function descriptionUrls(issuerUrl: string): readonly string[] {
  const { origin, pathname } = new URL(issuerUrl);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/** Asks one place after the other. What is wrong with each of them is in the error when none will do. */
export async function discover(
  issuerUrl: string,
  fetchJson: FetchJson,
  stop: AbortSignal,
): Promise<IssuerDescription> {
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

export function readDescription(issuerUrl: string, document: unknown): IssuerDescription {
  const {
    issuer,
    jwks_uri: keysUrl,
    id_token_signing_alg_values_supported: advertised,
  } = (document ?? {}) as Readonly<Record<string, unknown>>;
  // Somebody else's description would let in somebody else's users. Whether the last slash is written is nobody's name.
  if (typeof issuer !== 'string' || withoutSlash(issuer) !== withoutSlash(issuerUrl)) {
    throw new Error(`the description at ${placeOf(issuerUrl)} is not that of the issuer`);
  }
  if (typeof keysUrl !== 'string')
    throw new Error(`the description at ${placeOf(issuerUrl)} has no jwks_uri`);
  const algorithms = Array.isArray(advertised)
    ? asymmetricAlgorithms.filter((algorithm) => advertised.includes(algorithm))
    : asymmetricAlgorithms;
  return { issuer, keysUrl, algorithms, signIn: readSignIn(document as Readonly<Record<string, unknown>>) };
}

function readSignIn(document: Readonly<Record<string, unknown>>): SignInDescription {
  const url = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const words = (value: unknown) =>
    Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : undefined;
  return {
    authorizationUrl: url(document.authorization_endpoint),
    tokenUrl: url(document.token_endpoint),
    userinfoUrl: url(document.userinfo_endpoint),
    clientProofs: words(document.token_endpoint_auth_methods_supported) ?? ['client_secret_basic'],
    scopes: words(document.scopes_supported) ?? [],
    saysWhoItIs: document.authorization_response_iss_parameter_supported === true,
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
