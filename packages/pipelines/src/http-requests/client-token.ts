import type { Clock } from '@weir/core';
import type { AuthValues } from './auth-fields.ts';

interface TokenAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a form to the server that issues tokens. */
type PostForm = (
  url: string,
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
  stop: AbortSignal,
) => Promise<TokenAnswer>;

/** A token is renewed so long before its end. */
const earlyMs = 10_000;

/** The token of a client (OAuth 2, client credentials): fetched when it is needed first, and again before its end. */
export class ClientToken {
  readonly #settings: AuthValues['oauth2'];
  readonly #post: PostForm;
  readonly #clock: Clock;
  #known: { readonly token: string; readonly endMs: number } | undefined;
  #coming: Promise<string> | undefined;

  constructor(settings: AuthValues['oauth2'], post: PostForm, clock: Clock) {
    this.#settings = settings;
    this.#post = post;
    this.#clock = clock;
  }

  async header(stop: AbortSignal): Promise<string> {
    if (this.#known !== undefined && this.#known.endMs > this.#clock.nowMs()) return this.#known.token;
    this.#coming ??= this.#fetched(stop).finally(() => (this.#coming = undefined));
    return this.#coming;
  }

  /** The server that it was meant for refused it. */
  forget(): void {
    this.#known = undefined;
  }

  async #fetched(stop: AbortSignal): Promise<string> {
    const { client_key, client_secret, token_url, scopes, endpoint_params } = this.#settings;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (scopes.length > 0) form.set('scope', scopes.join(' '));
    for (const [name, values] of endpoint_params) {
      form.delete(name);
      for (const value of values) form.append(name, value);
    }
    const credentials = [client_key, client_secret].map(encodeURIComponent).join(':');
    const basic = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
    let answer = await this.#post(token_url, form, basic, stop);
    if (answer.status >= 400 && answer.status < 500) {
      // Some servers take the credentials in the form only.
      form.set('client_id', client_key);
      form.set('client_secret', client_secret);
      answer = await this.#post(token_url, form, {}, stop);
    }
    if (answer.status !== 200) throw new Error(`the token server answered with status ${answer.status}`);
    const { token, type, seconds } = tokenIn(answer.text);
    const header = `${type} ${token}`;
    const endMs =
      seconds === undefined ? Number.POSITIVE_INFINITY : this.#clock.nowMs() + seconds * 1000 - earlyMs;
    this.#known = { token: header, endMs };
    return header;
  }
}

function tokenIn(text: string): { readonly token: string; readonly type: string; readonly seconds?: number } {
  let answer: Partial<Record<'access_token' | 'token_type' | 'expires_in', unknown>>;
  try {
    answer = Object(JSON.parse(text));
  } catch {
    answer = Object.fromEntries(new URLSearchParams(text));
  }
  const { access_token: token, token_type: type } = answer;
  if (typeof token !== 'string' || token === '') throw new Error('the token server answered without a token');
  const seconds = Number(answer.expires_in);
  const word = typeof type !== 'string' || /^bearer$/i.test(type) ? 'Bearer' : type;
  return { token, type: word, ...(seconds > 0 && { seconds }) };
}
