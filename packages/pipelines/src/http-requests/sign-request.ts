import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock, Random } from '@weir/core';
import { plainValueOf, type YamlValue } from '../yaml/index.ts';
import type { SigningValues } from './auth-fields.ts';

type Signer = (method: string, url: URL) => string | undefined;

/** Returns what the header `Authorization` of a request is, by the settings of a component. */
export async function signerOf(
  { oauth, basic_auth, jwt }: SigningValues,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<Signer> {
  // The last one wins, as in Bento.
  if (basic_auth.enabled) {
    const credentials = Buffer.from(`${basic_auth.username}:${basic_auth.password}`).toString('base64');
    return () => `Basic ${credentials}`;
  }
  if (jwt.enabled) {
    const key = createPrivateKey(await readFile(jwt.private_key_file));
    return () => `Bearer ${signedToken(jwt, key)}`;
  }
  if (oauth.enabled) return (method, url) => oauthHeader(oauth, method, url, clock, random);
  return () => undefined;
}

function signedToken(jwt: SigningValues['jwt'], key: KeyObject): string {
  const header = { alg: jwt.signing_method, typ: 'JWT', ...jsonOf(jwt.headers) };
  const text = `${encoded(header)}.${encoded(jsonOf(jwt.claims))}`;
  const digest = jwt.signing_method === 'EdDSA' ? undefined : `sha${jwt.signing_method.slice(2)}`;
  return `${text}.${sign(digest, Buffer.from(text), key).toString('base64url')}`;
}

function jsonOf(values: ReadonlyMap<string, YamlValue>): Record<string, unknown> {
  return Object.fromEntries([...values].map(([key, value]) => [key, asJson(plainValueOf(value))]));
}

function asJson(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, asJson(item)]));
  return Array.isArray(value) ? value.map(asJson) : value;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function oauthHeader(
  oauth: SigningValues['oauth'],
  method: string,
  url: URL,
  clock: Clock,
  random: Random,
): string {
  const nonce = String(random.below(Number.MAX_SAFE_INTEGER));
  const params: [name: string, value: string][] = [
    ['oauth_consumer_key', oauth.consumer_key],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(clock.nowMs() / 1000))],
    ['oauth_token', oauth.access_token],
    ['oauth_version', '1.0'],
  ];
  // Parameters of the query are signed too, in the order of their encoded texts.
  const signed = [...params, ...url.searchParams]
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`)
    .toSorted();
  const base = [method, `${url.origin}${url.pathname}`, signed.join('&')].map(percentEncoded).join('&');
  const key = `${percentEncoded(oauth.consumer_secret)}&${percentEncoded(oauth.access_token_secret)}`;
  const signature = createHmac('sha1', key).update(base).digest('base64');
  const header = [...params, ['oauth_signature', signature]].map(
    ([name, value]) => `${name}="${percentEncoded(value!)}"`,
  );
  return `OAuth ${header.join(', ')}`;
}

/** As RFC 3986 has it; the function of the language leaves a few more characters as they are. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
