import { chmodSync, closeSync, fstatSync, openSync } from 'node:fs';

/** Permissions of the group and of others. */
const foreignRights = 0o077;

/**
 * Makes an empty file that only the user of the process may open, or takes these rights from others if it exists.
 * SQLite gives new files the rights that the umask leaves, and files beside a database those of the database.
 */
export function makePrivateFile(path: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    const { mode } = fstatSync(file);
    if ((mode & foreignRights) !== 0) chmodSync(path, mode & 0o700);
  } finally {
    closeSync(file);
  }
}
