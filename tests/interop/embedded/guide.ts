import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(import.meta.dirname, '../../../docs/guides/testing.md'), 'utf8');

/** A block of the page whose first line is a comment with the name of a file. */
const namedBlock = /^```\w+\n(?:\/\/|#) (\S+)\n([\s\S]*?)^```$/gm;

type Runner = 'JavaScript' | 'Python' | 'Go' | 'Java';

/** Which runner gets a file of the guide, by how its name ends. */
const runnerOf: Readonly<Record<string, Runner>> = {
  js: 'JavaScript',
  cjs: 'JavaScript',
  py: 'Python',
  go: 'Go',
  java: 'Java',
};

/** Writes the files of the guide for a runner into a folder, as a reader would, and returns their names. */
export function writeFromGuide(folder: string, runner: Runner): string[] {
  const blocks = [...page.matchAll(namedBlock)].filter(
    ([, name]) => runnerOf[name!.slice(name!.lastIndexOf('.') + 1)] === runner,
  );
  for (const [, name, text] of blocks) writeFileSync(join(folder, name!), text!);
  return blocks.map(([, name]) => name!);
}

/** How many blocks of code the guide has that are no commands of a shell: all of them have names. */
export function unnamedBlocks(): string[] {
  const all = [...page.matchAll(/^```(?!sh$)\w+\n(.*)$/gm)];
  return all.map(([, first]) => first!).filter((first) => !/^(?:\/\/|#) \S+\.(\w+)$/.test(first));
}
