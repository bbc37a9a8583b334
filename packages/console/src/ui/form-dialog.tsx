import type { ComponentProps } from 'react';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

type DialogProps = Omit<ComponentProps<typeof Dialog>, 'isOpen' | 'children'>;

interface FormDialogProps extends DialogProps, Omit<ComponentProps<typeof Form>, 'button' | 'onCancel'> {
  /** Absent if it says the same as the title. */
  readonly button?: string;
  readonly isOpen?: boolean;
}

/** A dialog with one form, which can be cancelled. */
export function FormDialog({ what, button, action, onSubmit, children, ...dialog }: FormDialogProps) {
  return (
    <Dialog isOpen {...dialog}>
      <Form
        what={what}
        button={button ?? dialog.title}
        action={action}
        onSubmit={onSubmit}
        onCancel={dialog.onClose}
      >
        {children}
      </Form>
    </Dialog>
  );
}
