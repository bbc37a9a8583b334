import { createRequire } from 'node:module';

/**
 * Why tables cannot be written or read here, or undefined. DuckDB is as large as all the rest, so that a package of npm
 * leaves it to those who want tables.
 */
export function missingDuckDb(searchedFrom: string = import.meta.url): string | undefined {
  try {
    createRequire(searchedFrom).resolve('@duckdb/node-api');
    return undefined;
  } catch {
    return 'tables need DuckDB, which is not installed: install @duckdb/node-api beside weir (its README says how) and start again';
  }
}
