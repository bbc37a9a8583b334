import { PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { freePartName, type Part, partNamePattern, partNameRule } from './draft.ts';

interface PartsBarProps {
  readonly parts: readonly Part[];
  /** Which one is edited. */
  readonly at: number;
  readonly onGo: (at: number) => void;
  readonly onChange: (parts: readonly Part[]) => void;
}

const noAction = { isPending: false, error: null };

/** The parts of a configuration: choose, add, rename and remove them. */
export function PartsBar({ parts, at, onGo, onChange }: PartsBarProps) {
  const [isRenaming, setRenaming] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { name } = parts[at]!;
  const rename = (next: string) => {
    if (!partNamePattern.test(next)) return setProblem(partNameRule);
    if (parts.some((part, index) => index !== at && part.name === next))
      return setProblem('another part has this name');
    onChange(parts.map((part, index) => (index === at ? { ...part, name: next } : part)));
    setRenaming(false);
  };
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-1">
      <fieldset aria-label="Parts" className="flex min-w-0 flex-wrap gap-1">
        {parts.map((part, index) => (
          <button
            key={part.name}
            type="button"
            aria-pressed={index === at}
            onClick={() => onGo(index)}
            className="min-h-8 max-w-60 truncate rounded-md border border-line px-2 font-mono text-xs text-body hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink"
          >
            {visibleText(part.name)}
          </button>
        ))}
      </fieldset>
      <IconButton
        icon={PencilIcon}
        label={`Rename part ${name}`}
        onClick={() => {
          setProblem(undefined);
          setRenaming(true);
        }}
      />
      <IconButton
        icon={TrashIcon}
        label={`Remove part ${name}`}
        disabled={parts.length === 1}
        onClick={() => {
          onGo(Math.max(0, at - 1));
          onChange(parts.filter((_, index) => index !== at));
        }}
      />
      <Button
        icon={PlusIcon}
        onClick={() => {
          onChange([...parts, { name: freePartName(parts), yaml: '' }]);
          onGo(parts.length);
        }}
      >
        Add part
      </Button>
      <FormDialog
        isOpen={isRenaming}
        title="Rename part"
        action={noAction}
        onClose={() => setRenaming(false)}
        onSubmit={(fields) => rename(textOf(fields, 'name'))}
      >
        <TextField
          label="Name"
          name="name"
          defaultValue={name}
          problem={problem}
          required
          maxLength={128}
          spellCheck={false}
        >
          For instance shared, or tables/orders.
        </TextField>
      </FormDialog>
    </div>
  );
}
