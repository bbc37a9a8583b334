import { type ReactNode, useState } from 'react';
import { cutText, visibleText } from '../../format/visible-text.ts';
import { ConfirmationField } from '../../ui/confirm-dialog.tsx';
import { FormDialog } from '../../ui/form.tsx';

export interface SettingChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

interface ReviewChangesProps {
  readonly title: string;
  /** As a failure says it: `change the configuration`. */
  readonly what: string;
  readonly changes: readonly SettingChange[];
  readonly action: { readonly isPending: boolean; readonly error: unknown };
  readonly onApply: () => void;
  readonly onClose: () => void;
  /** What was found out about the changes before they are made. */
  readonly children?: ReactNode;
  /** For changes that destroy something: what has to be typed before they are made. */
  readonly nameToType?: string | undefined;
}

const shown = (text: string) => cutText(visibleText(text), 200);

/** Shows all that would change and nothing else, and then applies it. */
export function ReviewChanges(props: ReviewChangesProps) {
  const { title, what, changes, action, onApply, onClose, children, nameToType } = props;
  const [typed, setTyped] = useState('');
  const isReady = nameToType === undefined || typed === nameToType;
  return (
    <FormDialog
      title={title}
      what={what}
      button="Apply"
      kind={nameToType === undefined ? 'primary' : 'danger'}
      action={{ isPending: action.isPending || !isReady, error: action.error }}
      onClose={onClose}
      onSubmit={onApply}
    >
      <ul aria-label="Changes" className="flex flex-col gap-2">
        {changes.map(({ name, before, after }) => (
          <li key={name} className="rounded-md border border-line p-2 font-mono text-xs break-all">
            <p className="text-ink">{name}</p>
            <p className="text-fail">
              − <bdi>{shown(before)}</bdi>
            </p>
            <p className="text-ok">
              + <bdi>{shown(after)}</bdi>
            </p>
          </li>
        ))}
      </ul>
      {children}
      {nameToType !== undefined && (
        <ConfirmationField nameToType={nameToType} value={typed} onText={setTyped} />
      )}
    </FormDialog>
  );
}
