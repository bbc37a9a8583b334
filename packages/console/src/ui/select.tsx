import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import { controlClass } from './field.tsx';

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
