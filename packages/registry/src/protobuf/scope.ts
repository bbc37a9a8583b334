import type { EnumType, FieldType, LinkedFile, MessageType } from './types.ts';

/** What a name stands for. Of fields, oneofs, values, services and methods only the name matters. */
export type Meaning = MessageType | EnumType | FieldType | 'package' | 'service' | 'other';

/**
 * The names of all files of a schema as a tree: packages, messages, and what they contain. The tree of the built-in
 * files is made once; trees of schemas have it as their base. A schema may declare a name that a built-in file has, as
 * built-in files that clients register do: files that see both see its own.
 */
export class Scope {
  readonly parent: Scope | undefined;
  readonly fullName: string;
  /** Extensions are known by name before their types are. */
  meaning: Meaning;
  readonly file: LinkedFile | undefined;
  readonly #base: Scope | undefined;
  /** Most names contain none. */
  #children: Map<string, Scope> | undefined;

  constructor(
    parent: Scope | undefined,
    fullName: string,
    meaning: Meaning,
    file: LinkedFile | undefined,
    base?: Scope,
  ) {
    this.parent = parent;
    this.fullName = fullName;
    this.meaning = meaning;
    this.file = file;
    this.#base = base;
  }

  child(name: string): Scope | undefined {
    return this.#children?.get(name) ?? this.#base?.child(name);
  }

  /** What a name stands for in a file, if the file may use it. */
  childFor(name: string, file: LinkedFile): Scope | undefined {
    const own = this.#children?.get(name);
    return own?.isVisibleTo(file) === true ? own : this.#baseFor(name, file);
  }

  #baseFor(name: string, file: LinkedFile): Scope | undefined {
    const found = this.#base?.child(name);
    return found?.isVisibleTo(file) === true ? found : undefined;
  }

  nameOf(child: string): string {
    return this.fullName === '' ? child : `${this.fullName}.${child}`;
  }

  /** Adds a name, or returns what has it already. */
  add(name: string, meaning: Meaning, file: LinkedFile): { scope: Scope; taken: boolean } {
    const existing = this.#children?.get(name);
    if (existing !== undefined) {
      return { scope: existing, taken: !(meaning === 'package' && existing.meaning === 'package') };
    }
    const isPackage = meaning === 'package';
    const base = this.#base?.child(name);
    const packageBase = isPackage && base?.meaning === 'package' ? base : undefined;
    const scope = new Scope(this, this.nameOf(name), meaning, isPackage ? undefined : file, packageBase);
    this.#children ??= new Map();
    this.#children.set(name, scope);
    return { scope, taken: false };
  }

  /** Whether a file may use the name. */
  isVisibleTo(file: LinkedFile): boolean {
    return this.file === undefined ? file.visiblePackages.has(this.fullName) : file.visible.has(this.file);
  }

  /**
   * Resolves a name as protoc does: the innermost scope that has its first part decides. A first part that cannot
   * contain the second one is passed over, as is anything but a type if the name is a type and has one part.
   */
  resolve(name: string, file: LinkedFile, wanted: 'type' | 'extension'): Scope | undefined {
    const isAbsolute = name.startsWith('.');
    const parts = (isAbsolute ? name.slice(1) : name).split('.');
    let scope: Scope | undefined = this;
    if (isAbsolute) while (scope!.parent !== undefined) scope = scope!.parent;
    for (; scope !== undefined; scope = scope.parent) {
      const first = scope.childFor(parts[0]!, file);
      if (first === undefined) continue;
      if (parts.length === 1) {
        if (isWanted(first.meaning, wanted)) return first;
        continue;
      }
      if (!isContainer(first.meaning)) continue;
      let found: Scope | undefined = first;
      for (let at = 1; at < parts.length && found !== undefined; at += 1) {
        found = found.childFor(parts[at]!, file);
      }
      return found !== undefined && isWanted(found.meaning, wanted) ? found : undefined;
    }
    return undefined;
  }
}

const isWanted = (meaning: Meaning, wanted: 'type' | 'extension'): boolean => {
  if (typeof meaning === 'string') return false;
  return wanted === 'type' ? 'kind' in meaning : !('kind' in meaning);
};

const isContainer = (meaning: Meaning): boolean =>
  meaning === 'package' || meaning === 'service' || (typeof meaning === 'object' && 'kind' in meaning);
