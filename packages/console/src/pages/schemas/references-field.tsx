import { PlusIcon, XIcon } from '@primer/octicons-react';
import { Button, IconButton } from '../../ui/button.tsx';
import { controlClass } from '../../ui/fields.tsx';

export interface Reference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

interface ReferencesFieldProps {
  readonly references: readonly Reference[];
  readonly onChange: (references: readonly Reference[]) => void;
}

/** The schemas that a text refers to, each with the name that the text has for it. */
export function ReferencesField({ references, onChange }: ReferencesFieldProps) {
  const change = (index: number, part: Partial<Reference>) =>
    onChange(references.map((one, at) => (at === index ? { ...one, ...part } : one)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium text-ink">References</legend>
      {references.map((reference, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are edited in place and have no other key.
        <div key={index} className="flex flex-wrap gap-2 sm:flex-nowrap">
          <input
            className={controlClass}
            aria-label={`Name of reference ${index + 1}`}
            placeholder="Name in the schema"
            value={reference.name}
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <input
            className={controlClass}
            aria-label={`Subject of reference ${index + 1}`}
            placeholder="Subject"
            value={reference.subject}
            onChange={({ target }) => change(index, { subject: target.value })}
          />
          <input
            className={`${controlClass} max-w-24`}
            type="number"
            min={1}
            aria-label={`Version of reference ${index + 1}`}
            value={reference.version}
            onChange={({ target }) => change(index, { version: Math.max(1, Number(target.value)) })}
          />
          <IconButton
            icon={XIcon}
            label={`Remove reference ${index + 1}`}
            onClick={() => onChange(references.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button
        kind="quiet"
        icon={PlusIcon}
        className="self-start"
        onClick={() => onChange([...references, { name: '', subject: '', version: 1 }])}
      >
        Add reference
      </Button>
    </fieldset>
  );
}
