import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of a build as it is sent. */
export interface BuiltFile {
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
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const compressedTypes: readonly string[] = ['.html', '.js', '.css', '.json', '.svg'];

const compress = promisify(gzip);

/** The files that a build wrote. They are read when they are first requested, and kept as long as there is space. */
export class BuiltFiles {
  readonly #folder: string;
  readonly #keptBytesMax: number;
  /** Every path that can be requested, so that no request reaches another file. */
  readonly #paths: ReadonlySet<string>;
  /** By path, the oldest first. */
  readonly #files = new Map<string, { readonly file: Promise<BuiltFile>; bytes: number }>();
  #keptBytes = 0;

  private constructor(folder: string, paths: ReadonlySet<string>, keptBytesMax: number) {
    this.#folder = folder;
    this.#paths = paths;
    this.#keptBytesMax = keptBytesMax;
  }

  /** `undefined` if there is no build. */
  static async open(
    folder: string,
    keptBytesMax = Number.POSITIVE_INFINITY,
  ): Promise<BuiltFiles | undefined> {
    let entries: string[];
    try {
      entries = await readdir(folder, { recursive: true });
    } catch {
      return undefined;
    }
    const paths = new Set(entries.filter((path) => extname(path) in contentTypes).map((path) => `/${path}`));
    return paths.has('/index.html') ? new BuiltFiles(folder, paths, keptBytesMax) : undefined;
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** `path` begins with a slash. */
  file(path: string): Promise<BuiltFile> | undefined {
    if (!this.#paths.has(path)) return undefined;
    const known = this.#files.get(path);
    if (known !== undefined) return known.file;
    const file = this.#read(path);
    const kept = { file, bytes: 0 };
    this.#files.set(path, kept);
    file.then(
      ({ bytes, gzipped }) => this.#keep(kept, bytes.length + (gzipped?.length ?? 0)),
      // A file that could not be read may be there the next time.
      () => this.#files.delete(path),
    );
    return file;
  }

  /** Counts a file that was read, and forgets the oldest ones if there are too many bytes. */
  #keep(read: { bytes: number }, bytes: number): void {
    read.bytes = bytes;
    this.#keptBytes += bytes;
    for (const [path, kept] of this.#files) {
      if (this.#keptBytes <= this.#keptBytesMax) return;
      // Others wait for a file that is being read.
      if (kept.bytes === 0) continue;
      this.#files.delete(path);
      this.#keptBytes -= kept.bytes;
    }
  }

  async #read(path: string): Promise<BuiltFile> {
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
