import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Cookie {
  readonly value: string;
  readonly attributes: string;
}

/**
 * The subset of a browser that a sign-in needs: it stores cookies by origin, and sends them according to `SameSite`.
 */
export class Browser {
  readonly #cookies = new Map<string, Map<string, Cookie>>();
  readonly #remoteHeaders: Readonly<Record<string, string>>;

  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#remoteHeaders = headers;
  }

  /** The stored cookies of an origin, by name. */
  cookies(url: string): ReadonlyMap<string, Cookie> {
    return this.#cookiesOf(new URL(url).origin);
  }

  keep(url: string, name: string, value: string, attributes = 'SameSite=Strict'): void {
    this.#cookiesOf(new URL(url).origin).set(name, { value, attributes });
  }

  /** Requests one page and follows nothing. `isFromElsewhere`: a page of another site links there. */
  async step(url: string, isFromElsewhere = false): Promise<Page> {
    const { origin } = new URL(url);
    const cookies = [...this.#cookiesOf(origin)]
      .filter(([, { attributes }]) => !isFromElsewhere || !attributes.includes('SameSite=Strict'))
      .map(([name, { value }]) => `${name}=${value}`);
    const headers = {
      ...this.#remoteHeaders,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
    };
    const request = httpRequest(url, { headers, agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await response.toArray()).toString();
    for (const line of response.headers['set-cookie'] ?? []) this.#take(origin, line);
    return { url, status: response.statusCode!, headers: response.headers, text };
  }

  /** Opens a URL as if typed, and follows redirects until there is a page, or `isEnough`. */
  async open(url: string, isEnough: (page: Page) => boolean = () => false): Promise<Page> {
    let page = await this.step(url);
    let isFromElsewhere = false;
    for (let steps = 0; page.headers.location !== undefined && !isEnough(page); steps++) {
      if (steps > 20) throw new Error(`${url}: redirected for ever`);
      const next = new URL(page.headers.location, page.url);
      isFromElsewhere ||= next.origin !== new URL(page.url).origin;
      page = await this.step(next.href, isFromElsewhere);
    }
    return page;
  }

  #cookiesOf(origin: string): Map<string, Cookie> {
    const known = this.#cookies.get(origin) ?? new Map<string, Cookie>();
    this.#cookies.set(origin, known);
    return known;
  }

  #take(origin: string, line: string): void {
    const [pair = '', ...rest] = line.split(';');
    const attributes = rest.join(';');
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(name.length + 1);
    const isOver =
      /max-age=0(?:;|$)/i.test(attributes.replaceAll(' ', '')) ||
      /expires=Thu, 01 Jan 1970/i.test(attributes);
    if (isOver) this.#cookiesOf(origin).delete(name);
    else this.#cookiesOf(origin).set(name, { value, attributes });
  }
}
