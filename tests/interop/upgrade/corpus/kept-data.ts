import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Shape, shapes } from './served-data.ts';

/**
 * Data that earlier releases wrote: archives whose names say the shape and the format of the journal. Each has the data
 * in a folder, beside what the release itself read from it.
 */
export const dataFolder = join(import.meta.dirname, 'data');
const extension = '.tar.gz';
const servedName = 'served';
const contentName = 'content.json';

interface KeptData {
  readonly name: string;
  readonly shape: Shape;
  readonly format: number;
}

export function nameOf(shape: Shape, format: number): string {
  return `${shape}-format-${format}`;
}

export function keptData(): KeptData[] {
  return readdirSync(dataFolder)
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => {
      const name = file.slice(0, -extension.length);
      const shape = shapes.find((one) => name.startsWith(`${one}-`));
      const format = Number(name.split('-').at(-1));
      if (shape === undefined || name !== nameOf(shape, format))
        throw new Error(`${file}: not a name of data`);
      return { name, shape, format };
    });
}

export const archiveOf = (name: string) => join(dataFolder, `${name}${extension}`);

/** The folder that is served, within one that is kept. */
export const servedFolder = (folder: string) => join(folder, servedName);

/** Packs the same files into the same bytes. */
export function pack(name: string, folder: string, content: object): void {
  writeFileSync(join(folder, contentName), JSON.stringify(content));
  const sameBytes = ['--sort=name', '--owner=0', '--group=0', '-I', 'gzip -9n'];
  execFileSync('tar', [
    ...['-c', ...sameBytes, '-f', archiveOf(name), '-C', folder, servedName, contentName],
  ]);
}

/** Unpacks data into an empty folder, and returns what was read from it. */
export function unpack({ name }: KeptData, folder: string): unknown {
  execFileSync('tar', ['-xzf', archiveOf(name), '-C', folder]);
  return JSON.parse(readFileSync(join(folder, contentName), 'utf8'));
}
