import { posix } from 'node:path';
import { isTest, readJson, type SourceFile } from './repository.ts';
import { importsOf } from './source-text.ts';

/** Walks through the code on a page: numbered lists of files, in chapters and parts. */
interface Walk {
  readonly title: string;
  /** The files of each part, as paths in the repository. */
  readonly parts: readonly (readonly string[])[];
  /** Numbers of the items, which should count from 1. */
  readonly numbers: readonly number[];
}

/** `**Name.**` begins a part, `1. [text](file)` is an item. */
export function walksOf({ path, text }: SourceFile): Walk[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((chapter) => {
      const parts: string[][] = [];
      const numbers: number[] = [];
      for (const line of chapter.split('\n')) {
        if (/^\*\*[^*]+\.\*\*/.test(line)) parts.push([]);
        const item = /^(\d+)\. \[[^\]]+\]\(([^)]+)\) \S/.exec(line);
        if (item === null) continue;
        numbers.push(Number(item[1]));
        parts.at(-1)?.push(posix.join(posix.dirname(path), item[2]!));
      }
      return { title: chapter.slice(0, chapter.indexOf('\n')), parts, numbers };
    });
}

/** Imports between product files of all packages, by path. */
type Imports = ReadonlyMap<string, readonly string[]>;

export function importsBetweenPackages(files: readonly SourceFile[]): Imports {
  const product = files.filter(({ path }) => path.startsWith('packages/') && !isTest(path));
  const paths = new Set(product.map(({ path }) => path));
  const entries = entriesOfPackages(files);
  return new Map(
    product.map(({ path, text }) => {
      const targets = importsOf(text).map(({ specifier }) =>
        specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : entries.get(specifier),
      );
      return [path, targets.filter((target) => target !== undefined && paths.has(target)) as string[]];
    }),
  );
}

/** The files behind `@weir/rpc`, `@weir/api/client` and the like. */
function entriesOfPackages(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const folders = new Set(files.flatMap(({ path }) => /^packages\/[^/]+/.exec(path)?.[0] ?? []));
  return new Map(
    [...folders].flatMap((folder) => {
      const { name, exports = {} } = readJson(`${folder}/package.json`) as {
        name: string;
        exports?: Record<string, string>;
      };
      return Object.entries(exports).map(([entry, file]) => [
        posix.join(name, entry),
        posix.join(folder, file),
      ]);
    }),
  );
}

/** Returns the files that can be reached by imports, those that are given included. */
function reachedFrom(starts: readonly string[], imports: Imports): ReadonlySet<string> {
  const reached = new Set(starts);
  for (const path of reached) for (const target of imports.get(path) ?? []) reached.add(target);
  return reached;
}

/**
 * Returns one problem per file that does not exist, or that none of the files before it in its part imports, directly
 * or indirectly. The first file of a part is composed with the part before it, and is reached from the start of a
 * program.
 */
export function walkProblems({ title, parts }: Walk, starts: readonly string[], imports: Imports): string[] {
  const fromStart = reachedFrom(starts, imports);
  return parts.flatMap((files) =>
    files.flatMap((path, index) => {
      if (!imports.has(path)) return [`${title}: ${path} does not exist`];
      const isReached =
        index === 0 ? fromStart.has(path) : reachedFrom(files.slice(0, index), imports).has(path);
      return isReached ? [] : [`${title}: ${path} is imported by none of the files before it`];
    }),
  );
}
