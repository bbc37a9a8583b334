import { useShortcut } from '../../ui/shortcuts.ts';
import type { Explorer } from './state/use-explorer.ts';

const group = 'On this page';

/** What the keyboard does on the page. Enter opens the row that has the focus. */
export function useExplorerKeys(explorer: Explorer): void {
  useShortcut({ keys: 'mod+Enter', label: 'Run search', group }, () => explorer.search());
  useShortcut({ keys: 'j', label: 'Next event', group }, () => focusRow(1));
  useShortcut({ keys: 'k', label: 'Previous event', group }, () => focusRow(-1));
  useShortcut({ keys: 'u', label: 'Previous search', group }, explorer.undo);
  useShortcut({ keys: 'l', label: 'Toggle live', group }, explorer.toggleLive);
  useShortcut({ keys: 'x', label: 'Close comparison', group }, () => explorer.show({ compare: '' }));
  useShortcut({ keys: 's', label: 'Stop search', group }, explorer.stop);
}

function focusRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-event-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  rows[next]?.focus();
}
