import { createHmac } from 'node:crypto';

/** The key of a storage account. */
export interface SharedKey {
  readonly account: string;
  readonly key: Buffer;
}

export interface SignedBlobRequest {
  readonly method: string;
  /** As in the request line, escaped. */
  readonly path: string;
  /** Parameters, not escaped. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. Of these, `if-none-match` and those that begin with `x-ms-` are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentBytes: number;
}

/** The `authorization` header of a request, by the scheme Shared Key of the blob service. */
export function sharedKeyAuthorization(request: SignedBlobRequest, { account, key }: SharedKey): string {
  const { method, path, query, headers, contentBytes } = request;
  const signed = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .sort();
  const parameters = Object.entries(query)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = [
    method,
    '', // content-encoding
    '', // content-language
    contentBytes === 0 ? '' : `${contentBytes}`,
    '', // content-md5
    '', // content-type
    '', // date: x-ms-date replaces it
    '', // if-modified-since
    '', // if-match
    headers['if-none-match'] ?? '',
    '', // if-unmodified-since
    '', // range: x-ms-range replaces it
    ...signed.map((name) => `${name}:${headers[name]}`),
    [`/${account}${path}`, ...parameters.map(([name, value]) => `${name}:${value}`)].join('\n'),
  ].join('\n');
  return `SharedKey ${account}:${createHmac('sha256', key).update(text).digest('base64')}`;
}
