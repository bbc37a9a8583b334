import type { ComponentProps, FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './states.tsx';

interface FormProps {
  /** What it does, as a failure says it, if that is not what the button says: `Create key` is `create the key`. */
  readonly what?: string | undefined;
  readonly button: string;
  /** `danger` for an act that destroys something. */
  readonly kind?: 'primary' | 'danger';
  readonly action: { readonly isPending: boolean; readonly error: unknown };
  readonly onSubmit: (fields: FormData) => void;
  readonly onCancel?: () => void;
  readonly children: ReactNode;
}

/** Fields, what went wrong, and the button. A failure changes nothing that was typed. */
export function Form(props: FormProps) {
  const { button, what = whatOf(button), kind = 'primary', action, onSubmit, onCancel, children } = props;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        if (!action.isPending) onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
      {action.error !== null && <Failure what={what} error={action.error} />}
      <div className="flex justify-end gap-2">
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind={kind} type="submit" disabled={action.isPending}>
          {button}
        </Button>
      </div>
    </form>
  );
}

type DialogProps = Omit<ComponentProps<typeof Dialog>, 'isOpen' | 'children'>;

interface FormDialogProps extends DialogProps, Omit<ComponentProps<typeof Form>, 'button' | 'onCancel'> {
  /** Absent if it says the same as the title. */
  readonly button?: string;
  readonly isOpen?: boolean;
}

/** A dialog with one form, which can be cancelled. */
export function FormDialog(props: FormDialogProps) {
  const { what, button, kind = 'primary', action, onSubmit, children, ...dialog } = props;
  return (
    <Dialog isOpen {...dialog}>
      <Form
        what={what}
        button={button ?? dialog.title}
        kind={kind}
        action={action}
        onSubmit={onSubmit}
        onCancel={dialog.onClose}
      >
        {children}
      </Form>
    </Dialog>
  );
}

function whatOf(button: string): string {
  const [verb, ...object] = button.split(' ');
  return [verb!.toLowerCase(), ...(object.length === 0 ? [] : ['the', ...object])].join(' ');
}

/** The text of a field of a form. */
export function textOf(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '').trim();
}
