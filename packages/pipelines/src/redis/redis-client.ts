import type { ComponentContext } from '../component/component-context.ts';
import type { Values } from '../component/field.ts';
import { oneOf, string } from '../component/field-types.ts';
import { type TlsValues, tls, tlsOptionsOf } from '../component/tls-fields.ts';
import { type Argument, RedisConnection, type RedisServer } from './redis-connection.ts';
import type { Reply } from './resp-reader.ts';

/** How every component of Redis connects to it. */
export const redisFields = {
  url: string('The server, such as `redis://user:password@host:6379/0`; `rediss://` for TLS.')
    .secret()
    .check((url) =>
      serverOf(url, undefined) === undefined ? 'has to be a URL such as redis://host:6379' : undefined,
    ),
  kind: oneOf('The kind of servers.', ['simple', 'cluster', 'failover'])
    .or('simple')
    .check((kind) => (kind === 'simple' ? undefined : `${kind} is not available in this release; use simple`))
    .advanced(),
  master: string('The name of the master, for `failover`.').or('').advanced(),
  tls: tls('TLS of the connection.').advanced(),
};

type RedisValues = Values<typeof redisFields>;
type RedisContext = Pick<ComponentContext, 'outbound' | 'clock' | 'connection'>;

/** Commands to a server of Redis, over a connection that is made when it is needed, and again after it broke. */
export class RedisClient {
  readonly #fields: RedisValues;
  readonly #context: RedisContext;
  #opening: Promise<RedisConnection> | undefined;
  #isClosed = false;

  constructor(fields: RedisValues, context: RedisContext) {
    this.#fields = fields;
    this.#context = context;
  }

  /** `waitMs` is how long the command blocks. */
  async send(command: readonly Argument[], waitMs = 0): Promise<Reply> {
    const connection = await this.connection();
    return connection.send(command, waitMs);
  }

  connection(onMessage?: (reply: readonly Reply[]) => void): Promise<RedisConnection> {
    if (this.#isClosed) return Promise.reject(new Error('the component was closed'));
    if (this.#opening !== undefined) return this.#opening;
    let isUp = false;
    const ended = () => {
      if (this.#opening !== opening) return;
      this.#opening = undefined;
      if (!this.#isClosed) this.#context.connection(isUp ? 'lost' : 'failed');
    };
    const connected = async () => {
      const connection = await this.#open(onMessage, ended);
      isUp = true;
      this.#context.connection('up');
      return connection;
    };
    const opening = connected();
    this.#opening = opening;
    opening.catch(ended);
    return opening;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#opening?.catch(() => undefined);
    connection?.close(new Error('the component was closed'));
  }

  async #open(
    onMessage: ((reply: readonly Reply[]) => void) | undefined,
    onClosed: () => void,
  ): Promise<RedisConnection> {
    const { outbound, clock } = this.#context;
    const server = serverOf(this.#fields.url, await tlsOf(this.#fields));
    if (server === undefined) throw new Error('url is not one of Redis');
    return RedisConnection.open({ server, outbound, clock, onClosed, ...(onMessage && { onMessage }) });
  }
}

async function tlsOf({ url, tls: values }: RedisValues) {
  const options = await tlsOptionsOf(values as TlsValues);
  return options ?? (/^\s*rediss:/.test(url) ? { rejectUnauthorized: true } : undefined);
}

/** Of several servers, the first is used, as Bento does. */
function serverOf(text: string, tlsOptions: RedisServer['tls']): RedisServer | undefined {
  const [first = ''] = text.split(',');
  const url = /^\s*(?:rediss?|tcp):\/\//.test(first) ? URL.parse(first.trim()) : null;
  const [, database = '0'] = /^\/?(\d{0,4})$/.exec(url?.pathname ?? '') ?? [];
  if (url === null || !/^\/?\d{0,4}$/.test(url.pathname)) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host: host === '' ? 'localhost' : host,
    port: Number(url.port || 6379),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: Number(database),
    tls: tlsOptions,
  };
}
