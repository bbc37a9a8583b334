import { useEffect, useRef, useSyncExternalStore } from 'react';
import {
  isMacPlatform,
  type Keys,
  keyCaps,
  type LastPress,
  nameOfPress,
  shortcutFor,
} from './shortcut-keys.ts';

/** The one registry of keyboard shortcuts. Pages add theirs while they are shown, and `?` lists all. */

const groups = ['Everywhere', 'Go to', 'On this page'] as const;

export interface Shortcut {
  readonly keys: Keys;
  /** What it does: `Search for everything`. */
  readonly label: string;
  readonly group: (typeof groups)[number];
}

interface Registered extends Shortcut {
  run(): void;
}

let registered: readonly Registered[] = [];
let last: LastPress | undefined;
const changes = new EventTarget();

function replace(next: readonly Registered[]): void {
  registered = next;
  changes.dispatchEvent(new Event('change'));
}

/** Adds a shortcut while the component is shown. */
export function useShortcut({ keys, label, group }: Shortcut, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const entry: Registered = { keys, label, group, run: () => latest.current() };
    replace([...registered, entry]);
    return () => replace(registered.filter((other) => other !== entry));
  }, [keys, label, group]);
}

/** Listens to keys; once, at the frame of all pages. */
export function useShortcutKeys(): void {
  useEffect(() => {
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

function onKey(event: KeyboardEvent): void {
  const name = nameOfPress(event);
  // What an editor has handled is done.
  if (name === undefined || event.defaultPrevented) return;
  // A key of text belongs to the field or to the dialog that is open.
  const isText = !name.startsWith('mod+');
  if (isText && (isTyping(event) || document.querySelector(openDialog) !== null)) return;
  const press = { name, atMs: event.timeStamp };
  const found = shortcutFor(registered, press, last);
  last = found === undefined ? press : undefined;
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}

/** A line at the edge of the page has the same role, and keeps no key from the page. */
const openDialog = '[role="dialog"]:not([data-toast])';

function isTyping(event: KeyboardEvent): boolean {
  // Editors are in a shadow root, where the target of the event is their host.
  const [target] = event.composedPath();
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

const subscribe = (onChange: () => void) => {
  changes.addEventListener('change', onChange);
  return () => changes.removeEventListener('change', onChange);
};

/** The shortcuts that work now, by group. */
export function useShortcutsByGroup(): readonly (readonly [group: string, shortcuts: readonly Shortcut[]])[] {
  const all = useSyncExternalStore(subscribe, () => registered);
  return groups.map((group) => [group, all.filter((shortcut) => shortcut.group === group)] as const);
}

/** The keys as this keyboard has them. */
export function shownKeys(keys: Keys): readonly string[] {
  const { userAgentData, platform } = navigator as Navigator & {
    readonly userAgentData?: { readonly platform?: string };
  };
  return keyCaps(keys, isMacPlatform(userAgentData?.platform ?? platform));
}
