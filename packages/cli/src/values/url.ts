import { concealUrls } from './conceal.ts';
import type { ValueType } from './value-type.ts';

/** The URL of a server, stored as it was written. */
export function url(): ValueType<string> {
  const allowed = 'http:// or https:// and a host';
  return {
    label: 'URL',
    syntax: '`https://host:port/path`',
    allowed,
    parse(text) {
      const trimmed = text.trim();
      return /^https?:\/\/[^/]/i.test(trimmed) && URL.canParse(trimmed)
        ? { value: trimmed }
        : { problem: `${allowed} is needed` };
    },
    print: (value) => value,
    conceal: concealUrls,
  };
}

/** The database of the control plane: a PostgreSQL server, or a SQLite file named by its path. */
export function databaseUrl(): ValueType<string> {
  const allowed = 'postgres:// and a host, or the path of a SQLite file';
  return {
    label: 'database URL',
    syntax: '`postgres://user:password@host/database`, or `data/weir.db`',
    allowed,
    parse(text) {
      const trimmed = text.trim();
      const isServer = /^postgres(?:ql)?:\/\/[^/]/i.test(trimmed) && URL.canParse(trimmed);
      const isFile = trimmed !== '' && !trimmed.includes('://');
      return isServer || isFile ? { value: trimmed } : { problem: `${allowed} is needed` };
    },
    print: (value) => value,
    conceal: concealUrls,
  };
}
