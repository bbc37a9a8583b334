/** Where a server is, by a URL as Bento takes it. */
export interface PostgresPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly sslMode: 'disable' | 'require' | 'verify-ca' | 'verify-full';
  /** Other parameters, which become settings of the session. */
  readonly settings: Readonly<Record<string, string>>;
}

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const files = ['sslcert', 'sslkey', 'sslrootcert', 'passfile', 'service'];

/** Reads `postgres://user:password@host:port/database?sslmode=…`. Throws one line that repeats no part of it. */
export function parsePostgresDsn(dsn: string): PostgresPlace {
  const url = /^postgres(?:ql)?:\/\//.test(dsn) ? URL.parse(dsn) : null;
  if (url === null || url.hostname === '')
    throw new Error('dsn has to be a URL such as postgres://user:password@host:5432/database');
  const parameters = new Map(url.searchParams);
  const named = files.find((name) => parameters.has(name));
  if (named !== undefined) throw new Error(`${named} of dsn names a file, which is not read`);
  const given = parameters.get('sslmode') ?? 'require';
  const sslMode = sslModes.find((mode) => mode === given);
  if (sslMode === undefined) throw new Error(`sslmode of dsn has to be one of ${sslModes.join(', ')}`);
  for (const name of ['sslmode', 'connect_timeout']) parameters.delete(name);
  const user = decodeURIComponent(url.username);
  if (user === '') throw new Error('dsn has no user');
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 5432),
    user,
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || user,
    sslMode,
    settings: Object.fromEntries(parameters),
  };
}
