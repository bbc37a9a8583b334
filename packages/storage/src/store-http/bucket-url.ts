import { StoreError } from '../store/store-error.ts';
import { isServer } from './endpoint.ts';

/** Reads the URL of a bucket of a cloud: `scheme://bucket?name=value`. Errors name the bucket, and no values. */
export class BucketUrl {
  readonly bucket: string;
  readonly #url: URL;

  /** Throws for parameters that are unknown or given twice, and for a path. */
  constructor(url: URL, known: readonly string[]) {
    this.#url = url;
    this.bucket = url.host;
    const names = [...url.searchParams.keys()];
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw this.refusal(`unknown parameter ${unknown}; use one of ${known.join(', ')}`);
    const repeated = names.find((name, index) => names.indexOf(name) !== index);
    if (repeated !== undefined) throw this.refusal(`${repeated}= is given twice`);
    if (url.pathname.length > 1)
      throw this.refusal('name a folder inside the bucket by prefix=, not by the path');
  }

  refusal(problem: string): StoreError {
    return new StoreError('invalid', `${this.#url.protocol}//${this.bucket}`, problem);
  }

  /** Credentials in a URL would be in logs and in the database. */
  requireNoUser(variables: string): void {
    const { username, password, hash } = this.#url;
    if (username + password + hash !== '')
      throw this.refusal(`credentials in the URL are not accepted; set ${variables}`);
  }

  text(name: string): string | undefined {
    return this.#url.searchParams.get(name) ?? undefined;
  }

  /** False if it is absent. */
  flag(name: string): boolean {
    const text = this.text(name) ?? 'false';
    if (text !== 'true' && text !== 'false') throw this.refusal(`${name}= must be true or false`);
    return text === 'true';
  }

  /** A host or the URL of a server, as a URL without a trailing slash. */
  server(name: string, scheme: 'http' | 'https'): string | undefined {
    const text = this.text(name);
    const server = text === undefined ? undefined : serverOf(text, scheme);
    if (text !== undefined && server === undefined)
      throw this.refusal(`${name}= must be a host or the URL of a server`);
    return server;
  }
}

/** A host or the URL of a server, as a URL without a trailing slash; `undefined` if it is neither. */
export function serverOf(text: string, scheme: 'http' | 'https'): string | undefined {
  const url = (/^https?:\/\//.test(text) ? text : `${scheme}://${text}`).replace(/\/$/, '');
  return isServer(url) ? url : undefined;
}
