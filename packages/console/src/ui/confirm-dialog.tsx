import type { CallOf, OperationName } from '@weir/api/client';
import { type ReactNode, useState } from 'react';
import { visibleText } from '../format/visible-text.ts';
import { useFormAction } from './actions.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Failure } from './states.tsx';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The act as a question or a sentence: `Delete the key ingest`. */
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ReactNode;
  /** The button names the act: `Delete ingest`. */
  readonly button: string;
  /** For the worst: what has to be typed before the button works. */
  readonly nameToType?: string;
  readonly action: { readonly isPending: boolean; readonly error: unknown };
  readonly onConfirm: () => void;
}

/** Asks before an act that destroys something. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title, children, button, nameToType, action, onConfirm } = props;
  const [typed, setTyped] = useState('');
  const isReady = nameToType === undefined || typed === nameToType;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onConfirm();
        }}
      >
        <div className="flex flex-col gap-2 text-sm text-body">{children}</div>
        {nameToType !== undefined && (
          <ConfirmationField nameToType={nameToType} value={typed} onText={setTyped} />
        )}
        {action.error !== null && <Failure what={lowerFirst(button)} error={action.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={!isReady || action.isPending}>
            {visibleText(button)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ConfirmationFieldProps {
  readonly nameToType: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** What has to be typed before the worst. */
export function ConfirmationField({ nameToType, value, onText }: ConfirmationFieldProps) {
  return (
    <TextField
      label={`Type ${visibleText(nameToType)} to confirm`}
      name="confirmation"
      spellCheck={false}
      value={value}
      onText={onText}
    />
  );
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

interface DeletionDialogProps<Name extends OperationName> {
  readonly operation: Name;
  readonly input: CallOf<Name>;
  /** `key ingest`. */
  readonly what: string;
  readonly name: string;
  /** Whether the name has to be typed: something may depend on it. */
  readonly isInUse: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before something with a name is deleted, deletes it, and says so. */
export function DeletionDialog<Name extends OperationName>(props: DeletionDialogProps<Name>) {
  const { operation, input, what, name, isInUse, onClose, children } = props;
  const deletion = useFormAction(operation, onClose);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${what}?`}
      button={`Delete ${name}`}
      {...(isInUse ? { nameToType: name } : {})}
      action={deletion}
      onConfirm={() => deletion.run(input, `Deleted ${name}`)}
    >
      {children}
    </ConfirmDialog>
  );
}
