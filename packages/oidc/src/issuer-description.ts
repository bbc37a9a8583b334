import * as z from 'zod';
import { placeOf } from './address.ts';

/** The metadata of a token issuer that is needed to validate its tokens. */
export interface IssuerDescription {
  /** The `iss` claim of its tokens. */
  readonly issuer: string;
  readonly keysUrl: string;
  /** The algorithms that a token may be signed with. */
  readonly algorithms: readonly string[];
  readonly signIn: SignInDescription;
}

/** The endpoints for sign-in. An issuer that only signs tokens has none. */
export interface SignInDescription {
  readonly authorizationUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  readonly userinfoUrl: string | undefined;
  /** The client authentication methods of the token endpoint; the standard's default if absent. */
  readonly clientProofs: readonly string[];
  readonly scopes: readonly string[];
  /** Whether it sends its identity in the redirect: RFC 9207. */
  readonly sendsIssuer: boolean;
}

/**
 * Asymmetric algorithms. With any other, a party that can validate tokens could also create them, and with `none`
 * anyone could.
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

/** A field with another type than the standard's counts as absent: issuers add what they like. */
const url = z.string().optional().catch(undefined);
const words = z
  .array(z.unknown())
  .transform((list) => list.filter((word) => typeof word === 'string'))
  .optional()
  .catch(undefined);

const descriptionSchema = z.object({
  issuer: url,
  jwks_uri: url,
  id_token_signing_alg_values_supported: words,
  authorization_endpoint: url,
  token_endpoint: url,
  userinfo_endpoint: url,
  token_endpoint_auth_methods_supported: words,
  scopes_supported: words,
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
});

export function readDescription(issuerUrl: string, document: unknown): IssuerDescription {
  const { data: found = descriptionSchema.parse({}) } = descriptionSchema.safeParse(document);
  const { issuer, jwks_uri: keysUrl, id_token_signing_alg_values_supported: advertised } = found;
  // The metadata of another issuer would admit that issuer's users. A trailing slash makes no difference.
  if (issuer === undefined || withoutSlash(issuer) !== withoutSlash(issuerUrl)) {
    throw new Error(`the description at ${placeOf(issuerUrl)} is not that of the issuer`);
  }
  if (keysUrl === undefined) throw new Error(`the description at ${placeOf(issuerUrl)} has no jwks_uri`);
  const algorithms = asymmetricAlgorithms.filter((algorithm) => advertised?.includes(algorithm) ?? true);
  return { issuer, keysUrl, algorithms, signIn: signInOf(found) };
}

function signInOf(found: z.infer<typeof descriptionSchema>): SignInDescription {
  return {
    authorizationUrl: found.authorization_endpoint,
    tokenUrl: found.token_endpoint,
    userinfoUrl: found.userinfo_endpoint,
    clientProofs: found.token_endpoint_auth_methods_supported ?? ['client_secret_basic'],
    scopes: found.scopes_supported ?? [],
    sendsIssuer: found.authorization_response_iss_parameter_supported === true,
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
