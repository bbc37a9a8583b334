import { readdirSync, readFileSync } from 'node:fs';
import { interpretOptions } from './interpret-options.ts';
import { Linker } from './link-file.ts';
import { parseFile } from './parse-file.ts';
import type { LinkedFile, MessageType } from './types.ts';

const descriptorPath = 'google/protobuf/descriptor.proto';
const folder = new URL('../../proto/', import.meta.url);

/** Returns the texts of the files that schemas may import without a reference, by their paths. */
export const readBuiltinTexts = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.proto'))
      .sort()
      .map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]),
  );

interface BuiltinFiles {
  readonly linker: Linker;
  readonly files: ReadonlyMap<string, LinkedFile>;
  /** A message of descriptor.proto. */
  descriptorMessage(name: string): MessageType;
}

let builtins: BuiltinFiles | undefined;

/** The built-in files, read and linked when they are needed first. */
export const builtinFiles = (): BuiltinFiles => {
  builtins ??= linkBuiltins();
  return builtins;
};

const linkBuiltins = (): BuiltinFiles => {
  const texts = readBuiltinTexts();
  const linker = new Linker();
  const files = new Map<string, LinkedFile>();
  const add = (path: string): LinkedFile => {
    const linked = files.get(path);
    if (linked !== undefined) return linked;
    const node = parseFile(texts.get(path)!);
    const file = linker.link(
      path,
      node,
      node.imports.map((imported) => add(imported.path)),
    );
    files.set(path, file);
    return file;
  };
  for (const path of texts.keys()) add(path);
  const messages = new Map(files.get(descriptorPath)!.messages.map((type) => [type.node.name, type]));
  const descriptorMessage = (name: string) => messages.get(name)!;
  for (const optionsAt of linker.takeOptions()) {
    interpretOptions(optionsAt, descriptorMessage(optionsAt.optionsType));
  }
  return { linker, files, descriptorMessage };
};
