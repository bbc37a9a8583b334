import { Field as BaseField } from '@base-ui/react/field';
import { type ComponentProps, type ReactNode, useId } from 'react';
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

interface SelectProps extends Omit<ComponentProps<'select'>, 'children'> {
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** One of a few, with the list of the system: it works on every phone. */
export function Select({ options, className, ...props }: SelectProps) {
  return (
    <select {...props} className={classNames(controlClass, className)}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

interface SelectFieldProps extends SelectProps {
  readonly label: string;
  readonly name: string;
  /** A line of help. */
  readonly children?: ReactNode;
}

/** A field with one of a few. */
export function SelectField({ label, name, children, ...props }: SelectFieldProps) {
  return (
    <Field label={label} name={name} help={children}>
      <Select name={name} aria-label={label} {...props} />
    </Field>
  );
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'children'> {
  readonly label: ReactNode;
  readonly help?: ReactNode;
}

/** A choice that is on or off, with its words at its right. */
export function Checkbox({ label, help, ...props }: CheckboxProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        {...props}
        id={id}
        type="checkbox"
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm break-words text-ink">
          {label}
        </label>
        {help !== undefined && (
          <p id={`${id}-help`} className="text-xs text-muted">
            {help}
          </p>
        )}
      </div>
    </div>
  );
}
