import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isSheet?: boolean;
  readonly children: ReactNode;
}

/** What a form has made, with a secret that is not shown again. */
export function ShownOnce({ title, onClose, isSheet = false, children }: ShownOnceProps) {
  return (
    <Dialog isOpen onClose={onClose} title={title} isSheet={isSheet}>
      <div className="flex flex-col gap-4">
        {children}
        <div className="flex justify-end">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
