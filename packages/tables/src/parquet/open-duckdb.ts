import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { quoteText } from './duckdb-schema.ts';

export interface DuckDbOptions {
  /** Where files and, below `spill`, parts of tables are written; nothing else can be reached. */
  readonly directory: string;
  readonly memoryBytesMax: number;
  readonly spillBytesMax: number;
}

/** DuckDB with bounds: of one thread, so much memory and disk, no extensions, and nothing but its directory. */
export async function openDuckDb(options: DuckDbOptions): Promise<DuckDBInstance> {
  const { directory, memoryBytesMax, spillBytesMax } = options;
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${memoryBytesMax}B`,
    temp_directory: join(directory, 'spill'),
    max_temp_directory_size: `${spillBytesMax}B`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  try {
    for (const setting of [
      "GLOBAL TimeZone = 'UTC'",
      `GLOBAL allowed_directories = [${quoteText(`${directory}/`)}]`,
      'GLOBAL enable_external_access = false',
      'GLOBAL lock_configuration = true',
    ])
      await connection.run(`SET ${setting}`);
  } finally {
    connection.closeSync();
  }
  return instance;
}
