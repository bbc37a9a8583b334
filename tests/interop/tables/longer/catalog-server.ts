import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { buildJava, shortLivedJava } from '../../apache/build.ts';

/** The server that Iceberg's own tests of REST clients use, over JDBC; tables are below a folder. */
export class IcebergCatalogServer {
  readonly uri: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  static async start(warehouse: string): Promise<IcebergCatalogServer> {
    const classPath = buildJava(join(import.meta.dirname, '../rest-server'));
    const main = 'org.apache.iceberg.rest.LoopbackCatalogServer';
    const quiet = '-Dorg.slf4j.simpleLogger.defaultLogLevel=off';
    const child = spawn('java', [...shortLivedJava, quiet, '-Xmx512m', '-cp', classPath, main, warehouse], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    if (done === true) throw new Error('the catalog server has ended');
    return new IcebergCatalogServer(`http://127.0.0.1:${value}`, child);
  }

  private constructor(uri: string, child: ChildProcessByStdio<Writable, Readable, null>) {
    this.uri = uri;
    this.#child = child;
  }

  close(): void {
    this.#child.stdin.end();
  }
}
