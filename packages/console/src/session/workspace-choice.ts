import type { OutputOf } from '@weir/api/client';
import { useSyncExternalStore } from 'react';

/** The workspace whose clusters are shown. The browser remembers it: it is about a person and not about a page. */
const storageKey = 'weir.workspace';
const changes = new EventTarget();

export function chooseWorkspace(workspaceId: string | undefined): void {
  if (workspaceId === undefined) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, workspaceId);
  changes.dispatchEvent(new Event('change'));
}

const subscribe = (onChange: () => void) => {
  changes.addEventListener('change', onChange);
  window.addEventListener('storage', onChange);
  return () => {
    changes.removeEventListener('change', onChange);
    window.removeEventListener('storage', onChange);
  };
};

type Context = OutputOf<'get_context'>;

/** The chosen workspace, or `undefined` for all. One that is gone counts as none. */
export function useWorkspace(context: Context | undefined): Context['workspaces'][number] | undefined {
  const chosen = useSyncExternalStore(subscribe, () => localStorage.getItem(storageKey));
  return context?.workspaces.find(({ id }) => id === chosen);
}

/** The clusters of the chosen workspace, or of all. */
export function useClusters(
  context: Context | undefined,
): readonly Context['workspaces'][number]['virtual_clusters'][number][] {
  const workspace = useWorkspace(context);
  const shown = workspace === undefined ? (context?.workspaces ?? []) : [workspace];
  return shown.flatMap(({ virtual_clusters }) => virtual_clusters);
}
