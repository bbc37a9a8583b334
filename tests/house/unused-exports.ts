import type { SourceFile } from './repository.ts';
import { blankComments } from './source-text.ts';

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;
const exportList = /^export (?:type )?\{([^}]*)\}(?: from ['"][^'"]+['"])?/gm;

/** Returns the names that a file exports, as other files see them. */
export function exportedNames(text: string): string[] {
  const source = blankComments(text);
  const declared = [...source.matchAll(declaration)].map((match) => match[1]!);
  const listed = [...source.matchAll(exportList)].flatMap((match) =>
    match[1]!
      .split(',')
      .map((entry) => entry.trim().replace(/^type /, ''))
      .filter((entry) => entry !== '')
      .map((entry) => entry.split(/\s+as\s+/).at(-1)!),
  );
  return [...declared, ...listed];
}

/**
 * Returns `file: name` of every export that no other file uses. Exports of a package's `index.ts` must be used outside
 * the package. Matches by word, without a syntax tree: an unused export that shares its name with something else is
 * missed, and there are no false reports.
 */
export function unusedExports(files: readonly SourceFile[]): string[] {
  const pathsByWord = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const word of new Set(blankComments(text).match(/[\w$]+/g))) {
      const paths = pathsByWord.get(word);
      if (paths === undefined) pathsByWord.set(word, [path]);
      else paths.push(path);
    }
  }
  return files.flatMap(({ path, text }) => {
    const packageFolder = indexOfPackage.exec(path)?.[1];
    const isUser = (other: string) =>
      packageFolder === undefined ? other !== path : !other.startsWith(packageFolder);
    return exportedNames(text)
      .filter((name) => !pathsByWord.get(name)!.some(isUser))
      .map((name) => `${path}: ${name}`);
  });
}

const indexOfPackage = /^(packages\/[^/]+\/)src\/index\.ts$/;
