import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { componentOf } from '../component/component-spec.ts';
import { string } from '../component/field-types.ts';
import type { Cache } from '../component/instances.ts';

/** A file for each key in a directory. Values do not expire. */
class FileCache implements Cache {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = resolve(directory);
  }

  async get(key: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#pathOf(key));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async set(key: string, value: Buffer): Promise<void> {
    await writeFile(this.#pathOf(key), value);
  }

  async add(key: string, value: Buffer): Promise<boolean> {
    try {
      const file = await open(this.#pathOf(key), 'wx');
      await file.writeFile(value).finally(() => file.close());
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  async close(): Promise<void> {}

  /** Keys come from messages: none of them may name a file elsewhere. */
  #pathOf(key: string): string {
    const path = resolve(this.#directory, key);
    if (!path.startsWith(this.#directory + sep))
      throw new Error('a key of a file cache is a path within its directory');
    return path;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

export const file = componentOf('cache', {
  name: 'file',
  about: 'Keeps each value in a file of a directory, for development.',
  availability: 'local',
  fields: { directory: string('The directory; it has to exist.') },
  open: ({ directory }) => new FileCache(directory),
});
