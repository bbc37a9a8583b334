import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Stored {
  readonly content: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** A server of one bucket `bucket` of S3 with path-style addresses, as far as components use it; objects in memory. */
export class ObjectServer {
  readonly objects = new Map<string, Stored>();
  readonly seen: { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders }[] =
    [];
  /** A status to answer with instead. */
  fail: ((method: string, key: string) => number | undefined) | undefined;
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      this.seen.push({ method, url, headers });
      const { pathname, searchParams } = new URL(url, 'http://server');
      const key = decodeURIComponent(pathname.replace(/^\/bucket\/?/, ''));
      const status = this.fail?.(method, key);
      if (status !== undefined) return response.writeHead(status).end();
      if (key === '') return response.end(this.#page(searchParams));
      if (method === 'PUT') {
        if (headers['if-none-match'] === '*' && this.objects.has(key)) return response.writeHead(412).end();
        this.objects.set(key, { content: Buffer.concat(parts), headers });
        return response.end();
      }
      if (method === 'DELETE') {
        this.objects.delete(key);
        return response.writeHead(204).end();
      }
      return this.#object(key, method, headers, response);
    });
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  put(key: string, content: string, headers: IncomingHttpHeaders = {}): void {
    this.objects.set(key, { content: Buffer.from(content), headers });
  }

  #object(
    key: string,
    method: string,
    { range }: IncomingHttpHeaders,
    response: import('node:http').ServerResponse,
  ) {
    const stored = this.objects.get(key);
    if (stored === undefined)
      return response.writeHead(404).end(method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>');
    const kept = Object.entries(stored.headers).filter(([name]) =>
      /^(?:content-type|x-amz-meta-)/.test(name),
    );
    const shown = { ...Object.fromEntries(kept), 'last-modified': 'Wed, 01 Jan 2025 00:00:00 GMT' };
    if (method === 'HEAD')
      return response.writeHead(200, { ...shown, 'content-length': stored.content.length }).end();
    const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(range ?? '') ?? [];
    return response.writeHead(206, shown).end(stored.content.subarray(Number(from), Number(to) + 1));
  }

  /** Two keys, so that a list has several pages. */
  #page(query: URLSearchParams): string {
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const prefix = query.get('prefix') ?? '';
    const keys = [...this.objects.keys()].toSorted().filter((key) => key > after && key.startsWith(prefix));
    const page = keys.slice(0, 2);
    const next = keys.length > 2 ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${this.objects.get(key)!.content.length}</Size><LastModified>2025-01-01T00:00:00.000Z</LastModified></Contents>`,
    );
    return `<ListBucketResult><IsTruncated>${keys.length > 2}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`;
  }
}
