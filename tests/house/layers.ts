import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type Layer, testOnlyPackages } from './layer-rule.ts';
import { isTest, type SourceFile } from './repository.ts';
import { importsOf } from './source-text.ts';

interface LayerContext {
  readonly layers: Readonly<Record<string, Layer>>;
  /** Dependencies that each package declares. */
  readonly dependencies: Readonly<Record<string, readonly string[]>>;
  /** Development dependencies that each package declares. */
  readonly devDependencies?: Readonly<Record<string, readonly string[]>>;
}

/** Returns one line per import that the rule forbids. */
export function forbiddenImports(
  file: SourceFile,
  { layers, dependencies, devDependencies = {} }: LayerContext,
): string[] {
  const room = /^packages\/([^/]+)\//.exec(file.path)?.[1];
  if (room === undefined) return [];
  const layer = layers[room];
  if (layer === undefined) return [`${file.path}: the package ${room} has no row in the layer rule`];

  const problems: string[] = [];
  for (const { specifier, line } of importsOf(file.text)) {
    const problem = problemWith(specifier);
    if (problem !== undefined) problems.push(`${file.path}:${line}: ${problem}`);
  }
  return problems;

  function problemWith(specifier: string): string | undefined {
    if (specifier.startsWith('.')) {
      const target = posix.join(posix.dirname(file.path), specifier);
      if (!target.startsWith(`packages/${room}/`))
        return `${specifier} leaves the package; import it by its name`;
      if (!isTest(file.path) && isTest(target)) return `${specifier} belongs to the tests`;
      return undefined;
    }
    if (isBuiltin(specifier)) {
      const builtin = specifier.replace(/^node:/, '');
      if (isTest(file.path) || layer!.builtins === 'any' || layer!.builtins.includes(builtin))
        return undefined;
      return `${room} may not import ${specifier}`;
    }
    const ours = /^@weir\/([^/]+)/.exec(specifier)?.[1];
    if (ours !== undefined) {
      const allowed = isTest(file.path)
        ? [...layer!.mayImport, ...(layer!.testsMayImport ?? [])]
        : layer!.mayImport;
      if (!allowed.includes(ours)) return `${room} may not import ${ours}`;
      return declared(`@weir/${ours}`) ? undefined : `@weir/${ours} is not among its dependencies`;
    }
    const foreign = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    if (testOnlyPackages.includes(foreign)) {
      return isTest(file.path) ? undefined : `${foreign} is for tests only`;
    }
    return declared(foreign) ? undefined : `${foreign} is not among the dependencies of ${room}`;
  }

  function declared(name: string): boolean {
    if (dependencies[room!]?.includes(name)) return true;
    return isTest(file.path) && (devDependencies[room!]?.includes(name) ?? false);
  }
}
