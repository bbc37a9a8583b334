import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { controlClass, Field } from './field.tsx';

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
