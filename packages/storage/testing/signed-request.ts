import { createHmac, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

interface SignedAs {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
}

/**
 * Verifies the AWS signature of a request as it came over the wire, as a server does: with the headers and the query
 * that are there. Returns what the signature names, or why it is wrong.
 */
export function verifySignature(
  { method, url = '/', headers }: IncomingMessage,
  body: Buffer,
  secretOf: (accessKeyId: string) => string | undefined,
): SignedAs | string {
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request,SignedHeaders=([^,]+),Signature=([\da-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (authorization === null) return 'no authorization';
  const [, accessKeyId, day, region, service, names, signature] = authorization as unknown as string[];
  const secret = secretOf(accessKeyId!);
  if (secret === undefined) return 'unknown access key';
  const signedHeaders = names!.split(';');
  if (!signedHeaders.includes('host')) return 'the host is not signed';
  const unsigned = Object.keys(headers).find(
    (name) => name.startsWith('x-amz-') && !signedHeaders.includes(name),
  );
  if (unsigned !== undefined) return `${unsigned} is not signed`;
  const payload = String(headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== hash('sha256', body)) return 'another body was signed';
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').sort().join('&'),
    ...signedHeaders.map((name) => `${name}:${headers[name]}`),
    '',
    names,
    payload,
  ].join('\n');
  const time = String(headers['x-amz-date']);
  if (!time.startsWith(day!)) return 'another day';
  const scope = [day, region, service, 'aws4_request'].join('/');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const toSign = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n');
  if (hmac(key, toSign).toString('hex') !== signature) return 'the signature does not match';
  return { accessKeyId: accessKeyId!, region: region!, service: service!, signedHeaders };
}
