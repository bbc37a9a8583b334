import { extname } from 'node:path';

/**
 * Where the accounts of a control plane are, by where its journals are. A server has room for both. A SQLite file has
 * one writer at a time, so that accounts have a file of their own beside it: sign-ins do not wait for journals, nor the
 * other way round.
 */
export function accountsUrlOf(databaseUrl: string): string {
  if (/^(?:postgres(?:ql)?|memory):/i.test(databaseUrl)) return databaseUrl;
  const extension = extname(databaseUrl);
  return `${databaseUrl.slice(0, databaseUrl.length - extension.length)}-accounts${extension}`;
}
