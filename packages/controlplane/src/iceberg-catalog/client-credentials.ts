/**
 * `POST v1/oauth/tokens` of a catalog, for engines that are given a `credential` and fetch a token with it: OAuth 2
 * with client credentials (RFC 6749), in the form that clients of the Iceberg REST protocol send. The secret of the
 * client is a key, and the token is that key again: it has the same rights, and ends when the key is revoked.
 */
import type { IncomingMessage } from 'node:http';
import { readBody } from '@weir/http';
import type { CatalogAnswer } from './catalog-answers.ts';

export interface TokenRequest {
  readonly grantType: string;
  /** Absent if none was sent, or none that a key can be. */
  readonly secret: string | undefined;
}

const bytesMax = 16 * 1024;
/** What keys and tokens of agents are made of. */
const secretText = /^[!-~]{1,4096}$/;

/** Reads a request for a token; nothing if its body is no form of a usable size. */
export async function readTokenRequest(request: IncomingMessage): Promise<TokenRequest | undefined> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return undefined;
  let body: Buffer;
  try {
    body = await readBody(request, { bytesMax, refusalOf: (fault) => new RangeError(fault) });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const form = new URLSearchParams(body.toString());
  // A header counts: the protocol forbids clients to send both.
  const secret = secretOfHeader(request.headers.authorization) ?? form.get('client_secret') ?? '';
  return {
    grantType: form.get('grant_type') ?? '',
    secret: secretText.test(secret) ? secret : undefined,
  };
}

/** The password of `Basic`, which is escaped as in a form. */
function secretOfHeader(header: string | undefined): string | undefined {
  const encoded = /^basic ([\w+/=-]{1,16000})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (password === undefined) return undefined;
  return new URLSearchParams(`p=${password.replaceAll('&', '%26')}`).get('p') ?? undefined;
}

/** A token that the catalog takes. It has no end of its own, so that clients do not try to renew it. */
export function grantedToken(secret: string): CatalogAnswer {
  return {
    status: 200,
    body: JSON.stringify({
      access_token: secret,
      token_type: 'bearer',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    }),
  };
}

/** Errors of this path have the form of OAuth 2, not that of the catalog. */
export function tokenError(status: 400 | 401, error: string, description: string): CatalogAnswer {
  return { status, body: JSON.stringify({ error, error_description: description }) };
}
