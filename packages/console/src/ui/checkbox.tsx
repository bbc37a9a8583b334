import { type ComponentProps, type ReactNode, useId } from 'react';

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
