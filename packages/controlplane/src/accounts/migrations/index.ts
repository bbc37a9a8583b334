import { accounts } from './0001-accounts.ts';
import type { Migration } from './migration.ts';

/** All steps, in order. */
export const migrations: readonly Migration[] = [accounts];
