import { posix } from 'node:path';
import { isTest, type SourceFile } from './repository.ts';
import { blankComments, importsOf } from './source-text.ts';

/** The file of every entry of a package, as in its package.json: `@weir/core`, `@weir/api/limits`. */
type PackageEntries = ReadonlyMap<string, string>;

const namedImport = /\bimport\s+(?:type\s+)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g;
const namedReexport = /^export (?:type )?\{([^}]*)\} from ['"]([^'"]+)['"]/gm;

/**
 * Returns the product files that the roots do not reach: only tests import them. A name that a file re-exports, such as
 * an `index.ts`, is reached only if a file that is reached imports that name.
 */
export function unreachedFiles(
  files: readonly SourceFile[],
  entries: PackageEntries,
  isRoot: (path: string) => boolean,
): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  /** Files of which something is used. */
  const reached = new Set<string>();
  /** Files that are used as a whole. */
  const work = files.map(({ path }) => path).filter(isRoot);
  const seen = new Set(work);

  const targetOf = (from: string, specifier: string) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : entries.get(specifier);
  /** `name` is absent for a file that is used as a whole. */
  const use = (path: string | undefined, name?: string): void => {
    const file = path === undefined || isTest(path) ? undefined : byPath.get(path);
    if (file === undefined) return;
    reached.add(file.path);
    const source = name === undefined ? undefined : reexportsOf(file).get(name);
    if (source !== undefined) use(targetOf(file.path, source.specifier), source.name);
    else if (!seen.has(file.path)) {
      seen.add(file.path);
      work.push(file.path);
    }
  };
  for (let path = work.pop(); path !== undefined; path = work.pop()) {
    const from = path;
    const { text } = byPath.get(from)!;
    reached.add(from);
    const named = new Set<string>();
    for (const [, list, specifier] of blankComments(text).matchAll(namedImport)) {
      named.add(specifier!);
      for (const { name } of namesIn(list!)) use(targetOf(from, specifier!), name);
    }
    for (const { specifier } of importsOf(text)) if (!named.has(specifier)) use(targetOf(from, specifier));
  }
  return files
    .map(({ path }) => path)
    .filter((path) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path) && !reached.has(path));
}

interface ReexportSource {
  readonly specifier: string;
  readonly name: string;
}

/** Where the names that a file passes on come from, by the name that it gives them. */
function reexportsOf({ text }: SourceFile): Map<string, ReexportSource> {
  const found = new Map<string, ReexportSource>();
  if (!text.includes('export {') && !text.includes('export type {')) return found;
  for (const [, list, specifier] of blankComments(text).matchAll(namedReexport))
    for (const { name, as } of namesIn(list!)) found.set(as, { specifier: specifier!, name });
  return found;
}

function namesIn(list: string): { readonly name: string; readonly as: string }[] {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^type /, ''))
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [name, as = name] = entry.split(/\s+as\s+/);
      return { name: name!, as: as! };
    });
}
