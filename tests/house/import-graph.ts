import { posix } from 'node:path';
import { isTest, type SourceFile } from './repository.ts';
import { importsOf } from './source-text.ts';

/** Imports between product files, by path. Type imports count, because readers follow them too. */
type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

export function importGraph(files: readonly SourceFile[]): ImportGraph {
  const product = files.filter(({ path }) => path.startsWith('packages/') && !isTest(path));
  const paths = new Set(product.map(({ path }) => path));
  return new Map(
    product.map(({ path, text }) => {
      const targets = importsOf(text)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier))
        .filter((target) => paths.has(target));
      return [path, new Set(targets)];
    }),
  );
}

/** Returns groups of files that import each other, directly or indirectly; a single file is not a group. */
export function importCycles(graph: ImportGraph): string[][] {
  // Tarjan's algorithm with an explicit stack, because import chains are long.
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  for (const root of graph.keys()) {
    if (order.has(root)) continue;
    const work = [enter(root)];
    while (work.length > 0) {
      const { path, targets } = work.at(-1)!;
      const target = targets.next().value;
      if (target === undefined) {
        work.pop();
        const parent = work.at(-1)?.path;
        if (parent !== undefined) low.set(parent, Math.min(low.get(parent)!, low.get(path)!));
        if (low.get(path) === order.get(path)) leave(path);
      } else if (!order.has(target)) work.push(enter(target));
      else if (onStack.has(target)) low.set(path, Math.min(low.get(path)!, order.get(target)!));
    }
  }
  return cycles.sort();

  function enter(path: string) {
    order.set(path, order.size);
    low.set(path, order.get(path)!);
    stack.push(path);
    onStack.add(path);
    return { path, targets: graph.get(path)!.values() };
  }

  function leave(path: string): void {
    const group = stack.splice(stack.indexOf(path));
    for (const one of group) onStack.delete(one);
    if (group.length > 1 || graph.get(path)!.has(path)) cycles.push(group.sort());
  }
}

/**
 * Returns groups of sibling folders, at any depth, that import each other directly or around corners, each with one
 * import per pair. Files directly in the parent compose the folders and belong to none.
 */
export function folderCycles(graph: ImportGraph): string[] {
  const imports = new Map<string, string>();
  const siblings = new Map<string, Set<string>>();
  for (const [path, targets] of graph) {
    for (const target of targets) {
      const [from, to] = siblingFolders(path, target) ?? [];
      if (from === undefined || to === undefined) continue;
      imports.set(`${from} ${to}`, `${path} imports ${target}`);
      siblings.set(from, (siblings.get(from) ?? new Set()).add(to));
      if (!siblings.has(to)) siblings.set(to, new Set());
    }
  }
  return importCycles(siblings).map((group) => {
    const inside = group.flatMap((from) => group.map((to) => imports.get(`${from} ${to}`)));
    return `${group.join(', ')}: ${inside.filter((line) => line !== undefined).join('; ')}`;
  });
}

/** Returns the two folders at which the paths part; `undefined` if one of the files stands where they part. */
function siblingFolders(path: string, target: string): [from: string, to: string] | undefined {
  const [from, to] = [path.split('/'), target.split('/')];
  const depth = from.findIndex((name, at) => name !== to[at]);
  if (depth < 0 || depth >= from.length - 1 || depth >= to.length - 1) return undefined;
  return [from.slice(0, depth + 1).join('/'), to.slice(0, depth + 1).join('/')];
}
