/** The chapter "Map" of DESIGN.md: packages, and folders of sources, by name. */
interface DesignMap {
  /** By package: the folders that its row or its chapter names; a chapter goes before the row. */
  readonly packages: ReadonlyMap<string, readonly string[]>;
  /** Names that occur twice. */
  readonly repeated: readonly string[];
  /** Folders beside the packages, such as `tests/house`. */
  readonly others: readonly string[];
}

export function designMap(page: string): DesignMap {
  const map = /^## Map\n([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  const [table = '', ...chapters] = map.split(/^### /m);
  const packages = new Map<string, string[]>();
  const repeated: string[] = [];
  for (const [, name, purpose] of table.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)) {
    if (packages.has(name!)) repeated.push(name!);
    packages.set(name!, foldersIn(purpose!));
  }
  let others: string[] = [];
  for (const chapter of chapters) {
    const title = chapter.slice(0, chapter.indexOf('\n'));
    const name = /^packages\/(\w+)\/src$/.exec(title)?.[1];
    // Names of folders stand before the colon of each line, and may follow a semicolon: `a/`: text; `b/`: text.
    const folders = [...chapter.matchAll(/(?<=^- |, |; )(?:`[\w/-]+\/`(?:, )?)+(?=: )/gm)].flatMap(
      ([names]) => foldersIn(names),
    );
    repeated.push(...folders.filter((folder, index) => folders.indexOf(folder) !== index));
    if (name === undefined) others = folders;
    else packages.set(name, folders);
  }
  return { packages, repeated, others };
}

/** `testing/` and `fuzz/` lie beside `src/`. */
function foldersIn(text: string): string[] {
  return [...text.matchAll(/`([\w/-]+)\/`/g)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'testing' && name !== 'fuzz');
}
