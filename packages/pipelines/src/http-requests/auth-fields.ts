import { type Field, object, type Values } from '../component/field.ts';
import { any, bool, list, map, oneOf, string } from '../component/field-types.ts';

const basicFields = {
  enabled: bool('Whether it is used.').or(false),
  username: string('The name of the user.').or(''),
  password: string('The password of the user.').or('').secret(),
};

/** What a request of every HTTP component may be signed with. */
export const signingFields = {
  oauth: object('OAuth version 1.', {
    enabled: bool('Whether it is used.').or(false),
    consumer_key: string('Names the client.').or(''),
    consumer_secret: string('The secret of the client.').or('').secret(),
    access_token: string('The token of the user.').or(''),
    access_token_secret: string('The secret of the token.').or('').secret(),
  }).advanced(),
  basic_auth: object('A user and a password.', basicFields).advanced(),
  jwt: object('A token that is signed for each request.', {
    enabled: bool('Whether it is used.').or(false),
    private_key_file: string('The file of the key, in PEM.').or('').localOnly(),
    signing_method: oneOf('How it is signed.', ['', 'RS256', 'RS384', 'RS512', 'EdDSA']).or(''),
    claims: map('What the token claims.', any('A value.')).or({}).advanced(),
    headers: map('More headers of the token.', any('A value.')).or({}).advanced(),
  }).advanced(),
};

export type SigningValues = Values<typeof signingFields>;

/** Those, and what takes more than one request. */
export const authFields = {
  ...signingFields,
  oauth2: object('OAuth version 2 with the credentials of a client.', {
    enabled: bool('Whether it is used.').or(false),
    client_key: string('Names the client.').or(''),
    client_secret: string('The secret of the client.').or('').secret(),
    token_url: string('Where tokens are issued.').or(''),
    scopes: list('What the token is for.', string('A scope.')).or([]).advanced(),
    endpoint_params: map(
      'More parameters of the request for a token.',
      list('Its values.', string('A value.')),
    )
      .or({})
      .advanced(),
  }).advanced(),
  digest_auth: object('A user and a password for a server that asks for a digest.', basicFields).advanced(),
  negotiate: object('Kerberos and NTLM.', {
    enabled: unavailable('Whether it is used; it cannot be.'),
  }).advanced(),
};

export type AuthValues = Values<typeof authFields>;

function unavailable(about: string): Field<boolean> {
  return bool(about)
    .or(false)
    .check((isEnabled) =>
      isEnabled ? 'has to be false: negotiate is not available in this release' : undefined,
    );
}
