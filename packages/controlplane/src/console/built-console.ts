import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the console as it is sent. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** Absent where compression does not pay. */
  readonly gzipped: Buffer | undefined;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const compressedTypes: readonly string[] = ['.html', '.js', '.css', '.svg'];

const compress = promisify(gzip);

/** The assets that a build wrote. Files are read when they are first requested, and kept: there are few. */
export class BuiltConsole {
  readonly #folder: string;
  /** Every path that can be requested, so that no request reaches another file. */
  readonly #paths: ReadonlySet<string>;
  readonly #files = new Map<string, Promise<ConsoleFile>>();

  private constructor(folder: string, paths: ReadonlySet<string>) {
    this.#folder = folder;
    this.#paths = paths;
  }

  /** `undefined` if there is no build. */
  static async open(folder: string): Promise<BuiltConsole | undefined> {
    let entries: string[];
    try {
      entries = await readdir(folder, { recursive: true });
    } catch {
      return undefined;
    }
    const paths = new Set(entries.filter((path) => extname(path) in contentTypes).map((path) => `/${path}`));
    return paths.has('/index.html') ? new BuiltConsole(folder, paths) : undefined;
  }

  /** `path` begins with a slash. */
  file(path: string): Promise<ConsoleFile> | undefined {
    if (!this.#paths.has(path)) return undefined;
    const known = this.#files.get(path) ?? this.#read(path);
    this.#files.set(path, known);
    // A file that could not be read may be there the next time.
    known.catch(() => this.#files.delete(path));
    return known;
  }

  async #read(path: string): Promise<ConsoleFile> {
    const bytes = await readFile(join(this.#folder, path));
    const extension = extname(path);
    return {
      contentType: contentTypes[extension]!,
      etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`,
      bytes,
      gzipped: compressedTypes.includes(extension) ? await compress(bytes) : undefined,
    };
  }
}
