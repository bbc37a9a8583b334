import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { XIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { visibleText } from '../format/visible-text.ts';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** At the side and as high as the page, for forms with several steps. */
  readonly isSheet?: boolean;
}

export function Dialog({ isOpen, onClose, title, description, children, isSheet = false }: DialogProps) {
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/30 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Popup
          data-modal=""
          className={classNames(
            'fixed z-40 flex flex-col border-line bg-raised shadow-popover transition duration-150',
            'data-ending-style:opacity-0 data-starting-style:opacity-0',
            isSheet
              ? 'top-0 right-0 bottom-[var(--toasts,0px)] w-[min(44rem,100vw)] border-l'
              : 'top-[12vh] left-1/2 max-h-[min(76vh,calc(88vh-var(--toasts,0px)))] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 rounded-md border',
          )}
        >
          <header className="flex items-start gap-2 border-b border-line py-3 pr-2 pl-4">
            <div className="min-w-0 flex-1">
              <BaseDialog.Title className="text-lg font-semibold break-words text-ink">
                {visibleText(title)}
              </BaseDialog.Title>
              {description !== undefined && (
                <BaseDialog.Description className="text-sm text-muted">{description}</BaseDialog.Description>
              )}
            </div>
            <BaseDialog.Close render={<IconButton icon={XIcon} label="Close" />} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
