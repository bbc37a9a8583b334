import { extname } from 'node:path';

/**
 * Returns the database URL of accounts, given that of the journals. A server holds both. A SQLite file has one writer
 * at a time, so accounts have their own file beside it: sign-ins do not wait for journals, or vice versa.
 */
export function accountsUrlOf(databaseUrl: string): string {
  if (/^(?:postgres(?:ql)?|memory):/i.test(databaseUrl)) return databaseUrl;
  const extension = extname(databaseUrl);
  return `${databaseUrl.slice(0, databaseUrl.length - extension.length)}-accounts${extension}`;
}
