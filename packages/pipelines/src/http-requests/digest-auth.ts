import { createHash } from 'node:crypto';

interface Credentials {
  readonly username: string;
  readonly password: string;
}

const algorithms: Readonly<Record<string, string>> = { md5: 'md5', 'sha-256': 'sha256' };

/**
 * Answers the challenge of a server (RFC 7616). `undefined` if the server asks for something else, such as a digest of
 * the body.
 */
export function digestOf(
  challenge: string,
  { username, password }: Credentials,
  {
    method,
    path,
    nonce: clientNonce,
  }: { readonly method: string; readonly path: string; readonly nonce: string },
): string | undefined {
  if (!/^\s*digest\s/i.test(challenge)) return undefined;
  const asked = new Map<string, string>();
  for (const [, name, quoted, plain] of challenge.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,"]+))/g))
    asked.set(name!.toLowerCase(), quoted ?? plain ?? '');
  const [realm, nonce, opaque] = ['realm', 'nonce', 'opaque'].map((name) => asked.get(name));
  const algorithm = asked.get('algorithm') ?? 'MD5';
  const isOfSession = /-sess$/i.test(algorithm);
  const hashName = algorithms[algorithm.toLowerCase().replace(/-sess$/, '')];
  const offered = asked
    .get('qop')
    ?.split(',')
    .map((name) => name.trim());
  if (realm === undefined || nonce === undefined || hashName === undefined) return undefined;
  if (offered !== undefined && !offered.includes('auth')) return undefined;
  const hash = (text: string) => createHash(hashName).update(text).digest('hex');
  const user = hash(`${username}:${realm}:${password}`);
  const secret = isOfSession ? hash(`${user}:${nonce}:${clientNonce}`) : user;
  const request = hash(`${method}:${path}`);
  const response =
    offered === undefined
      ? hash(`${secret}:${nonce}:${request}`)
      : hash(`${secret}:${nonce}:00000001:${clientNonce}:auth:${request}`);
  const quotedParts = {
    username,
    realm,
    nonce,
    uri: path,
    response,
    ...(opaque !== undefined && { opaque }),
  };
  const parts = Object.entries(quotedParts).map(
    ([name, value]) => `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`,
  );
  if (asked.has('algorithm')) parts.push(`algorithm=${algorithm}`);
  if (offered !== undefined) parts.push('qop=auth', 'nc=00000001', `cnonce="${clientNonce}"`);
  return `Digest ${parts.join(', ')}`;
}
