import { registryLimits } from '../limits.ts';
import { InvalidSchema, type SchemaSource } from '../schema-format.ts';
import { builtinFiles } from './builtin-files.ts';
import { addCustomOptions, base64Descriptor, nodeOfDescriptor } from './descriptor-reader.ts';
import { interpretOptions } from './interpret-options.ts';
import { Linker } from './link-file.ts';
import { parseFile } from './parse-file.ts';
import type { FileNode } from './syntax-tree.ts';
import { invalidAt, quoted } from './tokens.ts';
import type { ExtensionTable, LinkedFile } from './types.ts';

/** The reference that a file was found by. */
interface ImportOrigin {
  readonly subject: string;
  readonly version: number;
}

/** A schema with all files that it imports. */
export interface LoadedSchema {
  readonly file: LinkedFile;
  readonly extensions: ExtensionTable;
  /** Files that direct references of the schema stand for. */
  readonly origins: ReadonlyMap<LinkedFile, ImportOrigin>;
}

/** Parses a schema and what it imports, resolves all names, and checks it. Throws `InvalidSchema`. */
export const loadSchema = (source: SchemaSource): LoadedSchema => {
  const loader = new Loader(source);
  const file = loader.link('', source.text);
  return { file, extensions: loader.linker.extensions, origins: loader.origins };
};

interface FoundReference {
  readonly text: string;
  readonly origin: ImportOrigin | undefined;
}

class Loader {
  readonly linker = new Linker(builtinFiles().linker);
  readonly origins = new Map<LinkedFile, ImportOrigin>();
  readonly #references: ReadonlyMap<string, FoundReference>;
  readonly #files = new Map<string, LinkedFile>();
  /** Files whose imports are being linked, to find cycles. */
  readonly #open = new Set<string>();
  #chars = 0;

  constructor(source: SchemaSource) {
    this.#references = collectReferences(source);
  }

  link(path: string, text: string): LinkedFile {
    const node = this.#parse(path, text);
    const imports = new Map<string, LinkedFile | undefined>();
    for (const imported of node.imports) {
      const isTwice = imports.has(imported.path);
      const file = isTwice ? `${quoted(imported.path)} is imported twice` : this.#import(imported.path);
      if (typeof file === 'string') {
        const error = invalidAt(node.text, imported.at, file);
        if (path !== '') error.message = `${path}:${error.message}`;
        throw error;
      }
      imports.set(imported.path, file);
    }
    const file = this.linker.link(path, node, [...imports.values()]);
    for (const optionsAt of this.linker.takeOptions()) {
      const type = builtinFiles().descriptorMessage(optionsAt.optionsType);
      addCustomOptions(optionsAt, type, this.linker.extensions);
      interpretOptions(optionsAt, type);
    }
    return file;
  }

  /** Returns the file of an import, nothing if there is none, or why it is refused. */
  #import(path: string): LinkedFile | string | undefined {
    const builtin = builtinFiles().files.get(path);
    if (builtin !== undefined) {
      this.#include(builtin);
      return builtin;
    }
    const linked = this.#files.get(path);
    if (linked !== undefined) return linked;
    const found = this.#references.get(path);
    if (found === undefined) return undefined;
    if (this.#open.has(path)) return `import ${quoted(path)} imports itself through other files`;
    if (this.#files.size + this.#open.size >= registryLimits.protobufFilesMax) {
      return `there are more than ${registryLimits.protobufFilesMax} imported files`;
    }
    this.#open.add(path);
    const file = this.link(path, found.text);
    this.#open.delete(path);
    this.#files.set(path, file);
    if (found.origin !== undefined) this.origins.set(file, found.origin);
    return file;
  }

  #include(builtin: LinkedFile): void {
    if (this.#files.has(builtin.path)) return;
    this.#files.set(builtin.path, builtin);
    this.linker.include(builtin);
    for (const imported of builtin.imports) this.#include(imported);
  }

  #parse(path: string, text: string): FileNode {
    this.#chars += path === '' ? 0 : text.length;
    if (text.length > registryLimits.protobufTextCharsMax) {
      throw new InvalidSchema(`a schema is longer than ${registryLimits.protobufTextCharsMax} characters`);
    }
    if (this.#chars > registryLimits.protobufImportedCharsMax) {
      throw new InvalidSchema(
        `imported schemas are longer than ${registryLimits.protobufImportedCharsMax} characters together`,
      );
    }
    try {
      const descriptor = base64Descriptor(text);
      return descriptor === undefined ? parseFile(text) : nodeOfDescriptor(descriptor);
    } catch (error) {
      if (error instanceof InvalidSchema && path !== '') error.message = `${path}:${error.message}`;
      throw error;
    }
  }
}

/**
 * All references by name, level by level, so that those of the schema itself come first. Every schema is visited once,
 * however many references lead to it.
 */
const collectReferences = (source: SchemaSource): ReadonlyMap<string, FoundReference> => {
  const found = new Map<string, FoundReference>();
  const visited = new Set<SchemaSource>([source]);
  let level: readonly SchemaSource[] = [source];
  let count = 0;
  while (level.length > 0) {
    const next: SchemaSource[] = [];
    for (const parent of level) {
      for (const { name, subject, version, source: child } of parent.references) {
        count += 1;
        if (count > registryLimits.protobufReferencesMax) {
          throw new InvalidSchema(`there are more than ${registryLimits.protobufReferencesMax} references`);
        }
        if (!found.has(name)) {
          const origin = parent === source ? { subject, version } : undefined;
          found.set(name, { text: child.text, origin });
        }
        if (!visited.has(child)) {
          visited.add(child);
          next.push(child);
        }
      }
    }
    level = next;
  }
  return found;
};
