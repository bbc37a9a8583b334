import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';

interface SettingRowProps {
  readonly name: string;
  /** What it is for, in one sentence. */
  readonly help?: ReactNode;
  /** The button that changes it. */
  readonly button?: string;
  readonly buttonKind?: 'plain' | 'danger';
  readonly isDisabled?: boolean;
  readonly onChange?: () => void;
  /** Instead of a button. */
  readonly action?: ReactNode;
  /** Its value. */
  readonly children: ReactNode;
}

/** One setting: its name, its value, and at the right how to change it. Rows are inside of a `dl`. */
export function SettingRow({ name, help, button, action, children, ...props }: SettingRowProps) {
  const { buttonKind = 'plain', isDisabled = false, onChange } = props;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-4 py-2.5 md:grid-cols-[12rem_minmax(0,1fr)_auto]">
      <dt className="col-span-2 text-sm text-muted md:col-span-1 md:pt-1.5">{name}</dt>
      <dd className="min-w-0 self-center text-sm break-words text-ink">
        <div>{children}</div>
        {help !== undefined && <p className="text-xs text-muted">{help}</p>}
      </dd>
      <dd className="flex min-h-8 items-center justify-end gap-2">
        {action}
        {button !== undefined && (
          <Button kind={buttonKind} disabled={isDisabled} onClick={onChange}>
            {button}
          </Button>
        )}
      </dd>
    </div>
  );
}
