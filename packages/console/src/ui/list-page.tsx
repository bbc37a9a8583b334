import { SearchIcon } from '@primer/octicons-react';
import { useRef } from 'react';
import { controlClass } from './field.tsx';
import { useShortcut } from './shortcuts.ts';

interface FilterBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Narrows a list. `/` moves to it from anywhere on the page. */
export function FilterBox({ label, value, onChange }: FilterBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: 'Filter list', group: 'On this page' }, () => input.current?.focus());
  return (
    <div className="relative w-full max-w-80">
      <SearchIcon aria-hidden="true" className="absolute top-2 left-2.5 size-4 text-muted" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${controlClass} pl-8`}
      />
    </div>
  );
}

/** Keeps entries whose name contains the text, in any case. */
export function matching<Entry>(
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
  text: string | undefined,
): readonly Entry[] {
  if (text === undefined || text === '') return entries;
  const wanted = text.toLowerCase();
  return entries.filter((entry) => nameOf(entry).toLowerCase().includes(wanted));
}
