import { Toast } from '@base-ui/react/toast';
import { XIcon } from '@primer/octicons-react';
import { useCallback } from 'react';
import { visibleText } from '../format/visible-text.ts';
import { Button, IconButton } from './button.tsx';
import { Status, type StatusKind } from './status.tsx';

const manager = Toast.createToastManager();

const shownMs = 4_000;
/** Further toasts hide the oldest, whose buttons then do nothing. */
const shownMax = 6;
const marginPx = 16;
/** Long enough to read what happened and to change one's mind. */
const actionShownMs = 15_000;

/** Shows one line at the edge of the page. A failure stays until it is read. */
export function say(text: string, kind: StatusKind = 'ok', action?: ToastAction): void {
  const timeout = kind === 'fail' ? 0 : action === undefined ? shownMs : actionShownMs;
  manager.add({
    title: visibleText(text),
    type: kind,
    timeout,
    ...(action === undefined ? {} : { data: action }),
  });
}

/** What can be done about what was said: `Undo`. */
export interface ToastAction {
  readonly label: string;
  readonly onSelect: () => void;
}

/** Says what was done, with a button that undoes it. */
export function sayWithUndo(text: string, undo: () => void): void {
  say(text, 'ok', { label: 'Undo', onSelect: undo });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={shownMax}>
      <Toast.Portal>
        <Toast.Viewport
          ref={useHeightOfToasts()}
          className="fixed right-4 bottom-[calc(1rem+var(--tray,0px))] z-50 flex max-h-[40vh] w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 overflow-y-auto"
        >
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/** Lets pages, dialogs and sheets end above the toasts: nothing that can be pressed lies behind them. */
function useHeightOfToasts() {
  return useCallback((viewport: HTMLElement | null) => {
    if (viewport === null) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => {
      const heightPx = viewport.offsetHeight;
      if (heightPx === 0) style.removeProperty('--toasts');
      else style.setProperty('--toasts', `${heightPx + 2 * marginPx}px`);
    });
    observer.observe(viewport);
    return () => observer.disconnect();
  }, []);
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      data-toast=""
      className="flex items-center gap-2 shrink-0 rounded-md border border-line bg-raised py-1 pr-1 pl-3 shadow-popover data-limited:hidden transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0"
    >
      <Toast.Title className="min-w-0 flex-1 text-sm break-words text-ink">
        <Status kind={(toast.type as StatusKind | undefined) ?? 'ok'} wraps>
          <span className="text-ink">{toast.title}</span>
        </Status>
      </Toast.Title>
      {toast.data !== undefined && (
        <Button
          onClick={() => {
            (toast.data as ToastAction).onSelect();
            manager.close(toast.id);
          }}
        >
          {(toast.data as ToastAction).label}
        </Button>
      )}
      <Toast.Close render={<IconButton icon={XIcon} label="Close" />} />
    </Toast.Root>
  ));
}
