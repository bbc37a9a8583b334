/** Keys of a shortcut: `mod+k`, `?`, or `g t` for one after the other. `mod` is ⌘ or Ctrl. */
export type Keys = string;

interface KeyPress {
  readonly key: string;
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
}

/** The name of a key that was pressed; keys with Alt are left to the system. */
export function nameOfPress({ key, metaKey, ctrlKey, altKey }: KeyPress): Keys | undefined {
  if (altKey || key === '') return undefined;
  const name = key.length === 1 ? key.toLowerCase() : key;
  return metaKey || ctrlKey ? `mod+${name}` : name;
}

/** The second key of two comes within this time. */
const sequenceMs = 1_000;

export interface LastPress {
  readonly name: Keys;
  readonly atMs: number;
}

/** Returns those that fit what was pressed: two keys win over one. */
export function shortcutFor<Shortcut extends { readonly keys: Keys }>(
  shortcuts: readonly Shortcut[],
  press: LastPress,
  last: LastPress | undefined,
): Shortcut | undefined {
  const isSequence = last !== undefined && press.atMs - last.atMs <= sequenceMs;
  const two = isSequence ? `${last.name} ${press.name}` : undefined;
  // What was added last is that of the page or of the dialog on top.
  return (
    shortcuts.findLast(({ keys }) => keys === two) ?? shortcuts.findLast(({ keys }) => keys === press.name)
  );
}

/** The keys as a person reads them: `⌘K` on a Mac and `Ctrl K` elsewhere; `G` and `T` one after the other. */
export function keyCaps(keys: Keys, isMac: boolean): readonly string[] {
  return keys.split(' ').map((part) =>
    part
      .split('+')
      .map((key) =>
        key === 'mod'
          ? isMac
            ? '⌘'
            : 'Ctrl '
          : key === 'Enter'
            ? '↵'
            : key.length === 1
              ? key.toUpperCase()
              : key,
      )
      .join(''),
  );
}

/** Whether the keyboard has ⌘: by the platform that a browser names. */
export function isMacPlatform(platform: string): boolean {
  return /mac|iphone|ipad|ipod/i.test(platform);
}
