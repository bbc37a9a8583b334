import { Field as BaseField } from '@base-ui/react/field';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly help?: ReactNode;
  readonly problem?: string | undefined;
  readonly children: ReactNode;
}

/** A label, a control, a line of help, and what is wrong with it. */
export function Field({ label, name, help, problem, children }: FieldProps) {
  return (
    <BaseField.Root name={name} invalid={problem !== undefined} className="flex flex-col gap-1">
      <BaseField.Label className="text-sm font-medium text-ink">{label}</BaseField.Label>
      {children}
      {help !== undefined && (
        <BaseField.Description className="text-xs text-muted">{help}</BaseField.Description>
      )}
      {problem !== undefined && (
        <BaseField.Error match className="text-xs text-fail">
          {problem}
        </BaseField.Error>
      )}
    </BaseField.Root>
  );
}

export const controlClass =
  'h-8 w-full rounded-md border border-control bg-surface px-2.5 text-sm text-ink placeholder:text-faint ' +
  'data-invalid:border-fail disabled:opacity-60';

type ControlProps = Omit<ComponentProps<typeof BaseField.Control>, 'name' | 'children'>;

interface TextFieldProps extends Omit<FieldProps, 'help' | 'children'>, ControlProps {
  /** A line of help. */
  readonly children?: ReactNode;
  /** Called with what was typed. */
  readonly onText?: (text: string) => void;
}

/** A field with a line of text. Browsers offer no earlier input unless `autoComplete` says what it is. */
export function TextField({ label, name, problem, children, onText, className, ...control }: TextFieldProps) {
  return (
    <Field label={label} name={name} help={children} problem={problem}>
      <BaseField.Control
        autoComplete="off"
        className={classNames(controlClass, typeof className === 'string' && className)}
        {...(onText && { onChange: ({ target }) => onText(target.value) })}
        {...control}
      />
    </Field>
  );
}
