import { classNames } from './class-names.ts';

interface SegmentedProps<Name extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly choices: readonly { readonly name: Name; readonly title: string }[];
  readonly value: Name;
  readonly onChange: (name: Name) => void;
}

/** One of few choices, all of which are seen. */
export function Segmented<Name extends string>({ label, choices, value, onChange }: SegmentedProps<Name>) {
  return (
    <fieldset
      aria-label={label}
      className="inline-flex h-8 w-fit shrink-0 items-center rounded-md border border-line-strong bg-surface p-0.5"
    >
      {choices.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === value}
          onClick={() => onChange(name)}
          className={classNames(
            'h-full rounded px-2 text-sm',
            name === value ? 'bg-accent-soft font-medium text-ink' : 'text-muted hover:text-ink',
          )}
        >
          {title}
        </button>
      ))}
    </fieldset>
  );
}
