import { StoreError } from '../store/store-error.ts';

/** The tables of a bucket begin with this name, which no table of a control plane begins with. */
export const usualTable = 'weir_bucket';

/** Short enough for the longest suffix: PostgreSQL cuts names after 63 bytes. */
const tableName = /^[a-z_][a-z\d_]{0,39}$/;

export interface PostgresPlace {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Absent where the driver takes that of the environment. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly sslMode: (typeof sslModes)[number];
  readonly table: string;
}

export interface SqlitePlace {
  readonly path: string;
  readonly table: string;
}

const sslModes = ['disable', 'prefer', 'require', 'verify-full'] as const;
const usualPort = 5432;

export function parsePostgresUrl(url: URL): PostgresPlace {
  const subject = 'postgres://';
  checkParameters(url, subject, ['prefix', 'table', 'sslmode']);
  const database = decoded(url.pathname.slice(1), subject);
  if (database === '' || database.includes('/'))
    throw new StoreError('invalid', subject, 'the name of a database is needed after the host');
  if (url.hostname.includes(','))
    throw new StoreError('invalid', subject, 'one host is needed, and not a list');
  const sslMode = sslModes.find((mode) => mode === (url.searchParams.get('sslmode') ?? 'disable'));
  if (sslMode === undefined)
    throw new StoreError('invalid', subject, `sslmode is one of ${sslModes.join(', ')}`);
  return {
    // An IPv6 address has brackets in a URL only.
    host: decoded(url.hostname, subject)
      .toLowerCase()
      .replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? usualPort : Number(url.port),
    database,
    user: url.username === '' ? undefined : decoded(url.username, subject),
    password: url.password === '' ? undefined : decoded(url.password, subject),
    sslMode,
    table: tableOf(url, subject),
  };
}

export function parseSqliteUrl(url: URL): SqlitePlace {
  const subject = 'sqlite://';
  checkParameters(url, subject, ['prefix', 'table']);
  if (url.host !== '' || url.pathname.length < 2 || url.pathname.endsWith('/'))
    throw new StoreError('invalid', subject, 'sqlite:/// and the absolute path of a file is needed');
  if (/%(?:2f|00)/i.test(url.pathname))
    throw new StoreError('invalid', subject, 'a path without encoded slashes is needed');
  return { path: decoded(url.pathname, subject), table: tableOf(url, subject) };
}

function tableOf(url: URL, subject: string): string {
  const table = url.searchParams.get('table') ?? usualTable;
  if (!tableName.test(table))
    throw new StoreError('invalid', subject, 'table is up to 40 lower-case letters, digits and underscores');
  return table;
}

function checkParameters(url: URL, subject: string, known: readonly string[]): void {
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new StoreError(
      'invalid',
      subject,
      `there is no parameter ${JSON.stringify(unknown)}; use ${known.join(', ')}`,
    );
}

function decoded(text: string, subject: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StoreError('invalid', subject, 'a well-formed URL is needed');
  }
}
